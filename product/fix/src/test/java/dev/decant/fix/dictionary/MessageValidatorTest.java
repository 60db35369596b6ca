package dev.decant.fix.dictionary;

import static dev.decant.fix.dictionary.TestMessages.TIME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fix.message.RejectReason;
import org.junit.jupiter.api.Test;

/** Each rule, with the dictionary of the harbour. */
class MessageValidatorTest {
  private static final Dictionary HARBOUR = DictionaryTest.harbour();
  private static final String VALID = "valid";
  private static final String HEADER = TestMessages.header("UB");
  private static final String VOYAGE = "20000=V1|20001=" + TIME + "|";
  private static final String SHIP = "20010=1|20011=ANNA|";

  /** What the validator says: the reason and the tag. */
  private static String verdict(MessageValidator validator, String fields) {
    int reason = validator.validate(TestMessages.message("FIX.4.4", fields, HARBOUR.dataFields()));
    return switch (reason) {
      case MessageValidator.VALID -> VALID;
      case MessageValidator.UNSUPPORTED_MSG_TYPE -> "unsupported";
      default -> reason + " for " + validator.failingTag();
    };
  }

  private static String verdict(String fields) {
    return verdict(ValidationSettings.defaults(), fields);
  }

  private static String verdict(ValidationSettings settings, String fields) {
    return verdict(new MessageValidator(HARBOUR, settings), fields);
  }

  private static String problem(int reason, int tag) {
    return reason + " for " + tag;
  }

  @Test
  void takesMessagesOfTheDictionary() {
    assertThat(verdict(HEADER + VOYAGE + SHIP)).isEqualTo(VALID);
    assertThat(verdict(TestMessages.header("0"))).isEqualTo(VALID);
    assertThat(verdict(TestMessages.header("A") + "98=0|108=30|141=Y|")).isEqualTo(VALID);
    assertThat(verdict(HEADER + "20003=TUG W|" + SHIP + "20002=R|" + VOYAGE)).as("any order").isEqualTo(VALID);
    assertThat(verdict("35=UB|56=PORT|52=" + TIME + "|34=2|627=1|628=HUB|629=" + TIME + "|49=SHIP|" + VOYAGE + SHIP))
        .isEqualTo(VALID);
    assertThat(verdict(HEADER + VOYAGE + "20010=2|20011=ANNA|20020=2|20021=1|20022=5|20030=2|20031=s1|20031=s2|"
        + "20032=20240229|20021=2|20022=7|20013=DE|20011=BELLA|20012=4.5|20050=5|20051=a\u0001b=c|")).isEqualTo(VALID);
  }

  @Test
  void refusesMsgTypesThatNobodyKnows() {
    assertThat(verdict(TestMessages.header("*"))).isEqualTo(problem(RejectReason.INVALID_MSG_TYPE, 35));
    assertThat(verdict(TestMessages.header("D"))).isEqualTo(problem(RejectReason.INVALID_MSG_TYPE, 35));
    assertThat(verdict(TestMessages.header("LONGER"))).isEqualTo(problem(RejectReason.INVALID_MSG_TYPE, 35));
    assertThat(verdict(TestMessages.header(""))).isEqualTo(problem(RejectReason.TAG_WITHOUT_VALUE, 35));
    assertThat(verdict("35=*|")).as("before missing fields").isEqualTo(problem(RejectReason.INVALID_MSG_TYPE, 35));
  }

  @Test
  void tellsMsgTypesThatAreKnownButUnsupported() {
    assertThat(verdict(TestMessages.header("B"))).as("MsgType(35) lists it").isEqualTo("unsupported");
    assertThat(verdict(TestMessages.header("UX"))).as("user-defined").isEqualTo("unsupported");
    MessageValidator validator = new MessageValidator(HARBOUR, ValidationSettings.defaults());
    verdict(validator, TestMessages.header("*"));
    verdict(validator, TestMessages.header("B"));
    assertThat(validator.failingTag()).isEqualTo(MessageValidator.NO_TAG);
  }

