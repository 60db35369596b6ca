package dev.decant.fix.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Values are patched in place, at their width, or not at all. */
class PreparedFieldsTest {
  private static final ByteBuffer DATA = TestMessages.buffer("a|38=7|b");
  private static final int PATCHES = 20_000;

  private final FieldWriter writer = new FieldWriter().wrap(ByteBuffer.allocate(300), 20, 300);
  private final FieldWriter target = new FieldWriter().wrap(ByteBuffer.allocateDirect(300), 7, 300);

  private String copied(PreparedFields fields) {
    fields.copyTo(target.wrap(target.buffer(), 7, 300));
    byte[] bytes = new byte[target.position() - target.start()];
    target.buffer().get(target.start(), bytes);
    return new String(bytes, StandardCharsets.ISO_8859_1).replace('\u0001', '|');
  }

  private PreparedFields prepared(String text) {
    byte[] bytes = TestMessages.bytes(text);
    writer.wrap(ByteBuffer.wrap(bytes), 0, bytes.length).skip(bytes.length);
    return PreparedFields.copyOf(writer);
  }

  private void assertRefused(PreparedFields fields, ThrowingCallable patch) {
    String before = copied(fields);
    assertThatThrownBy(patch).isInstanceOf(IllegalArgumentException.class);
    assertThat(copied(fields)).isEqualTo(before);
  }

  @Test
  void valuesArePatchedAndTheOthersStay() {
    writer.text(11, "ORDER-000").character(54, '1').integer(38, 7, 6).text(44, "000000.00").timestamp(60, 0, 3);
    PreparedFields fields = PreparedFields.copyOf(writer);
    assertThat(copied(fields)).isEqualTo("11=ORDER-000|54=1|38=000007|44=000000.00|60=19700101-00:00:00.000|");

    fields.text(fields.slot(11), "ORDER-123").character(fields.slot(54), '2').integer(fields.slot(38), 4_200)
        .decimal(fields.slot(44), 10_125, -2).timestamp(fields.slot(60), 1_500_000_000L);

    assertThat(copied(fields)).isEqualTo("11=ORDER-123|54=2|38=004200|44=000101.25|60=19700101-00:00:01.500|");
    assertThat(fields.length()).isEqualTo(copied(fields).length());
  }

  /** The delimiter in a data field of a dictionary of one's own looked like the end of the field. */
  @Test
  void dataFieldsOfTheSessionMayHoldTheDelimiter() {
    writer.integer(38, 7, 6).data(5901, 5902, DATA, 0, DATA.limit()).text(58, "later");
    DataFields ofSession = DataFields.standardWith(new int[][] {{5901, 5902}});

    PreparedFields fields = PreparedFields.copyOf(writer, ofSession);
    fields.text(fields.slot(58), "patch");

    assertThat(copied(fields)).isEqualTo("38=000007|5901=8|5902=a|38=7|b|58=patch|");
  }

  @Test
  void memoryIsItsOwn() {
    PreparedFields fields = PreparedFields.copyOf(writer.text(11, "A").integer(38, 1));
    writer.wrap(writer.buffer(), 20, 300).text(58, "some other text");
    String first = copied(fields);
    fields.character(fields.slot(11), 'B');
    assertThat(first).isEqualTo("11=A|38=1|");
    assertThat(copied(fields)).isEqualTo("11=B|38=1|");
  }

  @Test
  void numbersFillTheWholeField() {
    PreparedFields fields = prepared("38=00000|44=0000000|99=00000000000000000000000|");
    int quantity = fields.slot(38);
    int price = fields.slot(44);
    fields.integer(quantity, 99_999).decimal(price, 1, -5).integer(fields.slot(99), Long.MAX_VALUE);
    assertThat(copied(fields)).isEqualTo("38=99999|44=0.00001|99=00009223372036854775807|");
    fields.integer(quantity, -9_999).decimal(price, -1, -4).decimal(fields.slot(99), 5, -18);
    assertThat(copied(fields)).isEqualTo("38=-9999|44=-0.0001|99=0000.000000000000000005|");
    fields.integer(quantity, -1).decimal(price, -12, 0);
    assertThat(copied(fields)).startsWith("38=-0001|44=-000012|");
  }

  @Test
  void timestampsHaveTheFractionOfTheirField() {
    long time = 1_764_000_000_123_456_789L;
    for (int digits : new int[] {0, 3, 6, 9}) {
      PreparedFields fields = PreparedFields.copyOf(writer.wrap(writer.buffer(), 20, 300).timestamp(60, 0, digits));
      fields.timestamp(fields.slot(60), time);
      String patched = copied(fields);
      writer.wrap(writer.buffer(), 20, 300).timestamp(60, time, digits);
      assertThat(patched).isEqualTo(copied(PreparedFields.copyOf(writer)));
    }
  }

