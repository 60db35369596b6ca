package dev.decant.fix.dictionary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A strict loader reports each mistake in a dictionary by a line with the file, the line, the element and the remedy.
 */
@Timeout(60)
class DictionaryErrorsTest {
  private static final String FIELDS = "<fields><field name='A' number='1' type='INT'/>"
      + "<field name='B' number='2' type='STRING'/><field name='NoX' number='3' type='NUMINGROUP'/></fields>";

  private static String errorOf(String xml) {
    DictionaryException e = catchThrowableOfType(DictionaryException.class,
        () -> DictionaryTest.load(DictionaryLoader.strict(), xml));
    String message = e == null ? "no error" : String.valueOf(e.getMessage());
    assertThat(message).as(xml.substring(0, Math.min(xml.length(), 500))).startsWith("test.xml");
    assertThat(message.lines().count()).isLessThan(110);
    return message;
  }

  private static String errorOf(String fields, String message, String components) {
    return errorOf("<fix major='4' minor='4'>\n" + fields + "\n<components>" + components
        + "</components>\n<messages>\n" + message + "</messages></fix>");
  }

  private static String errorInMessage(String members) {
    return errorOf(FIELDS, "<message name='M' msgtype='m'>" + members + "</message>", "");
  }

  private static String errorInFields(String fields) {
    return errorOf("<fields>" + fields + "</fields>", "<message name='M' msgtype='m'/>", "");
  }

  @Test
  void namesFileLineElementAndRemedy() {
    assertThat(errorInMessage("<field name='C' required='Y'/>")).isEqualTo(
        "test.xml, line 5, <field name='C'>: the field is not in <fields>; add it there or correct the name");
  }

  @Test
  void refusesWhatIsNoDictionary() {
    assertThat(errorOf("<fixx/>")).contains("<fixx>", "begins with <fix>");
    assertThat(errorOf("<fix minor='4'/>")).contains("attribute 'major' is missing; add it");
    assertThat(errorOf("<fix major='4' minor='four'/>")).contains("minor is 'four'; make it a whole number");
    assertThat(errorOf("<fix major='4' minor='4'/>")).contains("there is no <fields>, or it is empty");
    assertThat(errorOf("<fix major='4' minor='4'>" + FIELDS + "</fix>")).contains("there is no <messages>");
    assertThat(errorOf("<fix major='4' minor='4'>" + FIELDS + "<header><field name='A' required='Y'/></header></fix>"))
        .contains("only one of <header> and <trailer>");
  }

  @Test
  void refusesXmlThatIsNotWellFormed() {
    assertThat(errorOf("")).contains("no well-formed XML");
    assertThat(errorOf("<fix major='4'>")).contains("line 1", "no well-formed XML");
    assertThat(errorOf("<fix major='4'>\n<fields></fix>")).contains("line 2", "no well-formed XML");
    assertThat(errorOf("<fix major='4'>&nothing;</fix>")).contains("test.xml");
  }

  @Test
  void refusesFieldsThatAreWrong() {
    assertThat(errorInFields("<field number='1' type='INT'/>")).contains("'name' is missing");
    assertThat(errorInFields("<field name='A' type='INT'/>")).contains("<field name='A'>", "'number' is missing");
    assertThat(errorInFields("<field name='A' number='1'/>")).contains("'type' is missing");
    assertThat(errorInFields("<field name='A' number='x' type='INT'/>")).contains("number is 'x'");
    assertThat(errorInFields("<field name='A' number='0' type='INT'/>")).contains("number is 0", "make it one from 1");
    assertThat(errorInFields("<field name='A' number='-5' type='INT'/>")).contains("number is '-5'");
    assertThat(errorInFields("<field name='A' number='1' type='WORD'/>"))
        .contains("type 'WORD' is unknown; use one of AMT, BOOLEAN");
    assertThat(errorInFields("<field name='A' number='1' type='INT'/><field name='A' number='2' type='INT'/>"))
        .contains("the name is given twice");
    assertThat(errorInFields("<field name='A' number='1' type='INT'/><field name='B' number='1' type='INT'/>"))
        .contains("<field name='B'>", "number 1 is that of field 'A' too");
    assertThat(errorInFields("<field name='A' number='1' type='INT'><value description='x'/></field>"))
        .contains("<value>", "'enum' is missing");
    assertThat(errorInFields("<field name='A' number='1' type='INT'><valeu enum='x'/></field>"))
        .contains("<valeu enum='x'>", "only <value> can stand here");
    assertThat(errorInFields("<feld name='A' number='1' type='INT'/>")).contains("only <field> can stand here");
  }