  @Test
  void refusesTagsThatNoDictionaryHas() {
    for (int tag : new int[] {999, 4_999, 5_000, 30_000, 0, -1}) {
      assertThat(verdict(HEADER + VOYAGE + SHIP + tag + "=x|")).as("tag %d", tag)
          .isEqualTo(problem(RejectReason.INVALID_TAG_NUMBER, tag));
      assertThat(verdict(TestMessages.header("0") + tag + "=x|")).as("tag %d", tag)
          .isEqualTo(problem(RejectReason.INVALID_TAG_NUMBER, tag));
    }
  }

  @Test
  void refusesTagsOfOtherMessages() {
    assertThat(verdict(TestMessages.header("0") + "58=hello|"))
        .isEqualTo(problem(RejectReason.TAG_NOT_DEFINED_FOR_MESSAGE_TYPE, 58));
    assertThat(verdict(HEADER + VOYAGE + SHIP + "20004=NORTH|"))
        .isEqualTo(problem(RejectReason.TAG_NOT_DEFINED_FOR_MESSAGE_TYPE, 20_004));
    assertThat(verdict(TestMessages.header("UO") + "20000=V|20004=EAST|20011=ANNA|"))
        .as("a member outside of its group").isEqualTo(problem(RejectReason.TAG_NOT_DEFINED_FOR_MESSAGE_TYPE, 20_011));
  }

  @Test
  void takesUnknownFieldsWhereAllowed() {
    ValidationSettings unknown = ValidationSettings.builder().allowUnknownMessageFields(true).build();
    ValidationSettings userDefined = ValidationSettings.builder().checkUserDefinedFields(false).build();
    String known = HEADER + VOYAGE + SHIP;
    assertThat(verdict(unknown, known + "58=x|999=y|")).isEqualTo(VALID);
    assertThat(verdict(unknown, known + "5000=x|")).isEqualTo(problem(RejectReason.INVALID_TAG_NUMBER, 5_000));
    assertThat(verdict(userDefined, known + "5000=x|20004=EAST|")).isEqualTo(VALID);
    assertThat(verdict(userDefined, known + "999=x|")).isEqualTo(problem(RejectReason.INVALID_TAG_NUMBER, 999));
    assertThat(verdict(unknown, known + "0=x|")).isEqualTo(problem(RejectReason.INVALID_TAG_NUMBER, 0));
    assertThat(verdict(userDefined, known + "5000=|")).isEqualTo(problem(RejectReason.TAG_WITHOUT_VALUE, 5_000));
    assertThat(verdict(unknown, known + "45=x|")).as("the value of a known field")
        .isEqualTo(problem(RejectReason.INCORRECT_DATA_FORMAT, 45));
    assertThat(verdict(unknown, HEADER + VOYAGE + "999=x|58=y|999=z|" + SHIP))
        .isEqualTo(problem(RejectReason.TAG_APPEARS_MORE_THAN_ONCE, 999));
  }

  @Test
  void takesUnknownFieldsWithinEntries() {
    ValidationSettings userDefined = ValidationSettings.builder().checkUserDefinedFields(false).build();
    String ships = "20010=2|20011=ANNA|5001=x|"
        + "20020=2|20021=1|5002=y|20022=7|5002=z|20021=2|20022=8|5001=x|20011=BELLA|";
    assertThat(verdict(userDefined, HEADER + VOYAGE + ships)).isEqualTo(VALID);
    assertThat(verdict(HEADER + VOYAGE + ships)).isEqualTo(problem(RejectReason.INVALID_TAG_NUMBER, 5_001));
    assertThat(verdict(HEADER + VOYAGE + "20010=1|20011=ANNA|20004=NORTH|"))
        .isEqualTo(problem(RejectReason.TAG_NOT_DEFINED_FOR_MESSAGE_TYPE, 20_004));
    assertThat(verdict(userDefined, HEADER + VOYAGE + "20010=1|20011=ANNA|5001=|"))
        .isEqualTo(problem(RejectReason.TAG_WITHOUT_VALUE, 5_001));
    assertThat(verdict(userDefined, HEADER + VOYAGE + "20010=0|5001=x|")).as("no entry that it could stand in")
        .isEqualTo(VALID);
    assertThat(verdict(userDefined, HEADER + VOYAGE + "20010=1|5001=x|20011=ANNA|")).as("before the first entry")
        .isEqualTo(problem(RejectReason.GROUP_OUT_OF_ORDER, 5_001));
    assertThat(verdict(HEADER + VOYAGE + "20010=1|5001=x|20011=ANNA|"))
        .isEqualTo(problem(RejectReason.INVALID_TAG_NUMBER, 5_001));
  }

