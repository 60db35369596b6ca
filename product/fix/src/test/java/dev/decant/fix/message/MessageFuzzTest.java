package dev.decant.fix.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Mutated messages, read by every accessor. Only {@link FieldException} is thrown, and nothing is read outside of the
 * message: it is parsed in a buffer of its size, and between other bytes, with the same results. {@code -Plong} runs
 * for minutes, {@code -Dfuzz.seconds=600} that long, {@code -Dfuzz.seed=N} repeats a run.
 */
class MessageFuzzTest {
  private static final long SECONDS = 1;
  private static final long LONG_SECONDS = 300;
  private static final int FEWEST_ROUNDS = 200;
  /** A quarter of all messages is well-formed. In few rounds it may be less than a fifth by chance, in these not. */
  private static final int TELLING_ROUNDS = 2_000;
  private static final int MARGIN = 24;
  private static final int MOST_ENTRIES = 3;
  private static final String[] BODIES = {TestMessages.ORDER_BODY,
      "35=A|34=1|49=A|52=20261124-09:30:00|56=B|98=0|108=30|141=Y|"
          + "95=5|96=a|b=c|554=secret|384=2|372=D|385=R|372=8|385=S|",
      "35=8|34=7|49=B|52=20261124-09:30:00.123456789|56=A|43=N|6=-0.000|14=0|17=E1|37=O1|39=0|150=0|151=100|453=2|"
          + "448=P|447=D|452=1|802=2|523=X|803=1|523=Y|803=2|448=Q|447=D|452=3|58=text|75=20261124|273=09:30:00.5|",
      "35=0|34=2|49=A|52=20261124-09:30:00.000|56=B|",
      "35=W|268=3|269=0|270=1.5|271=10|269=1|270=1.6|269=2|5001=x|12345=y|",
      "35=3|34=9|49=A|52=20261124-09:30:00.000|56=B|45=2|371=-1|372=D|373=0|354=3|355=\u00e4|\u00f6|93=2|89=zz|"};
  private static final String[] PIECES = {"|", "=", "||", "10=", "10=000|", "8=FIX.4.4|", "9=", "95=", "96=", "-", "0",
      "00",
      "999999999999999999", "9223372036854775808", "2147483647", "4294967295", "-1", ".", "555=2|600=", "35=D|", "\0",
      "\u00ff",
      "20261124-23:59:60.999999999999", "Y", "=|"};

  private final Random random = new Random();
  private final MessageView view = new MessageView();
  private final GroupView group = new GroupView();
  private final GroupView nested = new GroupView(tag -> tag % 3 != 0);
  private final Decimal decimal = new Decimal();
  private final AsciiView text = new AsciiView();
  private final FieldWriter writer = new FieldWriter();
  private final ByteBuffer target = ByteBuffer.allocate(8_192);
  private final byte[] copied = new byte[8_192];
  private boolean checkCheckSum;
  private int firstGroup;
  private long digest;
  private int wellFormed;

  @Test
  void mutatedMessagesCauseFieldExceptionsOnly() {
    mutate(SECONDS);
  }

  @Tag("long")
  @Test
  void messagesMutatedForMinutesCauseFieldExceptionsOnly() {
    mutate(LONG_SECONDS);
  }

  private void mutate(long secondsByDefault) {
    long seconds = Long.getLong("fuzz.seconds", secondsByDefault);
    long firstSeed = Long.getLong("fuzz.seed", System.nanoTime());
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    int rounds = 0;
    for (long seed = firstSeed; isTooEarly(rounds) || System.nanoTime() < end; seed++) {
      random.setSeed(seed);
      byte[] message = mutated();
      try {
        tryEverything(message);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("-Dfuzz.seed=" + seed + ": " + Arrays.toString(message), e);
      }
      rounds++;
    }
    assertThat(wellFormed).as("well-formed ones of %d, five times each, first seed %d", rounds, firstSeed)
        .isGreaterThan(rounds);
  }

  private boolean isTooEarly(int rounds) {
    return rounds < FEWEST_ROUNDS || (wellFormed <= rounds && rounds < TELLING_ROUNDS);
  }

  private byte[] mutated() {
    byte[] body = TestMessages.bytes(BODIES[random.nextInt(BODIES.length)]);
    for (int i = random.nextInt(5); i > 0; i--) {
      body = mutate(body);
    }
    byte[] message = TestMessages.message("FIX.4.4", body);
    for (int i = random.nextInt(4) - 1; i > 0; i--) {
      message = mutate(message);
    }
    return message;
  }

