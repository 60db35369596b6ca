package dev.decant.kafka.record;

/**
 * Signals that a record batch contradicts its format, its lengths or its checksum. All data of the partition before
 * {@link #baseOffset()} is sound.
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
