package dev.decant.fix.message;

/** Rules that settings may relax. For each, a session counts the accepted messages that break it. */
public enum Leniency {
  /** A field is in another part of the message than its own: {@code checkFieldsOutOfOrder(false)}. */
  FIELD_OUT_OF_ORDER("a field outside of its part of the message"),
  /** A tag appears twice outside of groups, or in an entry: {@code checkRepeatedTags(false)}. */
  REPEATED_TAG("a repeated tag"),
  /** The fields of an entry have another order than the dictionary's: {@code checkUnorderedGroupFields(false)}. */
  GROUP_ORDER("fields of a group in another order"),
  /** An entry begins with another field than the dictionary's: {@code firstFieldInGroupIsDelimiter(true)}. */
  GROUP_DELIMITER("another first field of a group"),
  /** A group has more or fewer entries than its NoXXX field says: {@code checkGroupCounts(false)}. */
  GROUP_COUNT("a wrong count of a group's entries"),
  /** A group has entries and no NoXXX field: {@code allowMissingGroupCounts(true)}. */
  MISSING_GROUP_COUNT("a group without its count"),
  /** A field below 5000 is not defined for the message: {@code allowUnknownMessageFields(true)}. */
  UNKNOWN_FIELD("a field that the message does not have"),
  /** A field from 5000 on is not defined for the message: {@code checkUserDefinedFields(false)}. */
  USER_DEFINED_FIELD("a user-defined field that the message does not have"),
  /** The dictionary does not define the message: {@code allowUnknownMessages(true)}. */
  UNKNOWN_MESSAGE("a message that the dictionary does not have"),
  /** The dictionary does not list the value: {@code allowUnknownEnumValues(true)}. */
  UNKNOWN_ENUM_VALUE("a value that the dictionary does not list"),
  /** A field has no value: {@code checkFieldsHaveValues(false)}. */
  EMPTY_VALUE("a field without a value"),
  /** A value does not have the format of its type: {@code checkDataFormats(false)}. */
  DATA_FORMAT("a value of another format"),
  /** A required field is missing: {@code checkRequiredFields(false)}, {@code checkRequiredInOptionalGroups(false)}. */
  REQUIRED_FIELD("a required field is missing"),
  /** The session has no dictionary for the message's version: {@code allowUnknownApplVerIds(true)}. */
  APPL_VER_ID("an application version without a dictionary"),
  /** A timestamp, date or time has another format: {@code weakTimestamps(true)}. */
  WEAK_TIMESTAMP("a timestamp of another shape"),
  /** The CompIDs are not those of the session: {@code checkCompIds(false)}. */
  COMP_ID("other CompIDs"),
  /** SendingTime(52) is too far from now: {@code checkLatency(false)}. */
  LATENCY("a SendingTime too far from now"),
  /** A possible duplicate has no OrigSendingTime(122): {@code requireOrigSendingTime(false)}. */
  ORIG_SENDING_TIME("a possible duplicate without OrigSendingTime"),
  /** The message is invalid by the dictionary, in any other way: {@code rejectInvalid(false)}. */
  INVALID_MESSAGE("an invalid message");

  private final String description;

  Leniency(String description) {
    this.description = description;
  }

  /**
   * Describes the deviation in words.
   *
   * @return a phrase
   */
  public String description() {
    return description;
  }
}
