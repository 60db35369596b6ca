package dev.decant.fix.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Random fields are written and read again: each unchanged, in order, and found by its tag. */
class RoundTripTest {
  private static final long NANOS_PER_DAY = 86_400_000_000_000L;
  private static final int[] FRACTIONS = {0, 3, 6, 9};
  private static final long[] UNITS = {1_000_000_000, 1_000_000, 1_000, 1};
  private static final int ROOM = 16_384;

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(ROOM);
  private final FieldWriter writer = new FieldWriter();
  private final MessageView view = new MessageView();
  private final Decimal decimal = new Decimal();
  private final AsciiView text = new AsciiView();
  private int dataFields;

  @Test
  void fieldsAreReadAsTheyWereWritten() {
    for (int round = 0; round < 2_000; round++) {
      int from = random.nextInt(40);
      writer.wrap(buffer, from + 40, ROOM);
      writer.text(35, "U1");
      dataFields = 0;
      List<Consumer<FieldView>> checks = new ArrayList<>();
      int fields = random.nextInt(round % 10 == 0 ? 300 : 30);
      for (int i = 0; i < fields; i++) {
        int tag = 1_000 * (1 + random.nextInt(30)) + i; // none twice
        checks.add(writeRandomField(DataFields.standard().dataTag(tag) == 0 ? tag : tag + 60_000)); // none of a length
      }
      assertThat(parseWritten()).as("seed %d", seed).isEqualTo(MessageView.OK);
      assertThat(view.endField()).as("seed %d", seed).isEqualTo(4 + fields + dataFields);
      checks.forEach(check -> check.accept(view));
      Collections.shuffle(checks, random);
      checks.forEach(check -> check.accept(view));
    }
  }

  /** Puts BeginString and BodyLength before what was written, and CheckSum behind it. */
  private int parseWritten() {
    int bodyFrom = writer.start();
    int bodyTo = writer.position();
    byte[] head = TestMessages.bytes("8=FIX.4.4|9=" + (bodyTo - bodyFrom) + "|");
    int from = bodyFrom - head.length;
    buffer.put(from, head);
    int end = new FieldWriter().wrap(buffer, bodyTo, ROOM).integer(10, CheckSum.of(buffer, from, bodyTo), 3).position();
    return view.parse(buffer, from, end, true);
  }

  private Consumer<FieldView> writeRandomField(int tag) {
    return switch (random.nextInt(9)) {
      case 0 -> {
        long value = random.nextLong() >> random.nextInt(4, 64);
        writer.integer(tag, value);
        yield read -> assertThat(read.integer(tag)).as("seed %d", seed).isEqualTo(value);
      }
      case 1 -> {
        long mantissa = random.nextLong() >> random.nextInt(4, 64);
        int exponent = -random.nextInt(19);
        writer.decimal(tag, mantissa, exponent);
        yield read -> {
          read.decimal(tag, decimal);
          assertThat(decimal.mantissa()).as("seed %d", seed).isEqualTo(mantissa);
          assertThat(decimal.exponent()).as("seed %d", seed).isEqualTo(exponent);
        };
      }
      case 2 -> {
        char value = randomCharacter();
        writer.character(tag, value);
        yield read -> assertThat(read.character(tag)).as("seed %d", seed).isEqualTo(value);
      }
      case 3 -> {
        boolean value = random.nextBoolean();
        writer.flag(tag, value);
        yield read -> assertThat(read.flag(tag, !value)).as("seed %d", seed).isEqualTo(value);
      }
      case 4 -> writeRandomTime(tag);
      case 5 -> {
        int day = random.nextInt(3_000_000) - 719_000;
        writer.date(tag, day);
        yield read -> assertThat(read.date(tag)).as("seed %d", seed).isEqualTo(day);
      }
      case 6 -> writeRandomData();
      default -> {
        String value = randomText();
        writer.text(tag, value);
        yield read -> {
          assertThat(read.text(tag, text).contentEquals(value)).as("seed %d", seed).isTrue();
          assertThat(read.contentEquals(tag, value)).isTrue();
          assertThat(read.string(tag)).isEqualTo(value);
        };
      }
    };
  }

  private Consumer<FieldView> writeRandomTime(int tag) {
    int kind = random.nextInt(FRACTIONS.length);
    long unit = UNITS[kind];
    if (random.nextBoolean()) {
      long time = random.nextLong(NANOS_PER_DAY);
      writer.time(tag, time, FRACTIONS[kind]);
      return read -> assertThat(read.time(tag)).as("seed %d", seed).isEqualTo(time / unit * unit);
    }
    long timestamp = random.nextLong(-9_000_000_000_000_000_000L, 9_000_000_000_000_000_000L);
    writer.timestamp(tag, timestamp, FRACTIONS[kind]);
    return read -> assertThat(read.timestamp(tag)).as("seed %d", seed)
        .isEqualTo(Math.floorDiv(timestamp, unit) * unit);
  }

  /** One of the standard's data fields; a message may have it once, so what was written before is looked at. */
  private Consumer<FieldView> writeRandomData() {
    int lengthTag = 348 + 2 * random.nextInt(9);
    byte[] bytes = new byte[1 + random.nextInt(50)];
    random.nextBytes(bytes);
    String soFar = new String(written(), StandardCharsets.ISO_8859_1);
    if (soFar.contains("\u0001" + lengthTag + "=")) {
      writer.flag(50_000 + lengthTag, true);
      return read -> assertThat(read.flag(50_000 + lengthTag, false)).isTrue();
    }
    writer.data(lengthTag, lengthTag + 1, ByteBuffer.wrap(bytes), 0, bytes.length);
    dataFields++;
    return read -> {
      byte[] copied = new byte[bytes.length];
      assertThat(read.copy(lengthTag + 1, copied)).as("seed %d", seed).isEqualTo(copied.length);
      assertThat(copied).as("seed %d", seed).isEqualTo(bytes);
    };
  }

  private byte[] written() {
    byte[] bytes = new byte[writer.position() - writer.start()];
    buffer.get(writer.start(), bytes);
    return bytes;
  }

  private char randomCharacter() {
    char c = (char) random.nextInt(0x100);
    return c == 1 ? '=' : c;
  }

  private String randomText() {
    StringBuilder value = new StringBuilder();
    for (int i = random.nextInt(1, 40); i > 0; i--) {
      value.append(randomCharacter());
    }
    return value.toString();
  }
}