  @Test
  void refusesEmptyValues() {
    assertThat(verdict("35=UB|34=2|49=|52=" + TIME + "|56=PORT|" + VOYAGE + SHIP))
        .isEqualTo(problem(RejectReason.TAG_WITHOUT_VALUE, 49));
    assertThat(verdict(HEADER + "20000=|20001=" + TIME + "|" + SHIP))
        .isEqualTo(problem(RejectReason.TAG_WITHOUT_VALUE, 20_000));
    assertThat(verdict(HEADER + VOYAGE + "20010=1|20011=|"))
        .isEqualTo(problem(RejectReason.TAG_WITHOUT_VALUE, 20_011));
    ValidationSettings lenient = ValidationSettings.builder().checkFieldsHaveValues(false).build();
    assertThat(verdict(lenient, HEADER + "20000=|20001=|20002=|20003=|" + SHIP)).isEqualTo(VALID);
  }

  @Test
  void refusesValuesOfAnotherFormat() {
    assertThat(verdict(HEADER + "20000=V|20001=20240229|" + SHIP))
        .isEqualTo(problem(RejectReason.INCORRECT_DATA_FORMAT, 20_001));
    assertThat(verdict(HEADER + VOYAGE + "20010=1|20011=ANNA|20012=+4|"))
        .isEqualTo(problem(RejectReason.INCORRECT_DATA_FORMAT, 20_012));
    assertThat(verdict("35=0|34=two|49=SHIP|52=" + TIME + "|56=PORT|"))
        .isEqualTo(problem(RejectReason.INCORRECT_DATA_FORMAT, 34));
    assertThat(
        verdict(ValidationSettings.builder().checkDataFormats(false).build(), HEADER + "20000=V|20001=later|" + SHIP))
        .isEqualTo(VALID);
  }

  @Test
  void refusesValuesThatTheDictionaryDoesNotList() {
    assertThat(verdict(HEADER + VOYAGE + SHIP + "20002=3|"))
        .isEqualTo(problem(RejectReason.VALUE_IS_INCORRECT, 20_002));
    assertThat(verdict(HEADER + VOYAGE + SHIP + "20003=TUG BOAT|"))
        .isEqualTo(problem(RejectReason.VALUE_IS_INCORRECT, 20_003));
    assertThat(verdict(HEADER + VOYAGE + SHIP + "20002=12|")).as("the format comes first")
        .isEqualTo(problem(RejectReason.INCORRECT_DATA_FORMAT, 20_002));
    assertThat(verdict(TestMessages.header("UO") + "20000=V|20004=EAST|")).as("other values are allowed")
        .isEqualTo(VALID);
    assertThat(verdict(ValidationSettings.builder().allowUnknownEnumValues(true).build(),
        HEADER + VOYAGE + SHIP + "20002=3|20003=BOAT|")).isEqualTo(VALID);
  }

  @Test
  void refusesMissingFields() {
    assertThat(verdict("35=0|34=2|49=SHIP|52=" + TIME + "|")).isEqualTo(problem(RejectReason.REQUIRED_TAG_MISSING, 56));
    assertThat(verdict(HEADER + "20001=" + TIME + "|" + SHIP))
        .isEqualTo(problem(RejectReason.REQUIRED_TAG_MISSING, 20_000));
    assertThat(verdict(HEADER + VOYAGE)).as("a required group")
        .isEqualTo(problem(RejectReason.REQUIRED_TAG_MISSING, 20_010));
    assertThat(verdict(HEADER + VOYAGE + "20010=2|20011=ANNA|20020=1|20021=1|20011=BELLA|"))
        .as("in a nested entry").isEqualTo(problem(RejectReason.REQUIRED_TAG_MISSING, 20_022));
    assertThat(verdict(HEADER + VOYAGE + "20010=1|20011=ANNA|20020=1|20021=1|")).as("at the end")
        .isEqualTo(problem(RejectReason.REQUIRED_TAG_MISSING, 20_022));
    assertThat(verdict(ValidationSettings.builder().checkRequiredFields(false).build(), "35=UB|")).isEqualTo(VALID);
  }