  @Test
  void refusesMessagesThatAreWrong() {
    assertThat(errorOf(FIELDS, "<message name='M'/>", "")).contains("'msgtype' is missing");
    assertThat(errorOf(FIELDS, "<message msgtype='m'/>", "")).contains("'name' is missing");
    assertThat(errorOf(FIELDS, "<message name='M' msgtype='LONGER'/>", "")).contains("msgtype is 'LONGER'");
    assertThat(errorOf(FIELDS, "<message name='M' msgtype='m'/><message name='O' msgtype='m'/>", ""))
        .contains("<message name='O'>", "msgtype 'm' is that of message 'M' too");
    assertThat(errorInMessage("<field required='Y'/>")).contains("'name' is missing");
    assertThat(errorInMessage("<field name='A' required='maybe'/>")).contains("required is 'maybe'; make it Y or N");
    assertThat(errorInMessage("<field name='A' required='Y'/><field name='A' required='N'/>"))
        .contains("<message name='M'>", "field 'A' is listed twice");
    assertThat(errorInMessage("<feild name='A' required='Y'/>")).contains("<feild name='A'>", "only <field>, <group>");
    assertThat(errorInMessage("<group name='NoX' required='Y'/>")).contains("<group name='NoX'>", "has no members");
    assertThat(errorInMessage("<component name='Z' required='Y'/>")).contains("component is not in <components>");
  }

  @Test
  void refusesComponentsThatAreWrong() {
    String use = "<message name='M' msgtype='m'><component name='P' required='Y'/></message>";
    assertThat(errorOf(FIELDS, use, "<component name='P'><component name='Q' required='N'/></component>"
        + "<component name='Q'><component name='P' required='N'/></component>"))
        .contains("<component name='P'>", "contains itself (P > Q > P)");
    assertThat(errorOf(FIELDS, use, "<component name='P'><group name='NoX' required='N'>"
        + "<component name='P' required='N'/></group></component>")).contains("contains itself (P > P)");
    assertThat(errorOf(FIELDS, use, "<component name='P'/><component name='P'/>")).contains("defined twice");
  }

  @Test
  void refusesDataFieldsWithoutALength() {
    String fields = "<fields><field name='Blob' number='10' type='DATA'/><field name='A' number='5' type='INT'/>"
        + "</fields>";
    assertThat(errorOf(fields, "<message name='M' msgtype='m'><field name='A' required='N'/>"
        + "<field name='Blob' required='N'/></message>", ""))
        .contains("DATA field 'Blob' has no LENGTH field", "add 'BlobLen' or make the type STRING");
  }

  @Test
  void refusesDepthWithoutOverflowOfTheStack() {
    StringBuilder deep = new StringBuilder("<fix major='4' minor='4'>");
    deep.append("<x>".repeat(100_000));
    assertThat(errorOf(deep.toString())).contains("nested deeper than 64");

    StringBuilder chain = new StringBuilder();
    for (int i = 0; i < 5_000; i++) {
      chain.append("<component name='C").append(i).append("'><component name='C").append(i + 1)
          .append("' required='N'/></component>");
    }
    assertThat(errorOf(FIELDS, "<message name='M' msgtype='m'><component name='C0' required='N'/></message>",
        chain.toString())).contains("components are nested deeper than 64");

    StringBuilder groups = new StringBuilder();
    StringBuilder fields = new StringBuilder("<fields><field name='A' number='1' type='INT'/>");
    for (int i = 0; i < 20; i++) {
      groups.append("<group name='N").append(i).append("' required='N'>");
      fields.append("<field name='N").append(i).append("' number='").append(10 + i).append("' type='INT'/>");
    }
    groups.append("<field name='A' required='N'/>").append("</group>".repeat(20));
    assertThat(errorOf(fields + "</fields>", "<message name='M' msgtype='m'>" + groups + "</message>", ""))
        .contains("groups are nested deeper than 16");
  }

