package dev.decant.fix.conformance;

/**
 * A field of a line.
 *
 * @param tag the tag
 * @param value its value, or a placeholder for one
 * @param absent whether the line says {@code -tag}: the field is not there
 */
record Field(int tag, String value, boolean absent) {
  @Override
  public String toString() {
    return absent ? "-" + tag : tag + "=" + value;
  }
}
