package dev.decant.fix.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Decimals against BigDecimal. */
class DecimalTest {
  private static final long LARGEST_READ = 999_999_999_999_999_999L;

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(100);
  private final FieldWriter writer = new FieldWriter();
  private final Decimal decimal = new Decimal();

  private long randomMantissa() {
    long bound = 1;
    for (int digits = random.nextInt(19); digits > 0; digits--) {
      bound *= 10;
    }
    return random.nextLong(bound) * (random.nextBoolean() ? 1 : -1);
  }

  private String written(long mantissa, int exponent) {
    writer.wrap(buffer, 0, 100).decimal(44, mantissa, exponent);
    byte[] bytes = new byte[writer.position() - 4];
    buffer.get(3, bytes);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  @Test
  void randomNumbersAreWrittenAndRead() {
    for (int i = 0; i < 50_000; i++) {
      long mantissa = randomMantissa();
      int exponent = -random.nextInt(19);
      String text = written(mantissa, exponent);
      assertThat(text).as("seed %d", seed).isEqualTo(BigDecimal.valueOf(mantissa, -exponent).toPlainString());
      TestMessages.view("35=D|44=" + text + "|").decimal(44, decimal);
      assertThat(decimal.mantissa()).as("seed %d, %s", seed, text).isEqualTo(mantissa);
      assertThat(decimal.exponent()).as("seed %d, %s", seed, text).isEqualTo(exponent);
      assertThat(decimal).hasToString(text);
    }
  }

  @Test
  void limitsAreWritten() {
    for (long mantissa : new long[] {0, LARGEST_READ, -LARGEST_READ, Long.MAX_VALUE, -Long.MAX_VALUE}) {
      for (int exponent = -18; exponent <= 0; exponent++) {
        String expected = BigDecimal.valueOf(mantissa, -exponent).toPlainString();
        assertThat(written(mantissa, exponent)).isEqualTo(expected);
        writer.wrap(buffer, 0, expected.length() + 4).decimal(44, decimal.set(mantissa, exponent)); // fits exactly
        int tooFew = expected.length() + 3;
        assertThatThrownBy(() -> writer.wrap(buffer, 0, tooFew).decimal(44, decimal))
            .isInstanceOf(MessageTooLargeException.class);
      }
    }
    assertThat(written(Long.MIN_VALUE, 0)).isEqualTo("-9223372036854775808");
  }

  @Test
  void numberOutOfBoundsIsRefused() {
    writer.wrap(buffer, 0, 100);
    for (int exponent : new int[] {1, -19, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      assertThatThrownBy(() -> writer.decimal(44, 1, exponent)).isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("exponent " + exponent);
    }
    assertThatThrownBy(() -> writer.decimal(44, Long.MIN_VALUE, -1)).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("mantissa");
    assertThat(writer.position()).isZero();
  }

  @Test
  void mantissaFollowsTheExponentWithoutLoss() {
    for (int i = 0; i < 20_000; i++) {
      BigDecimal number = BigDecimal.valueOf(randomMantissa(), random.nextInt(19));
      int places = random.nextInt(25) - 3;
      decimal.set(number.unscaledValue().longValueExact(), -number.scale());
      Long expected = null;
      try {
        expected = number.setScale(places).unscaledValue().longValueExact();
      } catch (ArithmeticException e) {
        // rounds or overflows
      }
      if (expected != null) {
        assertThat(decimal.mantissaAt(-places)).as("seed %d, %s", seed, number).isEqualTo(expected);
      } else {
        assertThatThrownBy(() -> decimal.mantissaAt(-places)).as("seed %d, %s", seed, number)
            .isInstanceOf(ArithmeticException.class);
      }
    }
  }

  @Test
  void zeroHasAnyExponentAtOnce() {
    decimal.set(0, 5);
    assertThat(decimal.mantissaAt(Integer.MIN_VALUE)).isZero();
    assertThat(decimal.mantissaAt(Integer.MAX_VALUE)).isZero();
    decimal.set(1, 0);
    assertThatThrownBy(() -> decimal.mantissaAt(Integer.MIN_VALUE)).isInstanceOf(ArithmeticException.class);
    assertThatThrownBy(() -> decimal.mantissaAt(Integer.MAX_VALUE)).isInstanceOf(ArithmeticException.class);
  }

  @Test
  void doubleIsNextToTheNumber() {
    for (int i = 0; i < 20_000; i++) {
      long mantissa = randomMantissa();
      int exponent = random.nextInt(30) - 20;
      double expected = BigDecimal.valueOf(mantissa, -exponent).doubleValue();
      assertThat(decimal.set(mantissa, exponent).toDouble()).as("seed %d", seed)
          .isCloseTo(expected, within(2 * Math.ulp(expected)));
    }
    assertThat(decimal.set(10_125, -2).toDouble()).isEqualTo(101.25);
    assertThat(decimal.set(1, -1).toDouble()).isEqualTo(0.1);
  }
}