  @Test
  void refusesDocumentTypesAndEntities(@TempDir Path folder) throws IOException {
    Path secret = Files.writeString(folder.resolve("secret.txt"), "not to be read");
    assertThat(errorOf("<!DOCTYPE fix><fix major='4'/>")).contains("document type declaration; remove it");
    assertThat(errorOf("<!DOCTYPE fix [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]>"
        + "<fix major='&b;'/>")).contains("test.xml").doesNotContain("aaaa");
    assertThat(errorOf("<!DOCTYPE fix [<!ENTITY s SYSTEM '" + secret.toUri() + "'>]><fix major='4'>&s;</fix>"))
        .contains("test.xml").doesNotContain("not to be read");
    assertThat(errorOf("<!DOCTYPE fix SYSTEM 'http://localhost:1/none.dtd'><fix major='4'/>"))
        .contains("document type declaration; remove it");
  }

  /** A file of 700 kB whose messages share one large component took all memory: each message has a table of its own. */
  @Test
  void refusesAComponentThatIsTooLargeForAllMessagesThatNameIt() {
    int many = 4_000;
    StringBuilder fields = new StringBuilder("<fields>");
    StringBuilder component = new StringBuilder("<component name='C'>");
    StringBuilder messages = new StringBuilder();
    for (int i = 0; i < many; i++) {
      fields.append("<field name='F").append(i).append("' number='").append(i + 5_000).append("' type='INT'/>");
      component.append("<field name='F").append(i).append("'/>");
      String type = String.valueOf(new char[] {'U', (char) ('A' + i / 400), (char) ('A' + i / 20 % 20),
          (char) ('A' + i % 20)});
      messages.append("<message name='M").append(i).append("' msgtype='").append(type)
          .append("'><component name='C'/></message>");
    }

    assertThat(errorOf(fields + "</fields>", messages.toString(), component + "</component>"))
        .contains("<message name='M", "have more than 1000000 members", "make components smaller");
  }

  @Test
  void refusesAFileWithoutEnd() {
    InputStream endless = new InputStream() {
      private final byte[] start = "<fix major='4'><!--".getBytes(StandardCharsets.UTF_8);
      private int at;

      @Override
      public int read() {
        return at < start.length ? start[at++] : ' ';
      }

      @Override
      public int read(byte[] target, int offset, int length) {
        for (int i = 0; i < length; i++) {
          target[offset + i] = (byte) read();
        }
        return length;
      }
    };
    assertThatThrownBy(() -> Dictionary.load(endless, "endless.xml")).isInstanceOf(DictionaryException.class)
        .hasMessageStartingWith("endless.xml").hasMessageContaining("larger than 64 MiB");
  }

  @Test
  void namesFilesThatCannotBeRead(@TempDir Path folder) {
    Path missing = folder.resolve("missing.xml");
    assertThatThrownBy(() -> Dictionary.load(missing)).isInstanceOf(DictionaryException.class)
        .hasMessageStartingWith(missing + ": the file cannot be read");
    assertThatThrownBy(() -> Dictionary.loadResource("missing.xml")).isInstanceOf(DictionaryException.class)
        .hasMessage("missing.xml: the class path has no such resource; correct the name");
    InputStream broken = new InputStream() {
      @Override
      public int read() throws IOException {
        throw new IOException("the disk is gone");
      }

      @Override
      public int read(byte[] target, int offset, int length) throws IOException {
        throw new IOException("the disk is gone");
      }
    };
    assertThatThrownBy(() -> Dictionary.load(broken, "broken.xml")).isInstanceOf(DictionaryException.class)
        .hasMessageStartingWith("broken.xml").hasMessageContaining("the disk is gone");
  }
}