  private byte[] mutate(byte[] bytes) {
    int at = random.nextInt(bytes.length + 1);
    int end = Math.min(bytes.length, at + random.nextInt(12));
    byte[] removed = Arrays.copyOfRange(bytes, at, end);
    byte[] piece = switch (random.nextInt(5)) {
      case 0 -> new byte[0];
      case 1 -> new byte[] {(byte) random.nextInt()};
      case 2 -> TestMessages.bytes(PIECES[random.nextInt(PIECES.length)]);
      case 3 -> join(removed, removed);
      default -> {
        int from = random.nextInt(bytes.length + 1);
        yield Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + random.nextInt(40)));
      }
    };
    boolean insert = random.nextInt(3) == 0;
    return join(join(Arrays.copyOf(bytes, at), piece), Arrays.copyOfRange(bytes, insert ? at : end, bytes.length));
  }

  private static byte[] join(byte[] a, byte[] b) {
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    joined.writeBytes(a);
    joined.writeBytes(b);
    return joined.toByteArray();
  }

  private void tryEverything(byte[] message) {
    checkCheckSum = random.nextInt(4) != 0;
    firstGroup = random.nextInt(5);
    ByteBuffer alone = ByteBuffer.allocateDirect(message.length).put(0, message);
    long expected = digestOf(alone, 0, message.length);
    for (char canary : new char[] {'\u0001', '=', '1', '0'}) {
      byte[] among = new byte[message.length + 2 * MARGIN];
      Arrays.fill(among, (byte) canary);
      System.arraycopy(message, 0, among, MARGIN, message.length);
      ByteBuffer buffer = ByteBuffer.wrap(among.clone());
      assertThat(digestOf(buffer, MARGIN, message.length)).as("canary %d", (int) canary).isEqualTo(expected);
      assertThat(buffer.array()).isEqualTo(among);
      assertThat(buffer.position()).isZero();
      assertThat(buffer.limit()).isEqualTo(among.length);
    }
  }

  private long digestOf(ByteBuffer buffer, int from, int length) {
    digest = view.parse(buffer, from, from + length, checkCheckSum);
    wellFormed += digest == MessageView.OK ? 1 : 0;
    add(view.msgTypeKey());
    add(view.bodyFirst());
    add(view.bodyEnd());
    add(view.toString().hashCode());
    add(MsgType.text(view.msgTypeKey()).hashCode());
    readAll(view, from);
    for (int i = view.firstField() + firstGroup; i < view.endField(); i += 5) {
      readGroup(view.tagAt(i), from);
    }
    readGroup(453, from);
    writer.wrap(target, 0, target.capacity()).copy(view, view.firstField(), view.endField());
    add(CheckSum.of(target, 0, writer.position()));
    return digest;
  }

  private void readGroup(int numInGroup, int base) {
    add(view.findInHeader(numInGroup));
    outcome(() -> view.group(numInGroup, group).announced());
    for (int entry = 0; entry < MOST_ENTRIES && group.next(); entry++) {
      readAll(group, base);
      outcome(() -> group.group(802, nested).announced());
      while (nested.next()) {
        readAll(nested, base);
      }
    }
  }

  private void readAll(FieldView fields, int base) {
    for (int i = fields.firstField(); i < fields.endField(); i++) {
      int index = i;
      int tag = fields.tagAt(i);
      add(tag);
      add(fields.find(tag));
      add(fields.findNext(tag, i));
      add(fields.fieldFrom(i) - base);
      add(fields.valueFrom(i) - base);
      add(fields.valueTo(i) - base);
      outcome(() -> fields.integer(tag));
      outcome(() -> fields.integer(tag, 5));
      outcome(() -> fields.decimal(tag, decimal).mantissa() + decimal.exponent());
      outcome(() -> fields.character(tag));
      outcome(() -> fields.flag(tag, true) ? 1 : 0);
      outcome(() -> fields.timestamp(tag));
      outcome(() -> fields.date(tag));
      outcome(() -> fields.time(tag));
      outcome(() -> fields.text(tag, text).toString().hashCode());
      outcome(() -> fields.string(tag).hashCode());
      outcome(() -> fields.copy(tag, copied));
      outcome(() -> fields.contentEquals(tag, "EUR/USD") ? 1 : 0);
      outcome(() -> writer.wrap(target, 0, target.capacity()).copy(fields, index).position());
      outcome(() -> writer.copy(fields, fields.firstField(), index).position());
    }
    for (int tag : new int[] {0, -1, 10, 49, 96, 999_999_999, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      add(fields.find(tag));
    }
  }

  private void add(long value) {
    digest = digest * 31 + value;
  }

  private void outcome(LongSupplier read) {
    try {
      add(read.getAsLong());
    } catch (FieldException e) {
      add(e.tag() * 100L + e.reason());
    }
  }
}