  @Test
  void looksIntoOptionalGroupsUnlessToldOtherwise() {
    ValidationSettings likeQuickFix = ValidationSettings.builder().checkRequiredInOptionalGroups(false).build();
    String hold = HEADER + VOYAGE + "20010=1|20011=ANNA|20020=1|20021=1|";
    assertThat(verdict(hold)).isEqualTo(problem(RejectReason.REQUIRED_TAG_MISSING, 20_022));
    assertThat(verdict(likeQuickFix, hold)).isEqualTo(VALID);
  }

  @Test
  void refusesPartsOutOfOrder() {
    assertThat(verdict("35=UB|20000=V1|34=2|49=SHIP|52=" + TIME + "|56=PORT|20001=" + TIME + "|" + SHIP))
        .isEqualTo(problem(RejectReason.TAG_OUT_OF_ORDER, 34));
    assertThat(verdict(HEADER + VOYAGE + "20010=2|20011=ANNA|43=Y|20011=BELLA|")).as("within a group")
        .isEqualTo(problem(RejectReason.TAG_OUT_OF_ORDER, 43));
    assertThat(verdict(HEADER + VOYAGE + SHIP + "90=5|")).as("a header's field of another version")
        .isEqualTo(problem(RejectReason.TAG_OUT_OF_ORDER, 90));
    assertThat(verdict(HEADER + VOYAGE + "93=1|89=x|" + SHIP)).as("the body behind the trailer")
        .isEqualTo(problem(RejectReason.TAG_OUT_OF_ORDER, 20_010));

    ValidationSettings anyOrder = ValidationSettings.builder().checkFieldsOutOfOrder(false).build();
    assertThat(verdict(anyOrder, "35=UB|20000=V1|34=2|49=SHIP|52=" + TIME + "|56=PORT|20001=" + TIME + "|" + SHIP))
        .isEqualTo(VALID);
    assertThat(verdict(anyOrder, "35=UB|20000=V1|34=2|49=SHIP|52=" + TIME + "|20001=" + TIME + "|" + SHIP))
        .isEqualTo(problem(RejectReason.REQUIRED_TAG_MISSING, 56));
    assertThat(verdict(anyOrder, HEADER + VOYAGE + SHIP + "34=3|"))
        .isEqualTo(problem(RejectReason.TAG_APPEARS_MORE_THAN_ONCE, 34));
  }

  /** A group at the end of the header took the first field of the body for one of its entry. */
  @Test
  void bodiesFollowGroupsOfTheHeader() {
    assertThat(verdict(HEADER + "627=2|628=HUB|628=NODE|629=" + TIME + "|" + VOYAGE + SHIP)).isEqualTo(VALID);
    assertThat(verdict(HEADER + "627=1|628=HUB|999=x|" + VOYAGE + SHIP))
        .isEqualTo(problem(RejectReason.INVALID_TAG_NUMBER, 999));
    assertThat(verdict(HEADER + "627=1|" + VOYAGE + SHIP))
        .isEqualTo(problem(RejectReason.INCORRECT_NUM_IN_GROUP, 627));
    assertThat(verdict(HEADER + "628=HUB|" + VOYAGE + SHIP)).as("without its group")
        .isEqualTo(problem(RejectReason.TAG_NOT_DEFINED_FOR_MESSAGE_TYPE, 628));
  }

