package dev.decant.fix.dictionary;

import static dev.decant.fix.dictionary.TestMessages.TIME;
import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.message.Leniency;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.RejectReason;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** A message that breaks a relaxed rule is valid, and the validator names the rule and the field. */
class LeniencyTest {
  private static final Dictionary HARBOUR = DictionaryTest.harbour();
  private static final String HEADER = TestMessages.header("UB");
  private static final String VOYAGE = "20000=V1|20001=" + TIME + "|";
  private static final String SHIP = "20010=1|20011=ANNA|";

  /** What is let through, such as {@code GROUP_ORDER 20012}; or the reason of a refusal. */
  private static List<String> passed(MessageValidator validator, MessageView message) {
    int reason = validator.validate(message);
    List<String> found = new ArrayList<>();
    if (reason != MessageValidator.VALID) {
      found.add("refused " + reason);
      return found;
    }
    for (Leniency leniency : Leniency.values()) {
      int tag = validator.toleratedTag(leniency);
      if (tag != MessageValidator.NO_TAG) {
        found.add(leniency + " " + tag);
      }
    }
    assertThat(validator.isTolerated()).isEqualTo(!found.isEmpty());
    return found;
  }

  private static void isPassed(UnaryOperator<ValidationSettings.Builder> setting, String fields, int reason,
      String... passed) {
    MessageView message = TestMessages.message("FIX.4.4", fields, HARBOUR.dataFields());
    MessageValidator strict = new MessageValidator(HARBOUR, ValidationSettings.defaults());
    assertThat(passed(strict, message)).as("strict").containsExactly("refused " + reason);
    MessageValidator lenient = new MessageValidator(HARBOUR, setting.apply(ValidationSettings.builder()).build());
    assertThat(passed(lenient, message)).containsExactly(passed);
    MessageView right = TestMessages.message("FIX.4.4", HEADER + VOYAGE + SHIP, HARBOUR.dataFields());
    assertThat(passed(lenient, right)).as("a message that keeps the rules").isEmpty();
  }

  @Test
  void fieldsOutsideOfTheirPart() {
    isPassed(b -> b.checkFieldsOutOfOrder(false), "35=UB|20000=V1|34=2|49=SHIP|52=" + TIME + "|56=PORT|20001=" + TIME
        + "|" + SHIP, RejectReason.TAG_OUT_OF_ORDER, "FIELD_OUT_OF_ORDER 34");
  }

  @Test
  void repeatedTags() {
    isPassed(b -> b.checkRepeatedTags(false), HEADER + VOYAGE + SHIP + "20000=V2|",
        RejectReason.TAG_APPEARS_MORE_THAN_ONCE, "REPEATED_TAG 20000");
    isPassed(b -> b.checkRepeatedTags(false).allowUnknownMessageFields(true), HEADER + VOYAGE + "999=x|999=y|" + SHIP,
        RejectReason.TAG_APPEARS_MORE_THAN_ONCE, "REPEATED_TAG 999", "UNKNOWN_FIELD 999");
    isPassed(b -> b.checkRepeatedTags(false).checkUnorderedGroupFields(false), HEADER + VOYAGE
        + "20010=1|20011=ANNA|20012=4|20012=5|", RejectReason.GROUP_OUT_OF_ORDER, "REPEATED_TAG 20012");
  }

  @Test
  void orderAndFirstFieldOfEntries() {
    isPassed(b -> b.checkUnorderedGroupFields(false), HEADER + VOYAGE + "20010=1|20011=ANNA|20013=DE|20012=4|",
        RejectReason.GROUP_OUT_OF_ORDER, "GROUP_ORDER 20012");
    isPassed(b -> b.checkUnorderedGroupFields(false).firstFieldInGroupIsDelimiter(true), HEADER + VOYAGE
        + "20010=2|20012=4|20011=ANNA|20012=5|20011=BELLA|", RejectReason.GROUP_OUT_OF_ORDER, "GROUP_ORDER 20011",
        "GROUP_DELIMITER 20012");
  }

  @Test
  void wrongCounts() {
    isPassed(b -> b.checkGroupCounts(false), HEADER + VOYAGE + "20010=7|20011=ANNA|",
        RejectReason.INCORRECT_NUM_IN_GROUP, "GROUP_COUNT 20010");
  }

  @Test
  void groupsWithoutTheirCount() {
    isPassed(b -> b.allowMissingGroupCounts(true), HEADER + VOYAGE + "20011=ANNA|20012=4|20011=BELLA|",
        RejectReason.TAG_APPEARS_MORE_THAN_ONCE, "MISSING_GROUP_COUNT 20010");
    isPassed(b -> b.allowMissingGroupCounts(true), HEADER + VOYAGE
        + "20010=2|20011=ANNA|20021=1|20022=5|20031=s1|20013=DE|20011=BELLA|",
        RejectReason.TAG_NOT_DEFINED_FOR_MESSAGE_TYPE, "MISSING_GROUP_COUNT 20020");
  }

