package dev.decant.fix.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The runner finds every deviation from a script. A runner that finds none would make all scripts pass. */
class ScriptRunnerTest {
  /** Sends what it was told to send, whatever it receives. */
  private static final class Parrot implements SessionUnderTest, SessionUnderTest.Link {
    final Deque<String> answers = new ArrayDeque<>();
    final List<String> received = new ArrayList<>();
    final List<byte[]> delivered = new ArrayList<>();
    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
    private long epochNanos = 1_773_480_413_000_000_000L;
    private boolean closed;

    /** The next answer: a whole message of these fields; "CLOSE"; or "APP" and a message for the application. */
    Parrot answer(String fields) {
      answers.add(fields);
      return this;
    }

    @Override
    public void receive(byte[] bytes) {
      received.add(Message.text(bytes));
      next();
    }

    private void next() {
      String answer = answers.poll();
      if (answer == null) {
        return;
      }
      if (answer.equals("CLOSE")) {
        closed = true;
      } else if (answer.startsWith("APP ")) {
        delivered.add(Message.bytes(answer.substring(4)));
      } else if (answer.startsWith("RAW ")) {
        sent.writeBytes(Message.bytes(answer.substring(4)));
      } else {
        String now = Message.timestamp(epochNanos);
        sent.writeBytes(Message.of("FIX.4.4",
            Message.readFields("49=SELLER|56=BUYER|" + answer.replace("NOW", now)).fields()));
      }
    }

    @Override
    public byte[] takeSent() {
      byte[] bytes = sent.toByteArray();
      sent.reset();
      return bytes;
    }

    @Override
    public boolean isClosed() {
      return closed;
    }

    @Override
    public void drop() {}

    @Override
    public Link connect() {
      return this;
    }

    @Override
    public void advance(Duration duration) {
      epochNanos += duration.toNanos();
      next();
    }

    @Override
    public long epochNanos() {
      return epochNanos;
    }

    @Override
    public boolean send(String msgType, byte[] body) {
      received.add("app " + msgType + ' ' + Message.text(body));
      return true;
    }

    @Override
    public List<byte[]> takeDelivered() {
      List<byte[]> taken = List.copyOf(delivered);
      delivered.clear();
      return taken;
    }

    @Override
    public void logout(String text) {}

    @Override
    public void resetNumbers() {}

    @Override
    public void resetWithoutLogout() {}

    @Override
    public String resetOutcome() {
      return "";
    }

    @Override
    public long nextOutbound() {
      return 3;
    }

    @Override
    public long nextInbound() {
      return 4;
    }

    @Override
    public void setNumbers(long outbound, long inbound) {}

    @Override
    public void doNotSupport(String msgType) {}

    @Override
    public void refuseLogons(String reason) {}

    @Override
    public void keepBack(int tag, String value) {}

    @Override
    public void storeRefuses(boolean value) {}
  }

  private static void run(Parrot parrot, String text) {
    Script script = ScriptParser.parse("test.fix", "@title a test\n@versions 4.4\nconnect\n" + text, Map.of());
    ScriptRunner.run(script, Version.FIX44, (version, initiator, settings) -> parrot);
  }

  private static Parrot parrot() {
    return new Parrot();
  }

  private static Parrot heartbeat() {
    return parrot().answer("35=0|34=1|52=NOW|112=HELLO|");
  }