  @Test
  void entriesOfGroupsHaveSlotsOfTheirOwn() {
    PreparedFields fields = prepared("453=2|448=A|452=1|448=B|452=3|");
    int first = fields.slot(448);
    int second = fields.nextSlot(448, first);
    fields.character(second, 'C');
    assertThat(copied(fields)).isEqualTo("453=2|448=A|452=1|448=C|452=3|");
    assertThatThrownBy(() -> fields.nextSlot(448, second)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> fields.slot(38)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("38");
  }

  @Test
  void dataFieldsMayHoldTheDelimiter() {
    PreparedFields fields = PreparedFields.copyOf(writer.data(95, 96, DATA, 0, 8).integer(38, 1));
    fields.integer(fields.slot(38), 9);
    assertThat(copied(fields)).isEqualTo("95=8|96=a|38=7|b|38=9|");
  }

  @Test
  void valuesThatDoNotFitAreRefusedAndChangeNothing() {
    PreparedFields fields = prepared("38=000|44=00000|55=ABC|54=1|60=00000000-00000000|");
    int quantity = fields.slot(38);
    int price = fields.slot(44);
    int symbol = fields.slot(55);
    assertRefused(fields, () -> fields.integer(quantity, 1_000));
    assertRefused(fields, () -> fields.integer(quantity, -100));
    assertRefused(fields, () -> fields.integer(quantity, Long.MIN_VALUE));
    assertRefused(fields, () -> fields.decimal(price, 10_000, -2));
    assertRefused(fields, () -> fields.decimal(price, -1_000, -2));
    assertRefused(fields, () -> fields.decimal(price, 1, -4));
    assertRefused(fields, () -> fields.decimal(price, 1, -18));
    assertRefused(fields, () -> fields.decimal(price, 1, -19));
    assertRefused(fields, () -> fields.decimal(price, 1, 1));
    assertRefused(fields, () -> fields.decimal(price, Long.MIN_VALUE, -1));
    assertRefused(fields, () -> fields.text(symbol, "AB"));
    assertRefused(fields, () -> fields.text(symbol, "ABCD"));
    assertRefused(fields, () -> fields.text(symbol, "XY\u0001"));
    assertRefused(fields, () -> fields.text(symbol, "XY\u20ac"));
    assertRefused(fields, () -> fields.character(symbol, 'X'));
    assertRefused(fields, () -> fields.character(fields.slot(54), '\u0001'));
    assertRefused(fields, () -> fields.timestamp(symbol, 0));
    assertRefused(fields, () -> fields.timestamp(fields.slot(54), 0));
    fields.timestamp(fields.slot(60), 0);
  }

  @Test
  void slotsThatDoNotExistAreRefused() {
    PreparedFields fields = prepared("38=000|");
    for (int slot : new int[] {-1, 1, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
      assertThatThrownBy(() -> fields.integer(slot, 1)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> fields.decimal(slot, 1, -1)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> fields.character(slot, 'x')).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> fields.text(slot, "xyz")).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> fields.timestamp(slot, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void bytesThatAreNoFieldsAreRefused() {
    for (String text : new String[] {"38=000", "=1|", "x=1|", "95=3|96=ab|"}) {
      assertThatThrownBy(() -> prepared(text)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void fieldsThatDoNotFitIntoTheTargetAreRefused() {
    PreparedFields fields = prepared("38=000|");
    target.wrap(target.buffer(), 0, 6);
    assertThatThrownBy(() -> fields.copyTo(target)).isInstanceOf(MessageTooLargeException.class);
    assertThat(target.position()).isZero();
  }

  @Test
  void randomNumbersAreReadAsTheyWerePatched() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    PreparedFields fields = prepared("38=00000000000000000000|44=0000000000000000000000000000000000000000|");
    int quantity = fields.slot(38);
    int price = fields.slot(44);
    Decimal read = new Decimal();
    for (int i = 0; i < PATCHES; i++) {
      long value = random.nextLong() % 1_000_000_000_000_000_000L >> random.nextInt(60);
      int exponent = -random.nextInt(18);
      fields.integer(quantity, value).decimal(price, value, exponent);
      MessageView view = TestMessages.view("35=D|" + copied(fields));
      assertThat(view.integer(38)).as("seed %d", seed).isEqualTo(value);
      assertThat(view.decimal(44, read).mantissaAt(exponent)).as("seed %d", seed).isEqualTo(value);
    }
  }
}
