package dev.decant.fix.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Text that an operator types or pastes becomes one message, or one line with the fault. */
class HandWrittenMessageTest {
  private static final SessionSettings SETTINGS = SessionSettings.of(SessionId.of("FIX.4.4", "A", "B")).build();

  private static String body(String fields) {
    return new String(HandWrittenMessage.parse(fields, SETTINGS).body().array(), StandardCharsets.ISO_8859_1)
        .replace('\u0001', '|');
  }

  /** A line of a terminal or of a log ends with blanks, or with a line feed. */
  @ParameterizedTest
  @ValueSource(strings = {"35=D|11=A|55=X", "|35=D|11=A|55=X|", "35=D|11=A|55=X| ", "35=D | 11=A | 55=X |\n",
      "8=FIX.4.4|9=1|35=D|34=7|49=Q|52=20260101-00:00:00|56=R|11=A|55=X|10=001|\r\n"})
  void blanksAroundFieldsDoNotCount(String fields) {
    assertThat(body(fields)).isEqualTo("11=A|55=X|");
  }

  /** Two pasted lines became one message, of the type of the second. */
  @Test
  void twoMessagesAreRefused() {
    assertThatThrownBy(() -> body("35=D|11=A|55=X|35=F|41=A|11=B")).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("two MsgTypes, 'D' and 'F'");
  }

  @Test
  void emptyFieldBetweenOthersIsRefused() {
    assertThatThrownBy(() -> body("35=D||11=A")).hasMessageContaining("'' is no field");
  }
}
