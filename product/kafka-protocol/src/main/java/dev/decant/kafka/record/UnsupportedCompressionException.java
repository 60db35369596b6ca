package dev.decant.kafka.record;

import org.jspecify.annotations.Nullable;

/** Signals that there is no codec for the records of a batch. */
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
   * @param message how to add the codec
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
