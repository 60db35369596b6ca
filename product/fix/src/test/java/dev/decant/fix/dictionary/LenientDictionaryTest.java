package dev.decant.fix.dictionary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.RejectReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Dictionaries with mistakes that do not prevent their use load, and report the mistakes. */
@Timeout(60)
class LenientDictionaryTest {
  private static final String HEADER = "<header><field name='BeginString'/><field name='BodyLength'/>"
      + "<field name='MsgType'/></header><trailer><field name='CheckSum'/></trailer>";
  private static final String FIELDS = "<field name='BeginString' number='8' type='STRING'/>"
      + "<field name='BodyLength' number='9' type='INT'/><field name='MsgType' number='35' type='STRING'/>"
      + "<field name='CheckSum' number='10' type='STRING'/><field name='Berth' number='7001' type='INT'/>"
      + "<field name='Crew' number='7002' type='STRING'/><field name='NoCrew' number='7003' type='NUMINGROUP'/>";

  private static String file(String moreFields, String members, String components) {
    return "<fix major='4' minor='4'>" + HEADER + "<messages><message name='Dock' msgtype='UD'>" + members
        + "</message></messages><components>" + components + "</components><fields>" + FIELDS + moreFields
        + "</fields></fix>";
  }

  private static Dictionary load(String xml) throws IOException {
    assertThatThrownBy(() -> DictionaryTest.load(DictionaryLoader.strict(), xml))
        .isInstanceOf(DictionaryException.class);
    return DictionaryTest.load(DictionaryLoader.lenient(), xml);
  }

  private static int validate(Dictionary dictionary, String fields) {
    return new MessageValidator(dictionary, ValidationSettings.defaults())
        .validate(TestMessages.message("FIX.4.4", fields, dictionary.dataFields()));
  }

  @Test
  void aFieldThatIsListedTwiceHasItsFirstPlace() throws IOException {
    Dictionary dictionary = load(file("", "<field name='Berth' required='N'/><field name='Crew' required='N'/>"
        + "<component name='Where' required='Y'/>",
        "<component name='Where'><field name='Berth' required='Y'/>"
            + "</component>"));

    assertThat(dictionary.warnings()).singleElement().asString()
        .contains("<message name='Dock'>", "field 'Berth' is listed twice", "its first place counts");
    assertThat(validate(dictionary, "35=UD|7001=4|7002=ANNA|")).isEqualTo(MessageValidator.VALID);
    assertThat(validate(dictionary, "35=UD|7002=ANNA|")).as("it is required once")
        .isEqualTo(RejectReason.REQUIRED_TAG_MISSING);
    assertThat(validate(dictionary, "35=UD|7001=4|7001=4|")).isEqualTo(RejectReason.TAG_APPEARS_MORE_THAN_ONCE);
  }

  @Test
  void aCountThatIsAlsoListedAsAFieldLeadsItsGroup() throws IOException {
    Dictionary dictionary = load(file("", "<field name='NoCrew'/><group name='NoCrew'><field name='Crew'/></group>",
        ""));

    assertThat(validate(dictionary, "35=UD|7003=2|7002=ANNA|7002=BELLA|")).isEqualTo(MessageValidator.VALID);
  }

  @Test
  void aNumberWithTwoNamesHasTheFirstDefinition() throws IOException {
    Dictionary dictionary = load(file("<field name='Quay' number='7001' type='STRING'/>", "<field name='Quay'/>", ""));

    assertThat(dictionary.warnings()).singleElement().asString().contains("number 7001 is that of field 'Berth' too");
    assertThat(dictionary.fieldName(7_001)).isEqualTo("Berth");
    assertThat(validate(dictionary, "35=UD|7001=4|")).isEqualTo(MessageValidator.VALID);
    assertThat(validate(dictionary, "35=UD|7001=x|")).isEqualTo(RejectReason.INCORRECT_DATA_FORMAT);
  }

  @Test
  void aNameWithTwoNumbersStandsForTheFirst() throws IOException {
    Dictionary dictionary = load(file("<field name='Berth' number='7009' type='STRING'/>", "<field name='Berth'/>",
        ""));

    assertThat(dictionary.warnings()).singleElement().asString()
        .contains("the name is given twice", "it stands for field 7001");
    assertThat(dictionary.hasField(7_009)).isTrue();
    assertThat(validate(dictionary, "35=UD|7001=4|")).isEqualTo(MessageValidator.VALID);
  }

  @Test
  void blanksAroundATypeDoNotCount() throws IOException {
    Dictionary dictionary = load(file("<field name='Kind' number='7004' type=' CHAR'/>"
        + "<field name='Draught' number='7005' type='FLOAT '/>", "<field name='Kind'/><field name='Draught'/>", ""));

    assertThat(dictionary.warnings()).hasSize(2).allMatch(text -> text.contains("has blanks around it"));
    assertThat(validate(dictionary, "35=UD|7004=A|7005=4.5|")).isEqualTo(MessageValidator.VALID);
    assertThat(validate(dictionary, "35=UD|7004=AB|")).isEqualTo(RejectReason.INCORRECT_DATA_FORMAT);
    assertThat(validate(dictionary, "35=UD|7005=deep|")).isEqualTo(RejectReason.INCORRECT_DATA_FORMAT);
  }

