package dev.decant.lab;

import dev.decant.fix.dictionary.ValidationSettings;
import dev.decant.fix.settings.SessionSettingsBuilder;
import java.util.List;
import picocli.CommandLine.Option;

/** The switches of {@code decant fix acceptor}, one for each rule that a session can waive. */
final class FixLeniencyOptions {
  @Option(names = "--lenient-to", split = ",", paramLabel = "ID",
      description = "counterparties whose sessions let pass what follows (default: all)")
  private List<String> lenientTo = List.of();

  @Option(names = "--allow-misplaced-fields", description = "take fields of header, body and trailer in any order")
  private boolean allowMisplacedFields;

  @Option(names = "--allow-repeated-tags", description = "take tags that appear twice")
  private boolean allowRepeatedTags;

  @Option(names = "--allow-unordered-groups", description = "take the fields of a group's entry in any order")
  private boolean allowUnorderedGroups;

  @Option(names = "--first-field-is-delimiter",
      description = "let entries of a group begin with the first field that comes; needs --allow-unordered-groups")
  private boolean firstFieldIsDelimiter;

  @Option(names = "--allow-wrong-group-counts", description = "take groups whose NoXXX field is wrong")
  private boolean allowWrongGroupCounts;

  @Option(names = "--allow-missing-group-counts", description = "take groups without a NoXXX field")
  private boolean allowMissingGroupCounts;

  @Option(names = "--allow-unknown-fields", description = "take fields below 5000 that the message does not have")
  private boolean allowUnknownFields;

  @Option(names = "--allow-user-defined-fields",
      description = "take fields from 5000 on that the message does not have")
  private boolean allowUserDefinedFields;

  @Option(names = "--allow-unknown-messages", description = "take messages that the dictionary does not have")
  private boolean allowUnknownMessages;

  @Option(names = "--allow-unknown-values", description = "take values that the dictionary does not list")
  private boolean allowUnknownValues;

  @Option(names = "--allow-empty-values", description = "take fields without a value")
  private boolean allowEmptyValues;

  @Option(names = "--allow-other-formats", description = "take values that do not have the format of their type")
  private boolean allowOtherFormats;

  @Option(names = "--allow-missing-fields", description = "take messages without required fields")
  private boolean allowMissingFields;

  @Option(names = "--allow-missing-fields-in-optional-groups",
      description = "take entries of optional groups without required fields")
  private boolean allowMissingInOptionalGroups;

  @Option(names = "--allow-unknown-versions", description = "take any ApplVerID")
  private boolean allowUnknownVersions;

  @Option(names = "--weak-timestamps", description = "take timestamps of other shapes")
  private boolean weakTimestamps;

  @Option(names = "--allow-other-comp-ids", description = "take messages of other CompIDs after the logon")
  private boolean allowOtherCompIds;

  @Option(names = "--allow-latency", description = "take messages whose SendingTime is far from now")
  private boolean allowLatency;

  @Option(names = "--allow-missing-orig-sending-time", description = "take possible duplicates without tag 122")
  private boolean allowMissingOrigSendingTime;

  @Option(names = "--let-invalid-pass", description = "take messages that are invalid in any way")
  private boolean letInvalidPass;

  /** Waives the rules that the switches name. */
  void apply(SessionSettingsBuilder settings, String counterparty) {
    if (!lenientTo.isEmpty() && !lenientTo.contains(counterparty)) {
      return;
    }
    settings.validation(validation())
        .weakTimestamps(weakTimestamps)
        .checkCompIds(!allowOtherCompIds)
        .checkLatency(!allowLatency)
        .requireOrigSendingTime(!allowMissingOrigSendingTime)
        .rejectInvalid(!letInvalidPass);
  }

  private ValidationSettings validation() {
    return ValidationSettings.builder()
        .checkFieldsOutOfOrder(!allowMisplacedFields)
        .checkRepeatedTags(!allowRepeatedTags)
        .checkUnorderedGroupFields(!allowUnorderedGroups)
        .firstFieldInGroupIsDelimiter(firstFieldIsDelimiter)
        .checkGroupCounts(!allowWrongGroupCounts)
        .allowMissingGroupCounts(allowMissingGroupCounts)
        .allowUnknownMessageFields(allowUnknownFields)
        .checkUserDefinedFields(!allowUserDefinedFields)
        .allowUnknownMessages(allowUnknownMessages)
        .allowUnknownEnumValues(allowUnknownValues)
        .checkFieldsHaveValues(!allowEmptyValues)
        .checkDataFormats(!allowOtherFormats)
        .checkRequiredFields(!allowMissingFields)
        .checkRequiredInOptionalGroups(!allowMissingInOptionalGroups)
        .allowUnknownApplVerIds(allowUnknownVersions)
        .build();
  }
}
