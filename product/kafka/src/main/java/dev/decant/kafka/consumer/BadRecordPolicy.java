package dev.decant.kafka.consumer;

/** What becomes of a record whose key or value the decoder cannot read. */
@FunctionalInterface
public interface BadRecordPolicy {
  /** What is done with such a record. */
  enum Decision {
    /** Poll throws, and the position stays at the record: the next poll begins with it, unless a seek is before. */
    STOP,
    /** It counts as handed out. */
    SKIP
  }

  /** Poll throws the {@link BadRecordException}. The default. */
  BadRecordPolicy STOP = (record, cause) -> Decision.STOP;

  /** The record is passed over; error listeners are told ({@code record.skipped}). */
  BadRecordPolicy SKIP = (record, cause) -> Decision.SKIP;

  /**
   * Decides. Called by the polling thread, in the place of what the handler would have done next with the record. If
   * this throws, poll throws the same, and the position stays at the record.
   *
   * @param record the record; its bytes can be read, of key and value one at least cannot be decoded
   * @param cause says which, and has the decoder's exception as its cause
   * @return what to do
   */
  Decision decide(ConsumerRecord<?, ?> record, BadRecordException cause);
}
