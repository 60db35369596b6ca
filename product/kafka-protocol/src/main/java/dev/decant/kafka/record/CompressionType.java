package dev.decant.kafka.record;

/** How the records of a batch are compressed: bits 0 to 2 of its attributes. Declared in the order of the numbers. */
public enum CompressionType {
  /** Not compressed. */
  NONE(0),
  /** RFC 1952. */
  GZIP(1),
  /** Snappy, framed as xerial does. */
  SNAPPY(2),
  /** LZ4 frames. */
  LZ4(3),
  /** RFC 8878. */
  ZSTD(4);

  private final int id;

  CompressionType(int id) {
    this.id = id;
  }

  /**
   * Returns the type with a number.
   *
   * @param id 0 to 4
   * @return the type
   * @throws IllegalArgumentException if there is none
   */
  public static CompressionType of(int id) {
    for (CompressionType type : values()) {
      if (type.id == id) {
        return type;
      }
    }
    throw new IllegalArgumentException("compression type " + id + " is not known");
  }

  /**
   * Returns the number on the wire.
   *
   * @return 0 to 4
   */
  public int id() {
    return id;
  }
}
