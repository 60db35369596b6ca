package dev.decant.fix.dictionary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fix.message.AsciiView;
import dev.decant.fix.message.GroupView;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DictionaryTest {
  @ParameterizedTest
  @CsvSource({"FIX40.xml, FIX.4.0, FIX.4.0", "FIX41.xml, FIX.4.1, FIX.4.1", "FIX42.xml, FIX.4.2, FIX.4.2",
      "FIX43.xml, FIX.4.3, FIX.4.3", "FIX44.xml, FIX.4.4, FIX.4.4", "FIX44.modified.xml, FIX.4.4, FIX.4.4",
      "FIX50.xml, FIX.5.0, FIX.5.0", "FIX50SP1.xml, FIX.5.0, FIX.5.0", "FIX50SP2.xml, FIX.5.0, FIX.5.0",
      "FIXLatest.xml, FIX.Latest, FIX.Latest", "FIXT11.xml, FIXT.1.1, FIXT.1.1"})
  void loadsEachDictionaryOfQuickFix(String resource, String beginString, String version) {
    Dictionary dictionary = Dictionary.loadResource(resource);

    assertThat(dictionary.beginString()).isEqualTo(beginString);
    assertThat(dictionary.version()).isEqualTo(version);
    assertThat(dictionary.fieldName(34)).isEqualTo("MsgSeqNum");
    assertThat(dictionary.hasMessage('D')).isEqualTo(!resource.equals("FIXT11.xml"));
    assertThat(dictionary).hasToString(version + " (" + resource + ")");
  }

  @Test
  void knowsNamesOfFieldsAndMessages() {
    Dictionary harbour = harbour();

    assertThat(harbour.fieldName(20_011)).isEqualTo("ShipName");
    assertThat(harbour.fieldName(999)).isEmpty();
    assertThat(harbour.fieldName(0)).isEmpty();
    assertThat(harbour.fieldName(-20_011)).isEmpty();
    assertThat(harbour.hasField(20_051)).isTrue();
    assertThat(harbour.hasField(20_052)).isFalse();
    assertThat(harbour.messageName(MsgType.key("UB"))).isEqualTo("BerthRequest");
    assertThat(harbour.messageName(MsgType.key("D"))).isEmpty();
    assertThat(harbour.hasMessage(MsgType.LOGON)).isTrue();
    assertThat(harbour.hasMessage(0)).isFalse();
  }

  @Test
  void loadsAFileAndAStreamThatStaysOpen(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("harbour.xml");
    try (InputStream in = resource()) {
      Files.copy(in, file);
    }
    assertThat(Dictionary.load(file).hasMessage(MsgType.key("UO"))).isTrue();

    try (InputStream in = Files.newInputStream(file)) {
      assertThat(Dictionary.load(in, "stream").version()).isEqualTo("FIX.4.4");
      assertThat(in.available()).isZero();
    }
  }

  @Test
  void countsServicePacksInTheVersion() throws IOException {
    Dictionary dictionary = load("<fix major='5' minor='0' servicepack='2'><fields><field name='A' number='1' "
        + "type='INT'/></fields><messages><message name='M' msgtype='m'/></messages></fix>");

    assertThat(dictionary.beginString()).isEqualTo("FIX.5.0");
    assertThat(dictionary.version()).isEqualTo("FIX.5.0SP2");
  }

  @Test
  void tellsDataFieldsOfItsOwnAndOfTheSpecification() {
    assertThat(harbour().dataFields().dataTag(20_050)).isEqualTo(20_051);
    assertThat(harbour().dataFields().dataTag(95)).isEqualTo(96);
    assertThat(Dictionary.loadResource("FIX40.xml").dataFields().dataTag(93)).isEqualTo(89);
    // the data field has a lower number than its length field
    assertThat(Dictionary.loadResource("FIXLatest.xml").dataFields().dataTag(43_109)).isEqualTo(42_684);
  }

  @Test
  void tellsMembersOfGroupsWithNestedGroups() {
    IntPredicate ships = harbour().groupMembers("UB", 20_010);
    assertThat(List.of(20_011, 20_013, 20_020, 20_022, 20_031)).allMatch(ships::test);
    assertThat(List.of(20_010, 20_000, 0, -1, 10, 34)).noneMatch(ships::test);

    IntPredicate seals = harbour().groupMembers("UB", 20_030);
    assertThat(seals.test(20_032)).isTrue();
    assertThat(seals.test(20_022)).isFalse();

    assertThat(harbour().groupMembers("UO", 627).test(628)).as("a group of the header").isTrue();
    assertThatThrownBy(() -> harbour().groupMembers("UO", 20_010)).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no group 20010 in message UO");
  }

  @Test
  void groupViewsEndWhereTheDictionarySays() {
    Dictionary harbour = harbour();
    MessageView message = TestMessages.message("FIX.4.4", TestMessages.header("UB")
        + "20010=2|20011=ANNA|20020=1|20021=1|20022=5|20011=BELLA|20000=v|20001=" + TestMessages.TIME + "|",
        harbour.dataFields());
    GroupView ships = message.group(20_010, new GroupView(harbour.groupMembers("UB", 20_010)));

    List<String> names = new ArrayList<>();
    while (ships.next()) {
      names.add(ships.text(20_011, new AsciiView()).toString());
      assertThat(ships.has(20_000)).isFalse();
    }
    assertThat(names).containsExactly("ANNA", "BELLA");
  }

  @Test
  void expandsComponentsOnceHoweverOftenTheyAreUsed() throws IOException {
    StringBuilder xml = new StringBuilder("<fix major='4' minor='4'><fields><field name='A' number='1' type='INT'/>");
    StringBuilder components = new StringBuilder();
    int levels = 15;
    for (int level = 0; level < levels; level++) {
      for (int group = 0; group < 20; group++) {
        xml.append("<field name='N").append(level).append('_').append(group).append("' number='")
            .append(100 + 20 * level + group).append("' type='INT'/>");
      }
    }
    for (int level = 0; level < levels; level++) {
      components.append("<component name='C").append(level).append("'>");
      for (int group = 0; group < 20; group++) {
        components.append("<group name='N").append(level).append('_').append(group).append("' required='N'>")
            .append(level == levels - 1
                ? "<field name='A' required='N'/>"
                : "<component name='C" + (level + 1) + "' required='N'/>")
            .append("</group>");
      }
      components.append("</component>");
    }
    xml.append("</fields><components>").append(components)
        .append("</components><messages><message name='M' msgtype='m'><component name='C0' required='N'/></message>"
            + "</messages></fix>");

    // 20 to the power of 15 groups, were each use a group of its own
    Dictionary dictionary = load(xml.toString());
    assertThat(dictionary.groupMembers("m", 100).test(100 + 20 * (levels - 1))).isTrue();
  }

  static Dictionary load(String xml) throws IOException {
    return load(DictionaryLoader.strict(), xml);
  }

  static Dictionary load(DictionaryLoader loader, String xml) throws IOException {
    try (InputStream in = new java.io.ByteArrayInputStream(xml.getBytes(java.nio.charset.StandardCharsets.UTF_8))) {
      return loader.load(in, "test.xml");
    }
  }

  static Dictionary harbour() {
    return Dictionary.loadResource("harbour.xml");
  }

  private static InputStream resource() {
    return Objects.requireNonNull(
        Thread.currentThread().getContextClassLoader().getResourceAsStream("harbour.xml"));
  }
}
