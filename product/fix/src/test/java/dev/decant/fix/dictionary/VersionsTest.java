package dev.decant.fix.dictionary;

import static dev.decant.fix.dictionary.TestMessages.TIME;
import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.message.DataFields;
import dev.decant.fix.message.RejectReason;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The rules of the FIX session tests 2q, 14a to 14j, 15 and 21, with the dictionary of each version. */
class VersionsTest {
  private static final int NO_TAG = MessageValidator.NO_TAG;
  private static final int VALID = MessageValidator.VALID;

  /** A version: what its orders must have beyond the fields of all versions, and its validator. */
  record Version(String name, String beginString, String orderFields, MessageValidator validator,
      DataFields dataFields) {
    static Version of(String name, String beginString, String orderFields) {
      Dictionary dictionary = Dictionary.loadResource(name + ".xml");
      return new Version(name, beginString, orderFields,
          new MessageValidator(dictionary, ValidationSettings.defaults()), dictionary.dataFields());
    }

    static Version ofTransport(String name) {
      Dictionary application = Dictionary.loadResource(name + ".xml");
      return new Version(name, "FIXT.1.1", "60=" + TIME + "|",
          new MessageValidator(Dictionary.loadResource("FIXT11.xml"), application, ValidationSettings.defaults()),
          application.dataFields());
    }

    boolean isTransported() {
      return beginString.equals("FIXT.1.1");
    }

    void expect(String fields, int reason, int tag) {
      int result = validator.validate(TestMessages.message(beginString, fields, dataFields));
      assertThat(result).as("%s %s, tag %d", name, fields, validator.failingTag()).isEqualTo(reason);
      assertThat(validator.failingTag()).as("%s %s", name, fields).isEqualTo(tag);
    }

    String order(String fields) {
      return TestMessages.header("D") + fields + orderFields;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Version> versions() {
    return Stream.of(Version.of("FIX40", "FIX.4.0", "38=10|"), Version.of("FIX41", "FIX.4.1", ""),
        Version.of("FIX42", "FIX.4.2", "60=" + TIME + "|"), Version.of("FIX43", "FIX.4.3", "60=" + TIME + "|"),
        Version.of("FIX44", "FIX.4.4", "60=" + TIME + "|"), Version.ofTransport("FIX50"),
        Version.ofTransport("FIX50SP1"), Version.ofTransport("FIX50SP2"), Version.ofTransport("FIXLatest"));
  }

  static Stream<Arguments> versionsWithGroups() {
    return versions().filter(version -> !version.name.equals("FIX40") && !version.name.equals("FIX41"))
        .map(Arguments::of);
  }

  private static final String ORDER = "11=o1|21=1|40=1|54=1|55=FIXX|";

  @ParameterizedTest
  @MethodSource("versions")
  void ordersAreTakenInAnyOrderOfFields(Version version) {
    version.expect(version.order(ORDER), VALID, NO_TAG);
    version.expect(version.order("55=FIXX|54=1|40=1|21=1|11=o1|"), VALID, NO_TAG);
    version.expect("35=D|56=PORT|52=" + TIME + "|49=SHIP|34=2|" + ORDER + version.orderFields, VALID, NO_TAG);
  }

  @ParameterizedTest
  @MethodSource("versions")
  void sessionMessagesAreTaken(Version version) {
    String transported = version.isTransported() ? "1137=9|" : "";
    version.expect(TestMessages.header("A") + "98=0|108=30|" + transported, VALID, NO_TAG);
    version.expect(TestMessages.header("0"), VALID, NO_TAG);
    version.expect(TestMessages.header("1") + "112=are you there|", VALID, NO_TAG);
    version.expect(TestMessages.header("2") + "7=1|16=0|", VALID, NO_TAG);
    version.expect(TestMessages.header("4") + "123=Y|36=9|", VALID, NO_TAG);
    version.expect(TestMessages.header("5"), VALID, NO_TAG);
    version.expect(TestMessages.header("3") + "45=1|58=no|", VALID, NO_TAG);
  }

  @ParameterizedTest
  @MethodSource("versions")
  void msgTypesMustBeKnown(Version version) {
    version.expect(TestMessages.header("%"), RejectReason.INVALID_MSG_TYPE, 35);
    version.expect(TestMessages.header("U9"), MessageValidator.UNSUPPORTED_MSG_TYPE, NO_TAG);
    if (version.name.startsWith("FIX5") || version.name.equals("FIX44")) {
      // XMLnonFIX: MsgType(35) lists it, and the dictionaries do not define it
      version.expect(TestMessages.header("n"), MessageValidator.UNSUPPORTED_MSG_TYPE, NO_TAG);
    }
  }

  @ParameterizedTest
  @MethodSource("versions")
  void tagsMustBeKnown(Version version) {
    for (int tag : new int[] {4_321, 5_999, 0, -7}) {
      version.expect(TestMessages.header("0") + tag + "=x|", RejectReason.INVALID_TAG_NUMBER, tag);
      version.expect(version.order(ORDER + tag + "=x|"), RejectReason.INVALID_TAG_NUMBER, tag);
    }
  }

  @ParameterizedTest
  @MethodSource("versions")
  void tagsMustBelongToTheMessage(Version version) {
    version.expect(TestMessages.header("0") + "58=x|", RejectReason.TAG_NOT_DEFINED_FOR_MESSAGE_TYPE, 58);
    // the transport does not know Symbol(55) at all
    version.expect(TestMessages.header("0") + "55=x|", version.isTransported()
        ? RejectReason.INVALID_TAG_NUMBER
        : RejectReason.TAG_NOT_DEFINED_FOR_MESSAGE_TYPE, 55);
    version.expect(version.order(ORDER + "45=1|"), RejectReason.TAG_NOT_DEFINED_FOR_MESSAGE_TYPE, 45);
  }

  @ParameterizedTest
  @MethodSource("versions")
  void requiredFieldsMustBeThere(Version version) {
    version.expect("35=0|34=2|49=SHIP|52=" + TIME + "|", RejectReason.REQUIRED_TAG_MISSING, 56);
    version.expect("35=D|34=2|49=SHIP|52=" + TIME + "|" + ORDER + version.orderFields,
        RejectReason.REQUIRED_TAG_MISSING, 56);
    version.expect(version.order("11=o1|21=1|40=1|55=FIXX|"), RejectReason.REQUIRED_TAG_MISSING, 54);
    version.expect(TestMessages.header("1"), RejectReason.REQUIRED_TAG_MISSING, 112);
  }

  @ParameterizedTest
  @MethodSource("versions")
  void valuesMustBeThereAndRight(Version version) {
    version.expect(version.order("11=|21=1|40=1|54=1|55=FIXX|"), RejectReason.TAG_WITHOUT_VALUE, 11);
    version.expect("35=0|34=2|49=SHIP|52=" + TIME + "|56=|", RejectReason.TAG_WITHOUT_VALUE, 56);
    version.expect(version.order("11=o1|21=1|40=1|54=x|55=FIXX|"), RejectReason.VALUE_IS_INCORRECT, 54);
    version.expect(version.order(ORDER + "44=+10|"), RejectReason.INCORRECT_DATA_FORMAT, 44);
    version.expect(version.order(ORDER + "126=20240229|"), RejectReason.INCORRECT_DATA_FORMAT, 126);
    version.expect("35=0|34=2.0|49=SHIP|52=" + TIME + "|56=PORT|", RejectReason.INCORRECT_DATA_FORMAT, 34);
  }

  @ParameterizedTest
  @MethodSource("versions")
  void charactersAreTextsInTheOldestVersions(Version version) {
    boolean isOldest = version.name.equals("FIX40") || version.name.equals("FIX41");
    // a value of two characters is no value of the list, where the format is right
    version.expect(version.order("11=o1|21=1|40=1|54=12|55=FIXX|"),
        isOldest ? RejectReason.VALUE_IS_INCORRECT : RejectReason.INCORRECT_DATA_FORMAT, 54);
  }

  @ParameterizedTest
  @MethodSource("versions")
  void headerBodyAndTrailerMustFollowOneAnother(Version version) {
    version.expect("35=D|11=o1|34=2|49=SHIP|52=" + TIME + "|56=PORT|21=1|40=1|54=1|55=FIXX|" + version.orderFields,
        RejectReason.TAG_OUT_OF_ORDER, 34);
    version.expect("35=D|" + ORDER + version.orderFields + "34=2|49=SHIP|52=" + TIME + "|56=PORT|",
        RejectReason.TAG_OUT_OF_ORDER, 34);
    version.expect(version.order("93=3|89=a\u0001b|" + ORDER), RejectReason.TAG_OUT_OF_ORDER, 11);
  }

  @ParameterizedTest
  @MethodSource("versions")
  void tagsMustNotBeRepeated(Version version) {
    version.expect(version.order(ORDER + "40=2|"), RejectReason.TAG_APPEARS_MORE_THAN_ONCE, 40);
  }

  @ParameterizedTest
  @MethodSource("versions")
  void signaturesMayHoldTheDelimiter(Version version) {
    version.expect(version.order(ORDER) + "93=3|89=a\u0001b|", VALID, NO_TAG);
  }

  @ParameterizedTest
  @MethodSource("versionsWithGroups")
  void groupsMustHaveTheirCountAndOrder(Version version) {
    version.expect(version.order(ORDER + "78=2|79=a1|80=5|79=a2|80=6|"), VALID, NO_TAG);
    version.expect(version.order(ORDER + "386=2|336=1|336=2|"), VALID, NO_TAG);
    version.expect(version.order(ORDER + "386=0|"), VALID, NO_TAG);
    version.expect(version.order(ORDER + "386=3|336=1|336=2|"), RejectReason.INCORRECT_NUM_IN_GROUP, 386);
    version.expect(version.order(ORDER + "386=1|336=1|336=2|"), RejectReason.INCORRECT_NUM_IN_GROUP, 386);
    version.expect(version.order(ORDER + "78=1|80=5|79=a1|"), RejectReason.GROUP_OUT_OF_ORDER, 80);
    version.expect(version.order(ORDER + "78=1|79=a1|80=5|80=6|"), RejectReason.GROUP_OUT_OF_ORDER, 80);
  }
}
