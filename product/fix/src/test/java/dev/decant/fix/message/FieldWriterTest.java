package dev.decant.fix.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The written bytes, the refused values, and that nothing is written outside of the region. */
class FieldWriterTest {
  private static final int ROOM = 200;
  private static final byte CANARY = 0x55;
  private static final ByteBuffer DATA = TestMessages.buffer("a|b=c");

  private final ByteBuffer buffer = ByteBuffer.allocateDirect(ROOM);
  private final FieldWriter writer = new FieldWriter().wrap(buffer, 0, ROOM);

  private String written() {
    return written(writer);
  }

  private static String written(FieldWriter writer) {
    byte[] bytes = new byte[writer.position() - writer.start()];
    writer.buffer().get(writer.start(), bytes);
    return new String(bytes, StandardCharsets.ISO_8859_1).replace('\u0001', '|');
  }

  private void assertRefused(ThrowingCallable write) {
    int before = writer.position();
    assertThatThrownBy(write).isInstanceOf(IllegalArgumentException.class);
    assertThat(writer.position()).isEqualTo(before);
  }

  /** One field of each kind. */
  private static List<Consumer<FieldWriter>> kinds() {
    Decimal decimal = new Decimal().set(-10_125, -2);
    MessageView received = TestMessages.view("35=D|-5=x|58=text|");
    return List.of(w -> w.integer(1, 0), w -> w.integer(99_999, Long.MIN_VALUE), w -> w.integer(123, -120),
        w -> w.integer(999_999_999, 7, 18), w -> w.decimal(44, decimal), w -> w.decimal(44, 5, -18),
        w -> w.character(54, '1'), w -> w.flag(43, true), w -> w.text(58, "some text"), w -> w.bytes(58, DATA, 0, 1),
        w -> w.data(95, 96, DATA, 0, 5), w -> w.timestamp(52, 1_764_000_000_123_456_789L, 9),
        w -> w.timestamp(52, -1, 0),
        w -> w.date(75, 20_000), w -> w.time(273, 1_000_000, 3), w -> w.copy(received, 3), w -> w.copy(received, 2, 5));
  }

  @Test
  void fieldsOfEachTypeAreWritten() {
    writer.integer(34, 12).integer(9, -7).integer(1, 0).integer(10_000, Long.MAX_VALUE).integer(36, 42, 6);
    writer.decimal(44, 10_125, -2).decimal(6, -5, -3).decimal(7, 12, 0).decimal(8, 0, -1);
    writer.character(54, '1').flag(43, true).flag(97, false).text(58, "caf\u00e9");
    assertThat(written()).isEqualTo("34=12|9=-7|1=0|10000=9223372036854775807|36=000042|44=101.25|6=-0.005|7=12|8=0.0|"
        + "54=1|43=Y|97=N|58=caf\u00e9|");
    writer.wrap(buffer, 50, ROOM).bytes(58, DATA, 2, 5).data(95, 96, DATA, 0, 5).timestamp(52, 1_500_000_000L, 3)
        .timestamp(60, 0, 0).date(75, 1).time(273, 1_000L, 6);
    assertThat(writer.start()).isEqualTo(50);
    assertThat(written()).isEqualTo("58=b=c|95=5|96=a|b=c|52=19700101-00:00:01.500|60=19700101-00:00:00|75=19700102|"
        + "273=00:00:00.000001|");
  }

  /** Room for nine digits of a tag and for twenty of a number was asked for, whatever was written. */
  @Test
  void fieldThatReallyFitsIsTakenAndOneByteLessIsNotEnough() {
    for (Consumer<FieldWriter> kind : kinds()) {
      for (int offset = 0; offset < 9; offset++) {
        kind.accept(writer.wrap(buffer, offset, ROOM));
        String expected = written();
        int length = expected.length();
        byte[] canaries = new byte[ROOM];
        Arrays.fill(canaries, CANARY);
        buffer.put(0, canaries);

        kind.accept(writer.wrap(buffer, offset, offset + length));
        assertThat(written()).isEqualTo(expected);
        assertCanaries(offset, offset + length);

        buffer.put(0, canaries);
        writer.wrap(buffer, offset, offset + length - 1);
        assertThatThrownBy(() -> kind.accept(writer)).isInstanceOf(MessageTooLargeException.class);
        assertThat(writer.position()).isEqualTo(offset);
        assertCanaries(offset, offset + length - 1);
      }
    }
  }

  private void assertCanaries(int from, int to) {
    for (int i = 0; i < ROOM; i++) {
      if (i < from || i >= to) {
        assertThat(buffer.get(i)).as("byte %d", i).isEqualTo(CANARY);
      }
    }
  }

  @Test
  void byteOrderOfTheBufferMakesNoDifference() {
    FieldWriter little = new FieldWriter().wrap(ByteBuffer.allocate(1_000).order(ByteOrder.LITTLE_ENDIAN), 3, 1_000);
    FieldWriter big = new FieldWriter().wrap(ByteBuffer.allocateDirect(1_000), 5, 1_000);
    for (Consumer<FieldWriter> kind : kinds()) {
      kind.accept(little);
      kind.accept(big);
    }
    assertThat(written(little)).isEqualTo(written(big));
  }