  @Test
  void unknownTypesAreTexts() throws IOException {
    Dictionary dictionary = load(file("<field name='A' number='7004' type='LONG'/>"
        + "<field name='B' number='7005' type='STIRNG'/><field name='C' number='7006' type='KNOTS'/>"
        + "<field name='D' number='7007'/>", "<field name='A'/><field name='B'/><field name='C'/><field name='D'/>",
        ""));

    assertThat(dictionary.warnings()).hasSize(4);
    assertThat(dictionary.warnings().get(0)).contains("type 'LONG' is unknown; use INT", "it is taken for INT");
    assertThat(dictionary.warnings().get(1)).contains("use STRING");
    assertThat(dictionary.warnings().get(2)).contains("use one of AMT, BOOLEAN", "it is taken for STRING");
    assertThat(dictionary.warnings().get(3)).contains("'type' is missing");
    assertThat(validate(dictionary, "35=UD|7004=1|7005=x|7006=any|7007=any|")).isEqualTo(MessageValidator.VALID);
    assertThat(validate(dictionary, "35=UD|7004=x|")).isEqualTo(RejectReason.INCORRECT_DATA_FORMAT);
  }

  @Test
  void dataFieldsWithoutALengthNameTheStandardOne() throws IOException {
    Dictionary dictionary = load(file("<field name='RawData' number='96' type='DATA'/>"
        + "<field name='XmlData' number='213' type='DATA'/><field name='Cargo' number='7100' type='DATA'/>",
        "<field name='RawData'/><field name='XmlData'/><field name='Cargo'/>", ""));

    assertThat(dictionary.warnings()).hasSize(3);
    assertThat(dictionary.warnings().get(0)).contains("add 'RawDataLength(95)'", "the length is in field 95");
    assertThat(dictionary.warnings().get(1)).contains("add 'XmlDataLen(212)'");
    assertThat(dictionary.warnings().get(2)).contains("add 'CargoLen'", "cannot have the delimiter");
    assertThat(dictionary.dataFields().dataTag(95)).isEqualTo(96);
  }

  @Test
  void aDataFieldTakesTheStandardLengthFieldByItsNumber() throws IOException {
    Dictionary dictionary = DictionaryTest.load(DictionaryLoader.strict(), file(
        "<field name='Sign' number='89' type='DATA'/><field name='Size' number='93' type='INT'/>",
        "<field name='Size'/><field name='Sign'/>", ""));

    assertThat(dictionary.warnings()).isEmpty();
  }

  @Test
  void whatIsNotDefinedIsLeftOut() throws IOException {
    Dictionary dictionary = load(file("", "<field name='Berth'/><field name='Nowhere' required='Y'/>"
        + "<component name='Nothing' required='Y'/><filed name='Crew'/><group name='NoCrew'/>"
        + "<field name='Crew' required='perhaps'/>", ""));

    assertThat(dictionary.warnings()).hasSize(5).anyMatch(text -> text.contains("<field name='Nowhere'>"))
        .anyMatch(text -> text.contains("<component name='Nothing'>"))
        .anyMatch(text -> text.contains("<filed name='Crew'>")).anyMatch(text -> text.contains("group has no members"))
        .anyMatch(text -> text.contains("required is 'perhaps'"));
    assertThat(validate(dictionary, "35=UD|7001=4|7002=x|7003=0|")).isEqualTo(MessageValidator.VALID);
  }

  @Test
  void messagesOfLongTypesAreUnknown() throws IOException {
    Dictionary dictionary = load(file("", "", "").replace("msgtype='UD'/>", "msgtype='UD'/>").replace("</messages>",
        "<message name='Mayday' msgtype='U_MAYDAY'/><message name='Twin' msgtype='UD'/></messages>"));

    assertThat(dictionary.warnings()).hasSize(2).anyMatch(text -> text.contains("allowUnknownMessages"))
        .anyMatch(text -> text.contains("msgtype 'UD' is that of message 'Dock' too"));
    assertThat(dictionary.messageName(MsgType.key("UD"))).isEqualTo("Dock");
    ValidationSettings allowed = ValidationSettings.builder().allowUnknownMessages(true).build();
    assertThat(new MessageValidator(dictionary, allowed)
        .validate(TestMessages.message("FIX.4.4", "35=U_MAYDAY|7001=4|", dictionary.dataFields())))
        .isEqualTo(MessageValidator.VALID);
  }

