package dev.decant.fix.message;

import java.math.BigDecimal;

/**
 * A number as mantissa and exponent: {@code mantissa * 10^exponent}. Reused for one value after the other; not
 * thread-safe.
 */
public final class Decimal {
  private long mantissa;
  private int exponent;

  /** Creates a zero. */
  public Decimal() {}

  /**
   * Sets the number.
   *
   * @param newMantissa its digits, with the sign
   * @param newExponent the position of the decimal point: -2 for two places after it
   * @return this
   */
  public Decimal set(long newMantissa, int newExponent) {
    mantissa = newMantissa;
    exponent = newExponent;
    return this;
  }

  /**
   * Returns the digits.
   *
   * @return with the sign; trailing zeros as received
   */
  public long mantissa() {
    return mantissa;
  }

  /**
   * Returns the position of the decimal point.
   *
   * @return -18 to 0 for a number that was read
   */
  public int exponent() {
    return exponent;
  }

  /**
   * Converts the number to another exponent.
   *
   * @param newExponent the exponent
   * @return the mantissa for that exponent
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
   * Returns the number as a double, rounded.
   *
   * @return an approximation
   */
  public double toDouble() {
    return exponent < 0 ? mantissa / Math.pow(10, -exponent) : mantissa * Math.pow(10, exponent);
  }

  /** Returns the number in decimal notation. */
  @Override
  public String toString() {
    return BigDecimal.valueOf(mantissa, -exponent).toPlainString();
  }
}
