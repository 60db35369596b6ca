package dev.decant.fix.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fix.dictionary.Dictionary;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Settings with an unknown BeginString, or with a dictionary of another version, are refused. Once, such a session
 * could be opened, and its logons or messages were refused later for reasons that named neither.
 */
class BeginStringsTest {
  private static SessionSettingsBuilder of(String beginString) {
    return SessionSettings.of(SessionId.of(beginString, "BUYER", "VENUE"));
  }

  private static Dictionary dictionary(String type, int major, int minor) {
    String xml = "<fix type='" + type + "' major='" + major + "' minor='" + minor + "'><header><field name='MsgType'"
        + " required='Y'/></header><trailer><field name='CheckSum' required='Y'/></trailer><messages>"
        + "<message name='Heartbeat' msgtype='0' msgcat='admin'/></messages><components/><fields>"
        + "<field number='10' name='CheckSum' type='STRING'/><field number='35' name='MsgType' type='STRING'/>"
        + "</fields></fix>";
    return Dictionary.load(new ByteArrayInputStream(xml.getBytes(StandardCharsets.US_ASCII)), "of the test");
  }

  @ParameterizedTest
  @ValueSource(strings = {"FIX.4.0", "FIX.4.1", "FIX.4.2", "FIX.4.3", "FIX.4.4", "FIXT.1.1"})
  void versionsOfFixAreAccepted(String beginString) {
    assertThat(of(beginString).build().id().beginString()).isEqualTo(beginString);
  }

  @ParameterizedTest
  @CsvSource({"FIX4.4, write FIX.4.4", "fix.4.2, write FIX.4.2", "FIX44, write FIX.4.4", "FIXT11, write FIXT.1.1",
      "FIX.5.0, 'a session of FIX 5.0 and later has FIXT.1.1, and its version as defaultApplVerId'",
      "VENUE, 'give one of FIX.4.0, FIX.4.1, FIX.4.2, FIX.4.3, FIX.4.4, FIXT.1.1, or a dictionary whose BeginString is "
          + "this one'"})
  void otherBeginStringIsRefusedWithWhatToWrite(String beginString, String advice) {
    assertThatThrownBy(() -> of(beginString).build()).isInstanceOf(IllegalArgumentException.class)
        .hasMessage("beginString: " + beginString + " is no version of FIX; " + advice);
  }

  @Test
  void protocolOfOnesOwnHasADictionary() {
    assertThat(of("FIX.8.1").dictionary(dictionary("FIX", 8, 1)).build().dictionary()).isNotNull();
  }

  @Test
  void dictionaryOfAnotherVersionIsRefused() {
    Dictionary fix44 = dictionary("FIX", 4, 4);
    assertThatThrownBy(() -> of("FIX.4.2").dictionary(fix44).build()).isInstanceOf(IllegalArgumentException.class)
        .hasMessage("dictionary: FIX.4.4 (of the test) is of BeginString FIX.4.4, and the session of FIX.4.2;"
            + " give a dictionary of FIX.4.2");
    assertThatThrownBy(() -> of("FIXT.1.1").dictionary(dictionary("FIX", 5, 0)).build())
        .hasMessageEndingWith("give a dictionary of FIXT.1.1, and this one as applicationDictionary");
    Dictionary transport = dictionary("FIXT", 1, 1);
    assertThatThrownBy(() -> of("FIXT.1.1").dictionary(transport).applicationDictionary("9", transport).build())
        .hasMessageContaining("applicationDictionary: FIXT.1.1 (of the test), for ApplVerID 9, is of BeginString"
            + " FIXT.1.1; give the dictionary of the application's version");
    assertThat(of("FIXT.1.1").dictionary(transport).applicationDictionary("6", fix44).build().dictionary())
        .isSameAs(transport);
  }
}