  @Test
  void expectedMessagesPass() {
    assertThatCode(() -> run(heartbeat(), "> 35=1\n< 35=0|34=1|112=HELLO|-43")).doesNotThrowAnyException();
    assertThatCode(() -> run(heartbeat(), "> 35=1\n<! 35=0|112=*")).doesNotThrowAnyException();
    assertThatCode(() -> run(heartbeat(), "> 35=1\n<? 35=5\n<? 35=0")).doesNotThrowAnyException();
    assertThatCode(() -> run(heartbeat(), "> 35=1\n< 52=NOW")).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(strings = {
      "< 35=5", "< 35=0|112=OTHER", "< 35=0|58=*", "< 35=0|-112", "< 35=0|34=2", "<! 35=0", "< 35=0|52=NOW-1s",
      "< 35=0\n< 35=0", "closed", "> 35=0", "+1s", "raw x", "<? 35=5", "< 35=0\nclosed", "< 35=0\napp 35=D",
      "< 35=0\nnumbers out=3 in=3", "2: open", "< 35=0|112=HELLO|112=HELLO"})
  void differencesFail(String expectations) {
    assertThatThrownBy(() -> run(heartbeat(), "> 35=1\n" + expectations)).isInstanceOf(AssertionError.class)
        .hasMessageStartingWith("test.fix [4.4] ");
  }

  @Test
  void failuresNameTheLine() {
    assertThatThrownBy(() -> run(heartbeat(), "> 35=1\n\n< 35=5|58=x"))
        .hasMessageStartingWith("test.fix [4.4] line 6, < 35=5 58=x: not 35=5 in 8=FIX.4.4|");
    assertThatThrownBy(() -> run(heartbeat(), "> 35=1"))
        .hasMessageStartingWith("test.fix [4.4] at its end: the session has sent what was not expected: ");
  }

  @ParameterizedTest
  @ValueSource(strings = {
      "RAW 8=FIX.4.4|9=5|35=0|10=163", // no end
      "RAW 8=FIX.4.4|9=6|35=0|10=163|", // length
      "RAW 8=FIX.4.4|9=5|35=0|10=000|", // sum
      "RAW 9=5|8=FIX.4.4|35=0|10=163|", // order
      "35=0|34=1|52=NOW|49=OTHER|", // wrong end, as well as the right one
      "35=0|34=1|52=20260314|", "35=0|34=1|", "35=0|34=2|52=NOW|", "35=0|52=NOW|",
      "35=0|34=1|52=20260314-09:26:00|", "35=0|34=1|52=20260314-09:27:00|"})
  void messagesThatAreNotWholeFail(String answer) {
    assertThatThrownBy(() -> run(parrot().answer(answer), "> 35=1\n< 35=0|49=SELLER|-58\n"))
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void numbersFollowOneAnotherUnlessTheyAreNamed() {
    String[] answers = {"35=0|34=1|52=NOW|", "35=0|34=1|43=Y|52=NOW|", "35=0|34=2|52=NOW|", "35=A|34=1|52=NOW|",
        "35=0|34=2|52=NOW|"};
    Parrot parrot = parrot();
    List.of(answers).forEach(parrot::answer);

    assertThatCode(() -> run(parrot, "> 35=1\n< 35=0\n+1s\n< 35=0|43=Y\n+1s\n< 35=0\n+1s\n< 35=A|34=1\n+1s\n< 35=0"))
        .doesNotThrowAnyException();
  }

  @Test
  void messagesOfTheCounterpartyGetWhatTheyLack() {
    Parrot parrot = parrot();
    run(parrot, """
        > 35=1|112=A
        > 112=B|35=1|34=7|49=X|-56|52=NOW-1s
        > 35=0|34=2|43=Y
        > 35=4|36=20
        > 35=0|10=999|9=1|8=FIX.9
        """);

    assertThat(parrot.received).containsExactly(
        "8=FIX.4.4|9=60|35=1|49=BUYER|56=SELLER|52=20260314-09:26:53.000|34=1|112=A|10="
            + Message.checkSum("8=FIX.4.4|9=60|35=1|49=BUYER|56=SELLER|52=20260314-09:26:53.000|34=1|112=A|") + "|",
        "8=FIX.4.4|9=46|35=1|34=7|49=X|52=20260314-09:26:52.000|112=B|10="
            + Message.checkSum("8=FIX.4.4|9=46|35=1|34=7|49=X|52=20260314-09:26:52.000|112=B|") + "|",
        "8=FIX.4.4|9=59|35=0|34=2|43=Y|49=BUYER|56=SELLER|52=20260314-09:26:53.000|10="
            + Message.checkSum("8=FIX.4.4|9=59|35=0|34=2|43=Y|49=BUYER|56=SELLER|52=20260314-09:26:53.000|") + "|",
        "8=FIX.4.4|9=60|35=4|49=BUYER|56=SELLER|52=20260314-09:26:53.000|34=8|36=20|10="
            + Message.checkSum("8=FIX.4.4|9=60|35=4|49=BUYER|56=SELLER|52=20260314-09:26:53.000|34=8|36=20|") + "|",
        "8=FIX.9|9=1|35=0|49=BUYER|56=SELLER|52=20260314-09:26:53.000|34=20|10=999|");
  }

  @Test
  void rawBytesAreSentAsTheyAre() {
    Parrot parrot = parrot();
    run(parrot, "raw x|y^z\nraw 8=BEGIN|9=LEN|35=0|52=NOW+1h|10=SUM|\nraw 9=LEN|8=BEGIN");

    String heartbeat = "8=FIX.4.4|9=30|35=0|52=20260314-10:26:53.000|";
    assertThat(parrot.received).containsExactly("x|y|z", heartbeat + "10=" + Message.checkSum(heartbeat) + "|",
        "9=LEN|8=FIX.4.4");
  }

  @Test
  void messagesOfTheApplicationGoBothWays() {
    Parrot parrot = parrot().answer("APP 35=D|95=3|96=a|b|58=x|");
    run(parrot, "send 35=D|11=A|60=NOW\n> 35=0\napp 35=D|96=a^b|58=x");

    assertThat(parrot.received.get(0)).isEqualTo("app D 11=A|60=20260314-09:26:53.000|");
    assertThatThrownBy(() -> run(parrot().answer("APP 35=D|58=x|"), "> 35=0"))
        .hasMessageContaining("the application was given what was not expected");
    assertThatThrownBy(() -> run(parrot().answer("APP 35=D|58=x|"), "> 35=0\napp 35=D|58=y"))
        .hasMessageContaining("not 58=y");
    assertThatThrownBy(() -> run(parrot(), "cannot-send 35=D|11=A")).hasMessageContaining("was taken");
  }
}
