package dev.decant.lab.driver;

/** A consumer of one of the clients. One thread at a time. */
public interface MeasuredConsumer extends AutoCloseable {

  /** Takes the values of records, on the thread that polls. */
  interface Sink {
    /**
     * Takes a record's value.
     *
     * @param length number of bytes
     * @param first first byte
     * @param last last byte
     */
    void value(int length, byte first, byte last);
  }

  /** Takes values that begin with two times, as {@link Stamps} writes them, on the thread that polls. */
  interface StampSink {
    /**
     * Takes a record's times.
     *
     * @param intendedNanos when the record was due to be sent
     * @param sentNanos when it was sent
     */
    void value(long intendedNanos, long sentNanos);
  }

  /** Opens a consumer on all partitions of a work's topics. */
  interface Opening {
    /**
     * Opens a consumer.
     *
     * @param spec what to do
     * @param sink takes each value
     * @return to be closed
     */
    MeasuredConsumer open(WorkSpec spec, Sink sink);
  }

  /**
   * Polls once; the sink takes the records.
   *
   * @return the number of records
   * @throws InterruptedException if the thread was interrupted
   */
  int poll() throws InterruptedException;

  /** Continues at the first record of each partition. */
  void seekToBeginning();

  @Override
  void close();
}
