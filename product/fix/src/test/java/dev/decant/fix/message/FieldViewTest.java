package dev.decant.fix.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each accessor, with good and with bad values. */
class FieldViewTest {
  private final Decimal decimal = new Decimal();
  private final AsciiView text = new AsciiView();

  private static MessageView field(String value) {
    return TestMessages.view("35=D|58=" + value + "|");
  }

  private static void assertMissing(ThrowingCallable read) {
    assertThatExceptionOfType(FieldException.class).isThrownBy(read).satisfies(e -> {
      assertThat(e.tag()).isEqualTo(77);
      assertThat(e.reason()).isEqualTo(RejectReason.REQUIRED_TAG_MISSING);
    });
  }

  private static void assertBadFormat(ThrowingCallable read) {
    assertThatExceptionOfType(FieldException.class).isThrownBy(read).satisfies(e -> {
      assertThat(e.tag()).isEqualTo(58);
      assertThat(e.reason()).isEqualTo(RejectReason.INCORRECT_DATA_FORMAT);
    });
  }

  @Test
  void missingFieldIsSaidOrReplaced() {
    MessageView view = field("x");
    assertMissing(() -> view.integer(77));
    assertMissing(() -> view.decimal(77, decimal));
    assertMissing(() -> view.character(77));
    assertMissing(() -> view.timestamp(77));
    assertMissing(() -> view.date(77));
    assertMissing(() -> view.time(77));
    assertMissing(() -> view.text(77, text));
    assertMissing(() -> view.string(77));
    assertMissing(() -> view.copy(77, new byte[10]));
    assertThat(view.integer(77, -7)).isEqualTo(-7);
    assertThat(view.flag(77, true)).isTrue();
    assertThat(view.flag(77, false)).isFalse();
    assertThat(view.string(77, "none")).isEqualTo("none");
    assertThat(view.contentEquals(77, "")).isFalse();
    assertThat(view.has(77)).isFalse();
    assertThat(view.find(77)).isEqualTo(-1);
    assertThat(view.find(0)).isEqualTo(-1);
    assertThat(view.find(-1)).isEqualTo(-1);
    assertThat(view.find(Integer.MIN_VALUE)).isEqualTo(-1);
  }

  @ParameterizedTest
  @CsvSource({"0,0", "-0,0", "1,1", "-1,-1", "007,7", "-007,-7", "999999999999999999,999999999999999999",
      "-999999999999999999,-999999999999999999", "0000000000000000000000012,12", "00000000000000000000000,0"})
  void integersAreRead(String value, long expected) {
    assertThat(field(value).integer(58)).isEqualTo(expected);
    assertThat(field(value).integer(58, 5)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-", "+1", "1.0", "1 ", " 1", "--1", "1-", "a", "1e3", "1000000000000000000",
      "9223372036854775808", "-9223372036854775808", "\u00b2"})
  void otherIntegersAreRefused(String value) {
    assertBadFormat(() -> field(value).integer(58));
    assertBadFormat(() -> field(value).integer(58, 5));
  }

