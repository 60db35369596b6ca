package dev.decant.fix.message;

/** Values of SessionRejectReason(373), and of BusinessRejectReason(380), with their texts. */
public final class RejectReason {
  /** No message of the dictionary has the tag. */
  public static final int INVALID_TAG_NUMBER = 0;
  /** A field that the message must have is missing. */
  public static final int REQUIRED_TAG_MISSING = 1;
  /** The tag is known, but not in this message. */
  public static final int TAG_NOT_DEFINED_FOR_MESSAGE_TYPE = 2;
  /** The tag is not known. */
  public static final int UNDEFINED_TAG = 3;
  /** The field has no value. */
  public static final int TAG_WITHOUT_VALUE = 4;
  /** The value is not among those that the dictionary lists, or contradicts others. */
  public static final int VALUE_IS_INCORRECT = 5;
  /** The value is not of the field's type. */
  public static final int INCORRECT_DATA_FORMAT = 6;
  /** SenderCompID(49) or TargetCompID(56) are not those of the session. */
  public static final int COMP_ID_PROBLEM = 9;
  /** SendingTime(52) is too far from now, or OrigSendingTime(122) is later than it. */
  public static final int SENDING_TIME_ACCURACY_PROBLEM = 10;
  /** MsgType(35) is not in the dictionary. */
  public static final int INVALID_MSG_TYPE = 11;
  /** A tag appears twice outside of groups. */
  public static final int TAG_APPEARS_MORE_THAN_ONCE = 13;
  /** A field of the header, body or trailer stands in another part. */
  public static final int TAG_OUT_OF_ORDER = 14;
  /** The fields of a group's entry are not in their order. */
  public static final int GROUP_OUT_OF_ORDER = 15;
  /** A group has more or fewer entries than its NoXXX field says. */
  public static final int INCORRECT_NUM_IN_GROUP = 16;
  /** ApplVerID(1128) is of a version that the session does not take. */
  public static final int INVALID_VERSION = 18;
  /** Any other reason. */
  public static final int OTHER = 99;

  /** BusinessRejectReason(380): any other reason. */
  public static final int BUSINESS_OTHER = 0;
  /** BusinessRejectReason(380): the application does not support messages of this type. */
  public static final int BUSINESS_UNSUPPORTED_MESSAGE_TYPE = 3;
  /** BusinessRejectReason(380): the application cannot work now. */
  public static final int BUSINESS_APPLICATION_NOT_AVAILABLE = 4;
  /** BusinessRejectReason(380): a field is missing that this message requires in this case. */
  public static final int BUSINESS_CONDITIONALLY_REQUIRED_FIELD_MISSING = 5;

  private static final String[] SESSION_TEXTS = {"Invalid tag number", "Required tag missing",
      "Tag not defined for this message type", "Undefined tag", "Tag specified without a value",
      "Value is incorrect (out of range) for this tag", "Incorrect data format for value", "Decryption problem",
      "Signature problem", "CompID problem", "SendingTime accuracy problem", "Invalid MsgType", "XML validation error",
      "Tag appears more than once", "Tag specified out of required order", "Repeating group fields out of order",
      "Incorrect NumInGroup count for repeating group", "Non \"data\" value includes field delimiter",
      "Invalid or unsupported application version"};
  private static final String[] BUSINESS_TEXTS = {"Other", "Unknown ID", "Unknown security",
      "Unsupported message type", "Application not available", "Conditionally required field missing",
      "Not authorized", "DeliverTo firm not available at this time"};

  private RejectReason() {}

  /**
   * Returns the text of a session reject.
   *
   * @param reason a value of SessionRejectReason(373)
   * @return Text(58) in the words of the specification
   */
  public static String sessionText(int reason) {
    return reason >= 0 && reason < SESSION_TEXTS.length ? SESSION_TEXTS[reason] : "Other";
  }

  /**
   * Returns the text of a business reject.
   *
   * @param reason a value of BusinessRejectReason(380)
   * @return Text(58) in the words of the specification
   */
  public static String businessText(int reason) {
    return reason >= 0 && reason < BUSINESS_TEXTS.length ? BUSINESS_TEXTS[reason] : "Other";
  }
}
