package dev.decant.lab.driver;

/** A consumer of one of the clients. One thread. */
interface MeasuredConsumer extends AutoCloseable {

  /** Who is told of the values. */
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

  /** Who is told of values that begin with two times, as {@link Stamps} writes them. */
  interface StampSink {
    /**
     * A record has come.
     *
     * @param intendedNanos when it should have been sent
     * @param sentNanos when it was sent
     */
    void value(long intendedNanos, long sentNanos);
  }

  /**
   * Opens the consumer of the client that this JVM is for, on all partitions of the topic.
   *
   * @param spec what to do
   * @param sink told of each value
   * @return to be closed
   */
  static MeasuredConsumer open(WorkSpec spec, Sink sink) {
    if (spec.client().equals(WorkSpec.BARE_SOCKET)) {
      return new BareConsumer(spec, sink);
    }
    return spec.isDecant() ? DecantConsumer.of(spec, sink) : ApacheConsumer.of(spec, sink);
  }

  /**
   * The same for values with times in them.
   *
   * @param spec what to do
   * @param sink told of each value
   * @return to be closed
   */
  static MeasuredConsumer openStamped(WorkSpec spec, StampSink sink) {
    return spec.isDecant() ? DecantConsumer.ofStamped(spec, sink) : ApacheConsumer.ofStamped(spec, sink);
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