  @Test
  void emptyValuesAndRangesAreNoList() throws IOException {
    Dictionary dictionary = load(file("<field name='Flag' number='7004' type='STRING'><value enum=''/>"
        + "<value enum='DE'/></field><field name='Knots' number='7005' type='INT'><value enum='1' range='lower'/>"
        + "<value enum='30' range='upper'/></field>", "<field name='Flag'/><field name='Knots'/>", ""));

    assertThat(validate(dictionary, "35=UD|7004=DE|7005=17|")).isEqualTo(MessageValidator.VALID);
    assertThat(validate(dictionary, "35=UD|7004=FR|")).isEqualTo(RejectReason.VALUE_IS_INCORRECT);
  }

  /** Fix8's schema of an exchange has a comment before the XML declaration. */
  @Test
  void commentsBeforeTheDeclarationArePassedOver() throws IOException {
    String declared = "<?xml version='1.0' encoding='ISO-8859-1'?>";
    Dictionary dictionary = load(" \n<!-- of the harbour -->\n" + declared + file("", "<field name='Berth'/>", ""));

    assertThat(dictionary.warnings()).singleElement().asString().startsWith("line 3, <fix>: blanks or a comment");
    assertThatThrownBy(() -> DictionaryTest.load("<fix/>" + declared)).isInstanceOf(DictionaryException.class)
        .hasMessageContaining("no well-formed XML");
  }

  @Test
  void anErrorListsAllThatIsWrong() {
    String xml = "<fix minor='x'>\n<fields>\n<field name='A' number='1' type='KNOTS'/>\n</fields></fix>";
    assertThatThrownBy(() -> DictionaryTest.load(DictionaryLoader.lenient(), xml))
        .isInstanceOfSatisfying(DictionaryException.class, e -> {
          assertThat(e.problems()).hasSize(4);
          assertThat(e.problems().subList(0, 3)).anyMatch(text -> text.contains("'major' is missing"))
              .anyMatch(text -> text.contains("minor is 'x'"))
              .anyMatch(text -> text.contains("there is no <messages>"));
          assertThat(e.problems().get(3)).startsWith("could be let pass: line 3, <field name='A'>");
          assertThat(e).hasMessageStartingWith("test.xml has 4 mistakes:\n  line 1, <fix>: ");
        });
  }

  @Test
  void listsOfMistakesAreBounded() throws IOException {
    StringBuilder members = new StringBuilder();
    for (int i = 0; i < 250; i++) {
      members.append("<field name='Nowhere").append(i).append("\u001b[31m").append("x".repeat(500)).append("'/>");
    }
    String xml = file("", members.toString().replace("\u001b", "\u00e9"), "");
    Dictionary dictionary = load(xml);

    assertThat(dictionary.warnings()).hasSize(101);
    assertThat(dictionary.warnings().get(100)).isEqualTo("and 150 more");
    assertThat(dictionary.warnings()).allMatch(text -> text.length() < 300 && text.chars().allMatch(c -> c < 0x7f));
    assertThatThrownBy(() -> DictionaryTest.load(DictionaryLoader.strict(), xml))
        .isInstanceOfSatisfying(DictionaryException.class, e -> assertThat(e.problems()).hasSize(101));
  }

  @Test
  void oneWarningListsAllThatWasLetPass() throws IOException {
    List<String> lines = new ArrayList<>();
    Handler handler = new Handler() {
      @Override
      public void publish(LogRecord entry) {
        lines.add(entry.getLevel() + " " + entry.getMessage());
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
    Logger logger = Logger.getLogger(Dictionary.class.getName());
    logger.addHandler(handler);
    logger.setUseParentHandlers(false);
    try {
      DictionaryTest.load(DictionaryLoader.lenient(), file("", "<field name='Berth'/>", ""));
      assertThat(lines).as("a file without mistakes").isEmpty();
      DictionaryTest.load(DictionaryLoader.lenient(), file("", "<field name='X'/><field name='Y'/>", ""));
      assertThat(lines).singleElement().asString().startsWith("WARNING dictionary test.xml has mistakes")
          .contains("<field name='X'>", "<field name='Y'>");
    } finally {
      logger.removeHandler(handler);
      logger.setUseParentHandlers(true);
    }
  }

  @Test
  void knowsTheNewerOfTwoDictionariesOfAFile(@TempDir Path folder) throws IOException {
    Path path = Files.writeString(folder.resolve("harbour.xml"), file("", "<field name='Berth'/>", ""));
    Dictionary first = Dictionary.load(path);
    Dictionary second = Dictionary.load(folder.resolve("x").resolveSibling("harbour.xml"));

    assertThat(second.file()).isEqualTo(path.toAbsolutePath().normalize());
    assertThat(second.isLaterLoadOf(first)).isTrue();
    assertThat(first.isLaterLoadOf(second)).isFalse();
    assertThat(DictionaryTest.harbour().isLaterLoadOf(first)).isFalse();
  }
}
