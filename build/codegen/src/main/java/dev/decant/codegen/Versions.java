package dev.decant.codegen;

/**
 * A range of message versions.
 *
 * @param lowest the first
 * @param highest the last; lower than {@code lowest} if there are none
 */
record Versions(int lowest, int highest) {
  static final Versions NONE = new Versions(0, -1);

  /** Reads the notations {@code none}, {@code 3}, {@code 3-5} and {@code 3+} of a schema. */
  static Versions parse(String text) {
    if (text.equals("none")) {
      return NONE;
    }
    if (text.endsWith("+")) {
      return new Versions(Integer.parseInt(text.substring(0, text.length() - 1)), Short.MAX_VALUE);
    }
    int dash = text.indexOf('-');
    if (dash < 0) {
      int only = Integer.parseInt(text);
      return new Versions(only, only);
    }
    return new Versions(Integer.parseInt(text.substring(0, dash)), Integer.parseInt(text.substring(dash + 1)));
  }

  boolean isEmpty() {
    return highest < lowest;
  }

  boolean contains(int version) {
    return version >= lowest && version <= highest;
  }

  Versions intersect(Versions other) {
    Versions both = new Versions(Math.max(lowest, other.lowest), Math.min(highest, other.highest));
    return both.isEmpty() ? NONE : both;
  }

  /** The part of this range that is below another one which, if there is any, lasts to this one's end. */
  Versions below(Versions tail) {
    if (tail.isEmpty()) {
      return this;
    }
    if (tail.highest < highest) {
      throw new IllegalArgumentException(tail + " does not last to the end of " + this);
    }
    return intersect(new Versions(0, tail.lowest - 1));
  }

  /** A Java condition that holds for the versions of {@code within} that are in this range; both overlap in part. */
  String condition(Versions within) {
    if (lowest <= within.lowest) {
      return "version <= " + highest;
    }
    if (highest >= within.highest) {
      return "version >= " + lowest;
    }
    return lowest == highest ? "version == " + lowest : "version >= " + lowest + " && version <= " + highest;
  }

  /** The opposite of {@link #condition}. */
  String negatedCondition(Versions within) {
    if (lowest <= within.lowest) {
      return "version > " + highest;
    }
    if (highest >= within.highest) {
      return "version < " + lowest;
    }
    return lowest == highest ? "version != " + lowest : "version < " + lowest + " || version > " + highest;
  }

  @Override
  public String toString() {
    if (isEmpty()) {
      return "none";
    }
    if (lowest == highest) {
      return Integer.toString(lowest);
    }
    return highest == Short.MAX_VALUE ? lowest + "+" : lowest + "-" + highest;
  }
}
