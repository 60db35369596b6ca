package dev.decant.kafka.consumer;

/** Decides what happens to a record whose key or value the decoder cannot read. */
@FunctionalInterface
public interface BadRecordPolicy {
  /** Outcome for the record. */
  enum Decision {
    /**
     * Poll throws, and the position stays at the record. The next poll begins with it, unless the application seeks.
     */
    STOP,
    /** The record counts as delivered. */
    SKIP
  }

  /** Poll throws the {@link BadRecordException}. The default. */
  BadRecordPolicy STOP = (record, cause) -> Decision.STOP;

  /** The record is skipped, and error listeners hear of it ({@code record.skipped}). */
  BadRecordPolicy SKIP = (record, cause) -> Decision.SKIP;

  /**
   * Decides. Called by the polling thread after the handler has let the exception pass. If this throws, poll throws the
   * same exception, and the position stays at the record.
   *
   * @param record the record; its bytes can be read, but its key or its value cannot be decoded
   * @param cause says which, and has the decoder's exception as its cause
   * @return the outcome
   */
  Decision decide(ConsumerRecord<?, ?> record, BadRecordException cause);
}
