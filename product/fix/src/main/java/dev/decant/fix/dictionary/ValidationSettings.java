package dev.decant.fix.dictionary;

/**
 * Which checks a {@link MessageValidator} makes. Immutable; made by a {@link Builder}. Names and defaults follow
 * QuickFIX where it has the setting; the others make all checks.
 */
public final class ValidationSettings {
  private static final ValidationSettings DEFAULTS = new Builder().build();

  private final boolean checkFieldsOutOfOrder;
  private final boolean checkFieldsHaveValues;
  private final boolean checkUserDefinedFields;
  private final boolean checkUnorderedGroupFields;
  private final boolean allowUnknownMessageFields;
  private final boolean allowUnknownEnumValues;
  private final boolean firstFieldInGroupIsDelimiter;
  private final boolean checkDataFormats;
  private final boolean checkRequiredFields;
  private final boolean checkRequiredInOptionalGroups;
  private final boolean checkRepeatedTags;
  private final boolean checkGroupCounts;
  private final boolean allowMissingGroupCounts;
  private final boolean allowUnknownMessages;
  private final boolean allowUnknownApplVerIds;

  private ValidationSettings(Builder builder) {
    checkFieldsOutOfOrder = builder.checkFieldsOutOfOrder;
    checkFieldsHaveValues = builder.checkFieldsHaveValues;
    checkUserDefinedFields = builder.checkUserDefinedFields;
    checkUnorderedGroupFields = builder.checkUnorderedGroupFields;
    allowUnknownMessageFields = builder.allowUnknownMessageFields;
    allowUnknownEnumValues = builder.allowUnknownEnumValues;
    firstFieldInGroupIsDelimiter = builder.firstFieldInGroupIsDelimiter;
    checkDataFormats = builder.checkDataFormats;
    checkRequiredFields = builder.checkRequiredFields;
    checkRequiredInOptionalGroups = builder.checkRequiredInOptionalGroups;
    checkRepeatedTags = builder.checkRepeatedTags;
    checkGroupCounts = builder.checkGroupCounts;
    allowMissingGroupCounts = builder.allowMissingGroupCounts;
    allowUnknownMessages = builder.allowUnknownMessages;
    allowUnknownApplVerIds = builder.allowUnknownApplVerIds;
  }

  /**
   * The default of each setting.
   *
   * @return a shared instance
   */
  public static ValidationSettings defaults() {
    return DEFAULTS;
  }

  /**
   * Begins with the default of each setting.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Whether header, body and trailer must follow one another. Default true.
   *
   * @return the setting
   */
  public boolean checkFieldsOutOfOrder() {
    return checkFieldsOutOfOrder;
  }

  /**
   * Whether a field must have a value. Default true.
   *
   * @return the setting
   */
  public boolean checkFieldsHaveValues() {
    return checkFieldsHaveValues;
  }

  /**
   * Whether fields from 5000 on must be defined for the message. Default true.
   *
   * @return the setting
   */
  public boolean checkUserDefinedFields() {
    return checkUserDefinedFields;
  }

  /**
   * Whether fields of a group's entry must be in the dictionary's order. Default true.
   *
   * @return the setting
   */
  public boolean checkUnorderedGroupFields() {
    return checkUnorderedGroupFields;
  }

  /**
   * Whether fields below 5000 may appear that are not defined for the message. Default false.
   *
   * @return the setting
   */
  public boolean allowUnknownMessageFields() {
    return allowUnknownMessageFields;
  }

  /**
   * Whether a field may have a value that the dictionary does not list. Default false.
   *
   * @return the setting
   */
  public boolean allowUnknownEnumValues() {
    return allowUnknownEnumValues;
  }

  /**
   * Whether entries of a group begin with the field that is first in the message, instead of the dictionary. Default
   * false; it needs {@link #checkUnorderedGroupFields} to be false.
   *
   * @return the setting
   */
  public boolean firstFieldInGroupIsDelimiter() {
    return firstFieldInGroupIsDelimiter;
  }

  /**
   * Whether values must have the format of their datatype. Default true.
   *
   * @return the setting
   */
  public boolean checkDataFormats() {
    return checkDataFormats;
  }

  /**
   * Whether required fields must be there, in header, body, trailer and entries of groups. Default true.
   *
   * @return the setting
   */
  public boolean checkRequiredFields() {
    return checkRequiredFields;
  }

  /**
   * Whether an entry must have its required fields even if the group itself is not required. Default true; QuickFIX
   * then looks only at fields that the group takes from required components.
   *
   * @return the setting
   */
  public boolean checkRequiredInOptionalGroups() {
    return checkRequiredInOptionalGroups;
  }

  /**
   * Whether a tag must appear only once outside of groups, and once in an entry. Default true.
   *
   * @return the setting
   */
  public boolean checkRepeatedTags() {
    return checkRepeatedTags;
  }

  /**
   * Whether a group must have as many entries as its NoXXX field says. Default true.
   *
   * @return the setting
   */
  public boolean checkGroupCounts() {
    return checkGroupCounts;
  }

  /**
   * Whether a group may lack its NoXXX field: its entries then begin with the group's first field. Such a group has
   * entries for {@link dev.decant.fix.message.MessageView#find} alone. Default false.
   *
   * @return the setting
   */
  public boolean allowMissingGroupCounts() {
    return allowMissingGroupCounts;
  }

  /**
   * Whether the application gets messages of a type that the dictionary does not define. Nothing of them is checked
   * then. Otherwise the response is a BusinessMessageReject(j), or a Reject(3) for a type that no specification has.
   * Default false.
   *
   * @return the setting
   */
  public boolean allowUnknownMessages() {
    return allowUnknownMessages;
  }