  @Test
  void groupsWithoutTheirCountKeepTheOtherRules() {
    MessageValidator lenient = new MessageValidator(HARBOUR,
        ValidationSettings.builder().allowMissingGroupCounts(true).build());
    String[][] cases = {{HEADER + VOYAGE + "20012=4|20011=ANNA|", "refused 2"},
        {HEADER + VOYAGE + "20010=1|20011=ANNA|20000=V|20011=BELLA|", "refused 13"},
        {HEADER + VOYAGE + "20011=ANNA|20021=1|", "refused 1"}, {HEADER + VOYAGE + "20011=|", "refused 4"},
        {HEADER + VOYAGE + "20011=ANNA|999=x|", "refused 0"}};
    for (String[] wrong : cases) {
      assertThat(passed(lenient, TestMessages.message("FIX.4.4", wrong[0], HARBOUR.dataFields()))).as(wrong[0])
          .containsExactly(wrong[1]);
    }
  }

  @Test
  void unknownFieldsAndMessages() {
    isPassed(b -> b.allowUnknownMessageFields(true), HEADER + VOYAGE + SHIP + "999=x|58=y|",
        RejectReason.INVALID_TAG_NUMBER, "UNKNOWN_FIELD 999");
    isPassed(b -> b.checkUserDefinedFields(false), HEADER + VOYAGE + "20010=1|20011=ANNA|5001=x|5002=y|",
        RejectReason.INVALID_TAG_NUMBER, "USER_DEFINED_FIELD 5001");
    isPassed(b -> b.allowUnknownMessages(true), TestMessages.header("*") + "1=x|1=x|", RejectReason.INVALID_MSG_TYPE,
        "UNKNOWN_MESSAGE 35");
    isPassed(b -> b.allowUnknownMessages(true), TestMessages.header("UX"), MessageValidator.UNSUPPORTED_MSG_TYPE,
        "UNKNOWN_MESSAGE 35");
    isPassed(b -> b.allowUnknownMessages(true), TestMessages.header("LONGER"), RejectReason.INVALID_MSG_TYPE,
        "UNKNOWN_MESSAGE 35");
    MessageValidator unknown = new MessageValidator(HARBOUR,
        ValidationSettings.builder().allowUnknownMessages(true).build());
    assertThat(passed(unknown, TestMessages.message("FIX.4.4", TestMessages.header(""), HARBOUR.dataFields())))
        .as("a message without a type").containsExactly("refused " + RejectReason.TAG_WITHOUT_VALUE);
  }

  @Test
  void values() {
    isPassed(b -> b.allowUnknownEnumValues(true), HEADER + VOYAGE + SHIP + "20002=3|", RejectReason.VALUE_IS_INCORRECT,
        "UNKNOWN_ENUM_VALUE 20002");
    isPassed(b -> b.checkFieldsHaveValues(false), HEADER + VOYAGE + SHIP + "20003=|", RejectReason.TAG_WITHOUT_VALUE,
        "EMPTY_VALUE 20003");
    isPassed(b -> b.checkDataFormats(false), HEADER + VOYAGE + "20010=1|20011=ANNA|20012=deep|",
        RejectReason.INCORRECT_DATA_FORMAT, "DATA_FORMAT 20012");
    isPassed(b -> b.checkDataFormats(false).allowUnknownEnumValues(true), HEADER + VOYAGE + SHIP + "20002=12|",
        RejectReason.INCORRECT_DATA_FORMAT, "UNKNOWN_ENUM_VALUE 20002", "DATA_FORMAT 20002");
  }

  @Test
  void missingFields() {
    isPassed(b -> b.checkRequiredFields(false), HEADER + "20000=V1|" + SHIP, RejectReason.REQUIRED_TAG_MISSING,
        "REQUIRED_FIELD 20001");
    isPassed(b -> b.checkRequiredInOptionalGroups(false), HEADER + VOYAGE + "20010=1|20011=ANNA|20020=1|20021=1|",
        RejectReason.REQUIRED_TAG_MISSING, "REQUIRED_FIELD 20022");
  }

  @Test
  void weakTimestampsGoByTheView() {
    String fields = HEADER + "20000=V1|20001=2024-02-29T12:30:45Z|" + SHIP;
    MessageValidator validator = new MessageValidator(HARBOUR, ValidationSettings.defaults());
    byte[] bytes = TestMessages.bytes("FIX.4.4", fields);
    ByteBuffer memory = TestMessages.direct(bytes);
    MessageView strict = new MessageView(HARBOUR.dataFields());
    MessageView weak = new MessageView(HARBOUR.dataFields(), true);
    strict.parse(memory, 0, bytes.length, true);
    weak.parse(memory, 0, bytes.length, true);

    assertThat(passed(validator, strict)).containsExactly("refused " + RejectReason.INCORRECT_DATA_FORMAT);
    assertThat(passed(validator, weak)).containsExactly("WEAK_TIMESTAMP 20001");
    assertThat(weak.weakTimestampTag()).isZero();
    assertThat(weak.timestamp(20_001)).isEqualTo(1_709_209_845_000_000_000L);
    assertThat(weak.weakTimestampTag()).isEqualTo(20_001);
  }
}
