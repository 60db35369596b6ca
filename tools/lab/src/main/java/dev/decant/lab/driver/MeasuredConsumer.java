package dev.decant.lab.driver;

/** A consumer of one of the clients. One thread. */
public interface MeasuredConsumer extends AutoCloseable {

  /** Takes the values of records, on the thread that polls. */
  interface Sink {
    /**
     * A record has come.
     *
     * @param length of its value
     * @param first byte of it
     * @param last byte of it
     */
    void value(int length, byte first, byte last);
  }

  /** Takes values that begin with two times, as {@link Stamps} writes them, on the thread that polls. */
  interface StampSink {
    /**
     * A record has come.
     *
     * @param intendedNanos when it should have been sent
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
   * Tells the sink of the next records.
   *
   * @return how many there were
   * @throws InterruptedException if the thread was interrupted
   */
  int poll() throws InterruptedException;

  /** Goes on with the first record of each partition. */
  void seekToBeginning();

  @Override
  void close();
}
