package dev.decant.kafka.record;

/** The records of a batch are compressed by a codec that is not at hand. */
public final class UnsupportedCompressionException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final CompressionType compression;

  UnsupportedCompressionException(CompressionType compression, long baseOffset) {
    super("record batch with base offset " + baseOffset + " is compressed with " + compression
        + ", and there is no codec for it");
    this.compression = compression;
  }

  /**
   * The codec that is missing.
   *
   * @return not {@link CompressionType#NONE}
   */
  public CompressionType compression() {
    return compression;
  }
}