  @ParameterizedTest
  @CsvSource({"0,0,0", "23,23,0", "23.23,2323,-2", "-23.230,-23230,-3", "00023.23,2323,-2", ".5,5,-1", "-.5,-5,-1",
      "5.,5,0",
      "0.00,0,-2", "-0,0,0", "999999999999999999,999999999999999999,0", "0.000000000000000001,1,-18",
      "0.999999999999999999,999999999999999999,-18", "0000000000000000000000.1,1,-1"})
  void decimalsAreRead(String value, long mantissa, int exponent) {
    field(value).decimal(58, decimal);
    assertThat(decimal.mantissa()).isEqualTo(mantissa);
    assertThat(decimal.exponent()).isEqualTo(exponent);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "-", ".", "-.", "1.2.3", "+1", "1e5", "1,5", "1000000000000000000", "0.0000000000000000001",
          "0.0000000000000000000", "12345678901.12345678", "NaN", "1.-5", "- 1"})
  void otherDecimalsAreRefused(String value) {
    assertBadFormat(() -> field(value).decimal(58, decimal));
  }

  @Test
  void charactersAreRead() {
    assertThat(field("1").character(58)).isEqualTo('1');
    assertThat(field("\u00e4").character(58)).isEqualTo('\u00e4');
    assertBadFormat(() -> field("").character(58));
    assertBadFormat(() -> field("12").character(58));
  }

  @Test
  void flagsAreRead() {
    assertThat(field("Y").flag(58, false)).isTrue();
    assertThat(field("N").flag(58, true)).isFalse();
    for (String value : new String[] {"", "y", "n", "1", "YES", "NO", "YY"}) {
      assertBadFormat(() -> field(value).flag(58, true));
    }
  }

  @Test
  void timesAreRead() {
    assertThat(field("19700102-00:00:01.5").timestamp(58)).isEqualTo(86_401_500_000_000L);
    assertThat(field("19700102").date(58)).isEqualTo(1);
    assertThat(field("00:01:00").time(58)).isEqualTo(60_000_000_000L);
    assertBadFormat(() -> field("19700102").timestamp(58));
    assertBadFormat(() -> field("19700102-00:00:01").date(58));
    assertBadFormat(() -> field("24:00:00").time(58));
    assertBadFormat(() -> field("").timestamp(58));
  }

  @Test
  void textIsReadInPlaceAndAsString() {
    MessageView view = field("caf\u00e9");
    assertThat(view.text(58, text)).isSameAs(text).hasToString("caf\u00e9").hasSize(4);
    assertThat(text.charAt(3)).isEqualTo('\u00e9');
    assertThat(text.subSequence(1, 3)).isEqualTo("af");
    assertThatThrownBy(() -> text.charAt(4)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> text.charAt(-1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(text.contentEquals("caf\u00e9")).isTrue();
    assertThat(text.contentEquals("cafe")).isFalse();
    assertThat(text.contentEquals("caf")).isFalse();
    assertThat(text.contentEquals("caf\u01e9")).isFalse();
    assertThat(view.string(58)).isEqualTo("caf\u00e9");
    assertThat(view.string(58, "")).isEqualTo("caf\u00e9");
    assertThat(new AsciiView()).isEmpty();
    assertThat(field("").text(58, text)).isEmpty();
  }

  @Test
  void valuesAreCompared() {
    MessageView view = field("abc");
    assertThat(view.contentEquals(58, "abc")).isTrue();
    assertThat(view.contentEquals(58, "abd")).isFalse();
    assertThat(view.contentEquals(58, "ab")).isFalse();
    assertThat(view.contentEquals(58, "abcd")).isFalse();
    assertThat(view.contentEquals(58, "ab\u0163")).isFalse();
    assertThat(view.valueEquals(view.find(58), "abc")).isTrue();
    assertThat(field("").contentEquals(58, "")).isTrue();
  }

  @Test
  void valueIsCopied() {
    byte[] target = {9, 9, 9, 9};
    assertThat(field("abc").copy(58, target)).isEqualTo(3);
    assertThat(target).containsExactly('a', 'b', 'c', 9);
    assertThatThrownBy(() -> field("abcde").copy(58, target)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  /** A look for a tag went on behind the last one found: has(58) made string(58) read the second field. */
  @Test
  void firstFieldOfATagIsReadHoweverOften() {
    MessageView view = TestMessages.view("35=D|58=first|44=1|58=second|44=2|58=third|");
    assertThat(view.integer(44)).isOne();
    for (int i = 0; i < 3; i++) {
      assertThat(view.has(58)).isTrue();
      assertThat(view.string(58)).isEqualTo("first");
    }
    int second = view.findNext(58, view.find(58));
    assertThat(view.valueEquals(second, "second")).isTrue();
    int third = view.findNext(58, second);
    assertThat(view.valueEquals(third, "third")).isTrue();
    assertThat(view.findNext(58, third)).isEqualTo(-1);
  }

  /** Tags with a slot in common, in each order, with others of earlier messages in the table. */
  @Test
  void tagsWithTheSameLowerBitsAreToldApart() {
    MessageView view = new MessageView();
    String[] bodies = {"35=D|100=a|356=b|612=c|", "35=D|612=c|356=b|100=a|", "35=D|356=b|",
        "35=D|1=x|2=x|356=b|356=x|100=a|",
        "35=D|58=a|"};
    for (String body : bodies) {
      byte[] message = TestMessages.message(body);
      assertThat(view.parse(ByteBuffer.wrap(message), 0, message.length, true)).isEqualTo(MessageView.OK);
      for (int tag : new int[] {100, 356, 612, 868}) {
        assertThat(view.has(tag)).as("%d in %s", tag, body).isEqualTo(body.contains("|" + tag + "="));
      }
      assertThat(view.string(100, "a")).isEqualTo("a");
      assertThat(view.string(356, "b")).isEqualTo("b");
      assertThat(view.string(612, "c")).isEqualTo("c");
    }
  }
}