  @Test
  void writerWithoutARegionTakesNothing() {
    assertThatThrownBy(() -> new FieldWriter().flag(43, true)).isInstanceOf(MessageTooLargeException.class);
    assertThatThrownBy(() -> writer.wrap(buffer, 0, ROOM + 1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> writer.wrap(buffer, 2, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> writer.wrap(buffer, -1, 1)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void tagThatIsNotPositiveIsRefused() {
    for (int tag : new int[] {0, -1, Integer.MIN_VALUE}) {
      assertRefused(() -> writer.integer(tag, 1));
      assertRefused(() -> writer.text(tag, "x"));
      assertRefused(() -> writer.data(tag, 96, DATA, 0, 5));
      assertRefused(() -> writer.data(95, tag, DATA, 0, 5));
    }
    writer.integer(Integer.MAX_VALUE, 1);
    assertThat(written()).isEqualTo("2147483647=1|");
  }

  @Test
  void valueThatWouldMakeAnotherMessageIsRefused() {
    assertRefused(() -> writer.text(58, ""));
    assertRefused(() -> writer.text(58, "a\u000110=000\u0001"));
    assertRefused(() -> writer.text(58, "\u0141")); // its lower byte is A
    assertRefused(() -> writer.text(58, "\u0101")); // its lower byte is the delimiter
    assertRefused(() -> writer.character(54, '\u0001'));
    assertRefused(() -> writer.character(54, '\u0101'));
    assertRefused(() -> writer.bytes(58, DATA, 0, 5));
    assertRefused(() -> writer.bytes(58, DATA, 3, 3));
    assertRefused(() -> writer.bytes(58, DATA, 3, 2));
    assertRefused(() -> writer.data(95, 96, DATA, 3, 3));
    assertThat(writer.position()).isZero();
  }

  @Test
  void valueOutOfBoundsIsRefused() {
    assertRefused(() -> writer.integer(34, 10, 1));
    assertRefused(() -> writer.integer(34, -1, 5));
    assertRefused(() -> writer.integer(34, 1, 0));
    assertRefused(() -> writer.integer(34, 1, 19));
    assertRefused(() -> writer.timestamp(52, 0, 4));
    assertRefused(() -> writer.timestamp(52, 0, -3));
    assertRefused(() -> writer.time(273, 0, 12));
    assertRefused(() -> writer.time(273, -1, 3));
    assertRefused(() -> writer.time(273, 86_400_000_000_000L, 3));
    assertRefused(() -> writer.date(75, Long.MAX_VALUE));
    writer.integer(34, 999_999_999_999_999_999L, 18);
    assertThat(written()).isEqualTo("34=999999999999999999|");
  }

  @Test
  void dataFieldsAreWrittenBothOrNeither() {
    assertThat(ROOM).isGreaterThan(20);
    writer.wrap(buffer, 0, 12);
    assertThatThrownBy(() -> writer.data(95, 96, DATA, 0, 5)).isInstanceOf(MessageTooLargeException.class);
    assertThat(writer.position()).isZero();
  }

  /** The begin of a range was reckoned from the digits of the tag, which were others than those received. */
  @Test
  void rangesAreCopiedAsTheyWereReceived() {
    String fields = "-12=a|0=b|123456789012345678901=c|-0=d|95=3|96=e|f|58=|";
    MessageView view = TestMessages.view("35=D|" + fields);
    for (int from = 3; from < view.endField() - 1; from++) {
      for (int to = from; to < view.endField(); to++) {
        writer.wrap(buffer, 10, ROOM).copy(view, from, to);
        StringBuilder expected = new StringBuilder();
        for (int i = from; i < to; i++) {
          expected.append(written(writer.wrap(buffer, 100, ROOM).copy(view, i)));
        }
        assertThat(written(writer.wrap(buffer, 10, ROOM).copy(view, from, to))).isEqualTo(expected.toString());
      }
    }
    assertThat(written(writer.wrap(buffer, 0, ROOM).copy(view, 3, view.endField() - 1))).isEqualTo(fields);
    assertThat(written(writer.wrap(buffer, 0, ROOM).copy(view, 0, 1))).isEqualTo("8=FIX.4.4|");
    assertThat(written(writer.wrap(buffer, 0, ROOM).copy(view, 5, 5))).isEmpty();
    assertThat(written(writer.wrap(buffer, 0, ROOM).copy(view, 5, 3))).isEmpty();
  }

  @Test
  void entryOfAGroupIsCopied() {
    MessageView view = TestMessages.view("35=D|453=2|448=A|447=D|448=B|452=1|");
    GroupView parties = view.group(453, new GroupView());
    parties.next();
    assertThat(written(writer.copy(parties, parties.firstField(), parties.endField()))).isEqualTo("448=A|447=D|");
    parties.next();
    assertThat(written(writer.wrap(buffer, 0, ROOM).copy(parties, parties.find(452)))).isEqualTo("452=1|");
  }

  @Test
  void timestampsOfManyDaysAreWrittenOneAfterTheOther() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    ByteBuffer expected = ByteBuffer.allocate(27);
    for (int i = 0; i < 10_000; i++) {
      long nanos = random.nextInt(3) == 0 ? random.nextLong() : random.nextLong(86_400_000_000_000L);
      writer.wrap(buffer, 0, ROOM).timestamp(52, nanos, 9);
      Timestamps.put(expected, 0, nanos, 9);
      assertThat(written()).as("seed %d", seed)
          .isEqualTo("52=" + new String(expected.array(), StandardCharsets.ISO_8859_1) + "|");
    }
  }
}
