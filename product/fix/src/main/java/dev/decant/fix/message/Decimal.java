package dev.decant.fix.message;

import java.math.BigDecimal;

/**
 * A number as mantissa and exponent: {@code mantissa * 10^exponent}. A carrier for one value after the other; not
 * thread-safe.
 */
public final class Decimal {
  private long mantissa;
  private int exponent;

  /** Makes a zero. */
  public Decimal() {}

  /**
   * Sets the number.
   *
   * @param newMantissa its digits, with the sign
   * @param newExponent where the decimal point stands: -2 for two places after it
   * @return this
   */
  public Decimal set(long newMantissa, int newExponent) {
    mantissa = newMantissa;
    exponent = newExponent;
    return this;
  }

  /**
   * The digits.
   *
   * @return with the sign; trailing zeros as they were received
   */
  public long mantissa() {
    return mantissa;
  }

  /**
   * Where the decimal point stands.
   *
   * @return -18 to 0 for a number that was read
   */
  public int exponent() {
    return exponent;
  }

  /**
   * The number with another exponent.
   *
   * @param newExponent the exponent wanted
   * @return the mantissa under it
   * @throws ArithmeticException if digits would be lost, or the mantissa does not fit
   */
  public long mantissaAt(int newExponent) {
    long value = mantissa;
    if (value == 0) {
      return 0;
    }
    for (int e = exponent; e > newExponent; e--) {
      value = Math.multiplyExact(value, 10);
    }
    for (int e = exponent; e < newExponent; e++) {
      if (value % 10 != 0) {
        throw new ArithmeticException(this + " has digits below 10^" + newExponent);
      }
      value /= 10;
    }
    return value;
  }

  /**
   * The number as a double, rounded.
   *
   * @return an approximation
   */
  public double toDouble() {
    return exponent < 0 ? mantissa / Math.pow(10, -exponent) : mantissa * Math.pow(10, exponent);
  }

  /** For people. */
  @Override
  public String toString() {
    return BigDecimal.valueOf(mantissa, -exponent).toPlainString();
  }
}
