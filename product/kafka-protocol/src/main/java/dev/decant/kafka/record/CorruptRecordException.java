package dev.decant.kafka.record;

/**
 * A record batch is not what its format, its lengths or its checksum say. Everything in the partition before
 * {@link #baseOffset()} was sound.
 */
public final class CorruptRecordException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final long baseOffset;

  CorruptRecordException(long baseOffset, String message) {
    super("record batch with base offset " + baseOffset + ": " + message);
    this.baseOffset = baseOffset;
  }

  /**
   * Returns the base offset that the batch states, which may itself be wrong.
   *
   * @return an offset of the partition
   */
  public long baseOffset() {
    return baseOffset;
  }
}
