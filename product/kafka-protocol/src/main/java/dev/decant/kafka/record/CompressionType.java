package dev.decant.kafka.record;

/**
 * The compression of a batch's records: bits 0 to 2 of its attributes. The constants are in the order of these numbers.
 */
public enum CompressionType {
  /** No compression. */
  NONE(0),
  /** Gzip (RFC 1952). */
  GZIP(1),
  /** Snappy, in the frames of xerial's library. */
  SNAPPY(2),
  /** LZ4 frames. */
  LZ4(3),
  /** Zstandard (RFC 8878). */
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