  @Test
  void refusesRepeatedTags() {
    assertThat(verdict(HEADER + VOYAGE + SHIP + "20000=V2|"))
        .isEqualTo(problem(RejectReason.TAG_APPEARS_MORE_THAN_ONCE, 20_000));
    assertThat(verdict(HEADER + VOYAGE + "20010=1|20011=ANNA|20010=1|20011=BELLA|")).as("a group twice")
        .isEqualTo(problem(RejectReason.TAG_APPEARS_MORE_THAN_ONCE, 20_010));
    assertThat(verdict("35=0|34=2|49=SHIP|34=2|52=" + TIME + "|56=PORT|"))
        .isEqualTo(problem(RejectReason.TAG_APPEARS_MORE_THAN_ONCE, 34));
    assertThat(verdict(HEADER + VOYAGE + SHIP + "34=2|")).as("of the header, in the body")
        .isEqualTo(problem(RejectReason.TAG_APPEARS_MORE_THAN_ONCE, 34));
    assertThat(verdict(HEADER + VOYAGE + "999=x|999=x|" + SHIP)).as("before the unknown tag")
        .isEqualTo(problem(RejectReason.TAG_APPEARS_MORE_THAN_ONCE, 999));
    assertThat(
        verdict(ValidationSettings.builder().checkRepeatedTags(false).build(), HEADER + VOYAGE + SHIP + "20000=V2|"))
        .isEqualTo(VALID);
  }

  @Test
  void refusesWrongCountsOfEntries() {
    for (String count : new String[] {"0", "1", "3", "-2", "999999999999999999"}) {
      assertThat(verdict(HEADER + VOYAGE + "20010=" + count + "|20011=ANNA|20011=BELLA|"))
          .isEqualTo(problem(RejectReason.INCORRECT_NUM_IN_GROUP, 20_010));
    }
    assertThat(verdict(HEADER + VOYAGE + "20010=1|20011=ANNA|20020=2|20021=1|20022=1|"))
        .isEqualTo(problem(RejectReason.INCORRECT_NUM_IN_GROUP, 20_020));
    assertThat(verdict(HEADER + "20010=1|" + VOYAGE)).as("without an entry")
        .isEqualTo(problem(RejectReason.INCORRECT_NUM_IN_GROUP, 20_010));
    assertThat(verdict(HEADER + VOYAGE + "20010=many|20011=ANNA|"))
        .isEqualTo(problem(RejectReason.INCORRECT_DATA_FORMAT, 20_010));
    assertThat(verdict(ValidationSettings.builder().checkGroupCounts(false).build(),
        HEADER + VOYAGE + "20010=7|20011=ANNA|")).isEqualTo(VALID);
  }

  @Test
  void takesGroupsOfNoEntries() {
    assertThat(verdict(HEADER + "20010=0|" + VOYAGE)).isEqualTo(VALID);
    assertThat(verdict(HEADER + VOYAGE + "20010=1|20011=ANNA|20020=0|20013=DE|")).isEqualTo(VALID);
  }

  @Test
  void refusesEntriesWithoutTheirFirstField() {
    assertThat(verdict(HEADER + VOYAGE + "20010=1|20012=4|20011=ANNA|"))
        .isEqualTo(problem(RejectReason.GROUP_OUT_OF_ORDER, 20_012));
    assertThat(verdict(HEADER + VOYAGE + "20010=1|20020=1|20021=1|20022=5|")).as("a nested group is no first field")
        .isEqualTo(problem(RejectReason.GROUP_OUT_OF_ORDER, 20_020));
    assertThat(verdict(HEADER + VOYAGE + "20010=0|20012=4|")).as("of no entry")
        .isEqualTo(problem(RejectReason.GROUP_OUT_OF_ORDER, 20_012));
  }

  @Test
  void refusesEntriesOutOfOrder() {
    assertThat(verdict(HEADER + VOYAGE + "20010=1|20011=ANNA|20013=DE|20012=4|"))
        .isEqualTo(problem(RejectReason.GROUP_OUT_OF_ORDER, 20_012));
    assertThat(verdict(HEADER + VOYAGE + "20010=1|20011=ANNA|20012=4|20012=4|")).as("twice")
        .isEqualTo(problem(RejectReason.GROUP_OUT_OF_ORDER, 20_012));
    assertThat(verdict(HEADER + VOYAGE + "20010=1|20011=ANNA|20013=DE|20020=1|20021=1|20022=5|"))
        .as("a nested group behind its place").isEqualTo(problem(RejectReason.GROUP_OUT_OF_ORDER, 20_020));
    assertThat(verdict(HEADER + VOYAGE + "20010=1|20011=ANNA|20020=1|20021=1|20030=1|20031=s|20032=20240229|20022=5|"))
        .as("in a nested entry").isEqualTo(problem(RejectReason.GROUP_OUT_OF_ORDER, 20_022));
  }

