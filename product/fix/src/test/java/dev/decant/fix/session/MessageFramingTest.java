package dev.decant.fix.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.TestMessages;
import dev.decant.net.Framing;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Streams cut into messages, however they are sliced and whatever is between the messages. */
@Timeout(60)
class MessageFramingTest {
  private static final MessageFraming FRAMING = MessageFraming.INSTANCE;
  /** The longest frame whose length may be unknown: BeginString and {@code 9=} with ten digits. */
  private static final int MOST_UNKNOWN = 30;

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private final MessageView view = new MessageView();

  private static byte[] message(String body) {
    return TestMessages.message(body);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1).replace('\u0001', '|');
  }

  /** The well-formed messages of a stream that arrives in slices of up to {@code most} bytes. */
  private List<String> messages(byte[] stream, int most) {
    List<String> messages = new ArrayList<>();
    ByteBuffer buffer = ByteBuffer.allocateDirect(stream.length).put(0, stream);
    int parsed = 0;
    int scanned = 0;
    int end = 0;
    while (end < stream.length) {
      end = Math.min(stream.length, end + 1 + random.nextInt(most));
      while (parsed < end) {
        long length = FRAMING.frameBytes(buffer, parsed, parsed + scanned, end);
        if (length == Framing.UNKNOWN) {
          scanned = end - parsed;
          assertThat(scanned).as("seed %d", seed).isLessThan(MOST_UNKNOWN);
          break;
        }
        assertThat(length).as("seed %d", seed).isPositive();
        if (length > end - parsed) {
          break;
        }
        int to = parsed + (int) length;
        if (view.parse(buffer, parsed, to, true) == MessageView.OK) {
          byte[] message = new byte[(int) length];
          buffer.get(parsed, message);
          messages.add(text(message));
        }
        parsed = to;
        scanned = 0;
      }
    }
    return messages;
  }

  private byte[] randomMessage() {
    StringBuilder body = new StringBuilder("35=").append((char) ('A' + random.nextInt(26))).append('|');
    for (int i = random.nextInt(8); i > 0; i--) {
      int tag = 60_000 + random.nextInt(9_999); // of no length, whose data field could come next
      body.append(tag).append('=').append("x".repeat(random.nextInt(20))).append('|');
    }
    if (random.nextInt(4) == 0) {
      String inner = text(message("35=0|"));
      body.append("95=").append(inner.length()).append("|96=").append(inner).append('|');
    }
    String[] versions = {"FIX.4.0", "FIX.4.2", "FIX.4.4", "FIXT.1.1"};
    return TestMessages.message(versions[random.nextInt(versions.length)], TestMessages.bytes(body.toString()));
  }

  /** Bytes without a BeginString that a BodyLength follows; some end like the first bytes of a message. */
  private byte[] randomGarbage() {
    String[] parts = {"8", "8=", "8=F", "8=FIX", "8=FIX.4.4", "8=FIX.4.4|", "8=FIX.4.4|9", "8=FIX.4.4|9=|",
        "8=FIX.4.4|9=x",
        "8=FIX.4.4|9=12345678901|", "8=FIX.4.4|35=0|", "8=FIXFIXFIXFIXFIXFIX|9=5|", "x9=5|", "|", "10=123|", "1", "88",
        "58=",
        "\u00ff", "GET / HTTP/1.1\r\n", "35=0|49=A|"};
    StringBuilder garbage = new StringBuilder();
    for (int i = random.nextInt(5); i > 0; i--) {
      garbage.append(parts[random.nextInt(parts.length)]);
    }
    String text = garbage.toString();
    return TestMessages.bytes(text.endsWith("=") || text.endsWith("9") ? text + "|" : text);
  }

  @Test
  void everyMessageIsFoundWhateverTheSlicesAndTheGarbageBetween() throws IOException {
    for (int round = 0; round < 1_000; round++) {
      ByteArrayOutputStream stream = new ByteArrayOutputStream();
      List<String> sent = new ArrayList<>();
      for (int i = random.nextInt(10); i >= 0; i--) {
        if (random.nextBoolean()) {
          stream.write(randomGarbage());
        }
        byte[] message = randomMessage();
        stream.write(message);
        sent.add(text(message));
      }
      byte[] bytes = stream.toByteArray();
      for (int most : new int[] {1, 5, 40, bytes.length}) {
        assertThat(messages(bytes, most)).as("seed %d, %s", seed, text(bytes)).isEqualTo(sent);
      }
    }
  }

  @Test
  void slicesMakeNoDifferenceToHostileStreams() throws IOException {
    String[] parts = {"8=FIX.4.4|9=", "8=FIXT.1.1|9=", "5|", "9|", "0|", "35=0|", "10=000|", "10=0|", "10=", "8", "|",
        "=", "7"};
    for (int round = 0; round < 3_000; round++) {
      ByteArrayOutputStream stream = new ByteArrayOutputStream();
      for (int i = random.nextInt(12); i >= 0; i--) {
        stream
            .write(random.nextInt(6) == 0 ? message("35=0|") : TestMessages.bytes(parts[random.nextInt(parts.length)]));
      }
      byte[] bytes = stream.toByteArray();
      List<String> whole = messages(bytes, bytes.length);
      assertThat(messages(bytes, 1)).as("seed %d, %s", seed, text(bytes)).isEqualTo(whole);
      assertThat(messages(bytes, 20)).as("seed %d, %s", seed, text(bytes)).isEqualTo(whole);
    }
  }

  @Test
  void randomBytesAreCutIntoFramesOfPositiveLength() {
    byte[] bytes = new byte[2_000];
    byte[] alphabet = TestMessages.bytes("8=FIX.49|T10");
    for (int round = 0; round < 500; round++) {
      random.nextBytes(bytes);
      for (int i = 0; i < bytes.length && round % 2 == 0; i++) {
        bytes[i] = alphabet[random.nextInt(alphabet.length)];
      }
      messages(bytes, 1 + random.nextInt(bytes.length));
    }
  }

  private static byte[] join(String... parts) {
    StringBuilder all = new StringBuilder();
    for (String part : parts) {
      all.append(part);
    }
    return TestMessages.bytes(all.toString());
  }

  @Test
  void messageAfterOneWithATooSmallLengthIsFound() {
    String good = text(message("35=1|34=3|112=A|"));
    String wrong = text(message("35=D|34=2|11=A|58=10=123|"));
    for (int length = 0; length < 25; length++) {
      byte[] stream = join(wrong.replace("9=25|", "9=" + length + "|"), good);
      for (int most : new int[] {1, stream.length}) {
        assertThat(messages(stream, most)).as("length %d", length).containsExactly(good);
      }
    }
  }

  /** A length that is believed takes the next message with it; the one after that is found again. */
  @Test
  void messageAfterOneWithATooLargeLengthIsLostAndTheNextIsFound() {
    String next = text(message("35=1|34=3|112=A|"));
    String last = text(message("35=1|34=4|112=B|"));
    String wrong = text(message("35=D|34=2|11=A|"));
    for (int more = 8; more < next.length(); more++) {
      byte[] stream = join(wrong.replace("9=15|", "9=" + (15 + more) + "|"), next, last);
      for (int most : new int[] {1, stream.length}) {
        assertThat(messages(stream, most)).as("%d more", more).containsExactly(last);
      }
    }
  }

  /** A peer that counts CheckSum as well would have lost every second message to the trailer that is not there. */
  @Test
  void messageAfterOneWhoseLengthCountsTheTrailerIsFound() {
    String good = text(message("35=1|34=3|112=A|"));
    String wrong = text(message("35=D|34=2|11=A|")).replace("9=15|", "9=22|");
    for (int most : new int[] {1, 7, 200}) {
      assertThat(messages(join(wrong, good, wrong, wrong, good), most)).containsExactly(good, good);
    }
  }

  /** The first bytes of the next message were taken for the rest of the trailer. */
  @Test
  void messageAfterOneWithAShortCheckSumIsFound() {
    String good = text(message("35=1|34=3|112=A|"));
    for (String trailer : new String[] {"10=0|", "10=|", "10=12|", "1|", "10=1234|", ""}) {
      byte[] stream = join("8=FIX.4.4|9=5|35=0|", trailer, good);
      for (int most : new int[] {1, stream.length}) {
        assertThat(messages(stream, most)).as(trailer).containsExactly(good);
      }
    }
  }

  /** A digit before BeginString hid it, unless a slice began with it. */
  @Test
  void messageAfterADigitIsFound() {
    String good = text(message("35=0|34=3|"));
    for (int most : new int[] {1, 100}) {
      assertThat(messages(join("10=12", good, "3", good), most)).containsExactly(good, good);
    }
  }

  @Test
  void lengthIsToldAsSoonAsItIsThere() {
    byte[] message = message("35=0|34=3|");
    ByteBuffer buffer = ByteBuffer.wrap(message);
    int headerEnd = "8=FIX.4.4|9=10|".length();
    for (int end = 1; end < headerEnd; end++) {
      assertThat(FRAMING.frameBytes(buffer, 0, 0, end)).as("%d bytes", end).isEqualTo(Framing.UNKNOWN);
    }
    for (int end = headerEnd; end <= message.length; end++) {
      assertThat(FRAMING.frameBytes(buffer, 0, 0, end)).as("%d bytes", end).isEqualTo(message.length);
    }
    assertThat(FRAMING.headerBytes()).isZero();
  }

  /** The connection refuses such a frame: its bound is smaller. */
  @Test
  void hugeLengthIsToldAsItIs() {
    ByteBuffer buffer = TestMessages.buffer("8=FIX.4.4|9=9999999999|35=0|");
    assertThat(FRAMING.frameBytes(buffer, 0, 0, buffer.capacity())).isEqualTo(9_999_999_999L + 23 + 7);
  }
}
