package dev.decant.fix.dictionary;

/**
 * The checks of a {@link MessageValidator}. Immutable; created by a {@link Builder}. Names and defaults follow QuickFIX
 * where it has the setting; all other checks are made by default.
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
   * Returns the default settings.
   *
   * @return a shared instance
   */
  public static ValidationSettings defaults() {
    return DEFAULTS;
  }

  /**
   * Returns a builder with the default settings.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns true if header, body and trailer must follow one another. Default true.
   *
   * @return the setting
   */
  public boolean checkFieldsOutOfOrder() {
    return checkFieldsOutOfOrder;
  }

  /**
   * Returns true if a field must have a value. Default true.
   *
   * @return the setting
   */
  public boolean checkFieldsHaveValues() {
    return checkFieldsHaveValues;
  }

  /**
   * Returns true if fields from 5000 on must be defined for the message. Default true.
   *
   * @return the setting
   */
  public boolean checkUserDefinedFields() {
    return checkUserDefinedFields;
  }

  /**
   * Returns true if fields of a group's entry must be in the dictionary's order. Default true.
   *
   * @return the setting
   */
  public boolean checkUnorderedGroupFields() {
    return checkUnorderedGroupFields;
  }

  /**
   * Returns true if a message may have fields below 5000 that are not defined for it. Default false.
   *
   * @return the setting
   */
  public boolean allowUnknownMessageFields() {
    return allowUnknownMessageFields;
  }

  /**
   * Returns true if a field may have a value that the dictionary does not list. Default false.
   *
   * @return the setting
   */
  public boolean allowUnknownEnumValues() {
    return allowUnknownEnumValues;
  }

  /**
   * Returns true if entries of a group begin with the field that is first in the message, instead of the dictionary's.
   * Default false; true requires that {@link #checkUnorderedGroupFields} is false.
   *
   * @return the setting
   */
  public boolean firstFieldInGroupIsDelimiter() {
    return firstFieldInGroupIsDelimiter;
  }

  /**
   * Returns true if values must have the format of their datatype. Default true.
   *
   * @return the setting
   */
  public boolean checkDataFormats() {
    return checkDataFormats;
  }

  /**
   * Returns true if header, body, trailer and entries of groups must have their required fields. Default true.
   *
   * @return the setting
   */
  public boolean checkRequiredFields() {
    return checkRequiredFields;
  }

  /**
   * Returns true if an entry must have its required fields even if the group itself is not required. Default true.
   * QuickFIX then checks only fields that the group takes from required components.
   *
   * @return the setting
   */
  public boolean checkRequiredInOptionalGroups() {
    return checkRequiredInOptionalGroups;
  }

  /**
   * Returns true if a tag may appear only once outside of groups, and once in an entry. Default true.
   *
   * @return the setting
   */
  public boolean checkRepeatedTags() {
    return checkRepeatedTags;
  }

  /**
   * Returns true if a group must have as many entries as its NoXXX field announces. Default true.
   *
   * @return the setting
   */
  public boolean checkGroupCounts() {
    return checkGroupCounts;
  }

  /**
   * Returns true if a group may lack its NoXXX field; its entries then begin with the group's first field. Default
   * false. Only {@link dev.decant.fix.message.MessageView#find} finds the fields of this group.
   *
   * @return the setting
   */
  public boolean allowMissingGroupCounts() {
    return allowMissingGroupCounts;
  }

  /**
   * Returns true if the application receives messages of a type that the dictionary does not define, without any check.
   * Default false: the response is a BusinessMessageReject(j), or a Reject(3) for a type that no specification has.
   *
   * @return the setting
   */
  public boolean allowUnknownMessages() {
    return allowUnknownMessages;
  }

  /**
   * Returns true if a message may have an ApplVerID(1128) for which the session has no dictionary. Default false. If
   * true, the message is validated as one of DefaultApplVerID(1137).
   *
   * @return the setting
   */
  public boolean allowUnknownApplVerIds() {
    return allowUnknownApplVerIds;
  }

  /** Configures the checks. Not thread-safe. */
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
     * Creates the settings.
     *
     * @return immutable settings
     * @throws IllegalArgumentException if the first field is the delimiter of groups while their order is checked
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