  @Test
  void takesEntriesOfAnyOrderWhereAllowed() {
    ValidationSettings unordered = ValidationSettings.builder().checkUnorderedGroupFields(false).build();
    assertThat(verdict(unordered, HEADER + VOYAGE + "20010=2|20011=ANNA|20013=DE|20012=4|20011=BELLA|"))
        .isEqualTo(VALID);
    assertThat(verdict(unordered, HEADER + VOYAGE + "20010=1|20012=4|20011=ANNA|"))
        .as("the first field stays the first")
        .isEqualTo(problem(RejectReason.GROUP_OUT_OF_ORDER, 20_012));
    assertThat(verdict(unordered, HEADER + VOYAGE + "20010=1|20011=ANNA|20012=4|20013=DE|20012=4|"))
        .isEqualTo(problem(RejectReason.TAG_APPEARS_MORE_THAN_ONCE, 20_012));

    ValidationSettings first = ValidationSettings.builder().checkUnorderedGroupFields(false)
        .firstFieldInGroupIsDelimiter(true).build();
    assertThat(verdict(first, HEADER + VOYAGE + "20010=2|20012=4|20011=ANNA|20012=5|20011=BELLA|")).isEqualTo(VALID);
    assertThatThrownBy(() -> ValidationSettings.builder().firstFieldInGroupIsDelimiter(true).build())
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("checkUnorderedGroupFields");
  }

  @Test
  void reportsTheProblemOfTheHighestRank() {
    String structure = "20010=1|20012=4|";
    String value = "20002=3|";
    assertThat(verdict(HEADER + value + structure)).as("structure before missing fields and values")
        .isEqualTo(problem(RejectReason.GROUP_OUT_OF_ORDER, 20_012));
    assertThat(verdict(HEADER + value + SHIP)).as("missing fields before values")
        .isEqualTo(problem(RejectReason.REQUIRED_TAG_MISSING, 20_000));
    assertThat(verdict("35=UB|34=2|49=SHIP|52=" + TIME + "|" + SHIP)).as("the header before the body")
        .isEqualTo(problem(RejectReason.REQUIRED_TAG_MISSING, 56));
    assertThat(verdict("35=UB|34=2|49=SHIP|52=now|56=PORT|" + VOYAGE + value + SHIP)).as("the header's values first")
        .isEqualTo(problem(RejectReason.INCORRECT_DATA_FORMAT, 52));
    assertThat(verdict(HEADER + VOYAGE + "20010=1|20011=ANNA|20012=x|" + value)).as("the body's before an entry's")
        .isEqualTo(problem(RejectReason.VALUE_IS_INCORRECT, 20_002));
  }

  @Test
  void forgetsTheLastMessage() {
    MessageValidator validator = new MessageValidator(HARBOUR, ValidationSettings.defaults());
    for (int round = 0; round < 3; round++) {
      assertThat(verdict(validator, HEADER + VOYAGE + "20010=1|20011=ANNA|20012=x|"))
          .isEqualTo(problem(RejectReason.INCORRECT_DATA_FORMAT, 20_012));
      assertThat(verdict(validator, HEADER + VOYAGE + SHIP)).isEqualTo(VALID);
      assertThat(validator.failingTag()).isEqualTo(MessageValidator.NO_TAG);
      assertThat(verdict(validator, HEADER + VOYAGE + "20010=1|20012=x|"))
          .isEqualTo(problem(RejectReason.GROUP_OUT_OF_ORDER, 20_012));
      assertThat(verdict(validator, TestMessages.header("0"))).isEqualTo(VALID);
    }
  }

  @Test
  void needsADictionaryWithAHeader() {
    Dictionary application = Dictionary.loadResource("FIX50.xml");
    assertThatThrownBy(() -> new MessageValidator(application, ValidationSettings.defaults()))
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("has no header");
  }
}
