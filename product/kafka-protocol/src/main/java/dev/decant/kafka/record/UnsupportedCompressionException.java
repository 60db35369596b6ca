package dev.decant.kafka.record;

import org.jspecify.annotations.Nullable;

/** The records of a batch are compressed by a codec that is not at hand. */
public final class UnsupportedCompressionException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final CompressionType compression;

  UnsupportedCompressionException(CompressionType compression, long baseOffset) {
    this(compression, "record batch with base offset " + baseOffset + " is compressed with " + compression
        + ", and there is no codec for it", null);
  }

  /**
   * Makes an exception.
   *
   * @param compression the codec that is missing
   * @param message what to do about it
   * @param cause why it could not be loaded; null if it was not found
   */
  public UnsupportedCompressionException(CompressionType compression, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.compression = compression;
  }

  /**
   * Returns the codec that is missing.
   *
   * @return not {@link CompressionType#NONE}
   */
  public CompressionType compression() {
    return compression;
  }
}