  /**
   * Whether a message may have an ApplVerID(1128) that the session has no dictionary for. It is then validated as one
   * of DefaultApplVerID(1137). Default false.
   *
   * @return the setting
   */
  public boolean allowUnknownApplVerIds() {
    return allowUnknownApplVerIds;
  }

  /** Collects settings. Not thread-safe. */
  public static final class Builder {
    private boolean checkFieldsOutOfOrder = true;
    private boolean checkFieldsHaveValues = true;
    private boolean checkUserDefinedFields = true;
    private boolean checkUnorderedGroupFields = true;
    private boolean allowUnknownMessageFields;
    private boolean allowUnknownEnumValues;
    private boolean firstFieldInGroupIsDelimiter;
    private boolean checkDataFormats = true;
    private boolean checkRequiredFields = true;
    private boolean checkRequiredInOptionalGroups = true;
    private boolean checkRepeatedTags = true;
    private boolean checkGroupCounts = true;
    private boolean allowMissingGroupCounts;
    private boolean allowUnknownMessages;
    private boolean allowUnknownApplVerIds;

    private Builder() {}

    /**
     * Sets {@link ValidationSettings#checkFieldsOutOfOrder}.
     *
     * @param value the setting
     * @return this
     */
    public Builder checkFieldsOutOfOrder(boolean value) {
      checkFieldsOutOfOrder = value;
      return this;
    }

    /**
     * Sets {@link ValidationSettings#checkFieldsHaveValues}.
     *
     * @param value the setting
     * @return this
     */
    public Builder checkFieldsHaveValues(boolean value) {
      checkFieldsHaveValues = value;
      return this;
    }

    /**
     * Sets {@link ValidationSettings#checkUserDefinedFields}.
     *
     * @param value the setting
     * @return this
     */
    public Builder checkUserDefinedFields(boolean value) {
      checkUserDefinedFields = value;
      return this;
    }

    /**
     * Sets {@link ValidationSettings#checkUnorderedGroupFields}.
     *
     * @param value the setting
     * @return this
     */
    public Builder checkUnorderedGroupFields(boolean value) {
      checkUnorderedGroupFields = value;
      return this;
    }

    /**
     * Sets {@link ValidationSettings#allowUnknownMessageFields}.
     *
     * @param value the setting
     * @return this
     */
    public Builder allowUnknownMessageFields(boolean value) {
      allowUnknownMessageFields = value;
      return this;
    }

    /**
     * Sets {@link ValidationSettings#allowUnknownEnumValues}.
     *
     * @param value the setting
     * @return this
     */
    public Builder allowUnknownEnumValues(boolean value) {
      allowUnknownEnumValues = value;
      return this;
    }

    /**
     * Sets {@link ValidationSettings#firstFieldInGroupIsDelimiter}.
     *
     * @param value the setting
     * @return this
     */
    public Builder firstFieldInGroupIsDelimiter(boolean value) {
      firstFieldInGroupIsDelimiter = value;
      return this;
    }

    /**
     * Sets {@link ValidationSettings#checkDataFormats}.
     *
     * @param value the setting
     * @return this
     */
    public Builder checkDataFormats(boolean value) {
      checkDataFormats = value;
      return this;
    }

    /**
     * Sets {@link ValidationSettings#checkRequiredFields}.
     *
     * @param value the setting
     * @return this
     */
    public Builder checkRequiredFields(boolean value) {
      checkRequiredFields = value;
      return this;
    }

    /**
     * Sets {@link ValidationSettings#checkRequiredInOptionalGroups}.
     *
     * @param value the setting
     * @return this
     */
    public Builder checkRequiredInOptionalGroups(boolean value) {
      checkRequiredInOptionalGroups = value;
      return this;
    }

    /**
     * Sets {@link ValidationSettings#checkRepeatedTags}.
     *
     * @param value the setting
     * @return this
     */
    public Builder checkRepeatedTags(boolean value) {
      checkRepeatedTags = value;
      return this;
    }

    /**
     * Sets {@link ValidationSettings#checkGroupCounts}.
     *
     * @param value the setting
     * @return this
     */
    public Builder checkGroupCounts(boolean value) {
      checkGroupCounts = value;
      return this;
    }

    /**
     * Sets {@link ValidationSettings#allowMissingGroupCounts}.
     *
     * @param value the setting
     * @return this
     */
    public Builder allowMissingGroupCounts(boolean value) {
      allowMissingGroupCounts = value;
      return this;
    }

    /**
     * Sets {@link ValidationSettings#allowUnknownMessages}.
     *
     * @param value the setting
     * @return this
     */
    public Builder allowUnknownMessages(boolean value) {
      allowUnknownMessages = value;
      return this;
    }

    /**
     * Sets {@link ValidationSettings#allowUnknownApplVerIds}.
     *
     * @param value the setting
     * @return this
     */
    public Builder allowUnknownApplVerIds(boolean value) {
      allowUnknownApplVerIds = value;
      return this;
    }

    /**
     * Makes the settings.
     *
     * @return immutable settings
     * @throws IllegalArgumentException if the first field is to be the delimiter while the order is checked
     */
    public ValidationSettings build() {
      if (firstFieldInGroupIsDelimiter && checkUnorderedGroupFields) {
        throw new IllegalArgumentException(
            "firstFieldInGroupIsDelimiter needs checkUnorderedGroupFields to be false; set one of them");
      }
      return new ValidationSettings(this);
    }
  }
}
