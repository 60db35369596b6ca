package dev.decant.lab.driver;

/**
 * A producer of one of the clients. Each JVM loads one implementation, so the JIT compiler inlines calls through this
 * interface. Any number of threads may send.
 */
interface MeasuredProducer extends AutoCloseable {

  /** Takes the outcome of each record, on the client's I/O thread. */
  interface Outcomes {
    /**
     * Takes the acknowledgement of a record.
     *
     * @param tag the tag given to {@link #send}
     */
    void onAcked(long tag);

    /** Takes the failure of a record. */
    void onFailed(Throwable cause);
  }

  /**
   * Sends without waiting for anything but memory.
   *
   * @param topic index among the work's topics
   * @param tag comes back with the outcome; few records have one other than 0
   */
  void send(int topic, byte[] value, long tag);

  /** Sends to a partition, without waiting. */
  void sendTo(int partition, byte[] value);

  /** Sends to the partition of a key, without waiting. */
  void sendWithKey(byte[] key, byte[] value);

  /**
   * Sends and waits for the acknowledgement.
   *
   * @param pollMillis pause between checks of the result; 0 to wait for it
   * @throws Exception when the record fails
   */
  void sendAndWait(byte[] value, long pollMillis) throws Exception;

  /** Begins a transaction. For the work {@code transact} only. */
  void begin();

  /**
   * Commits the transaction and waits for the broker's response.
   *
   * @throws Exception when the commit fails
   */
  void commit() throws Exception;

  /**
   * Returns the time at which the client's I/O thread knew the result of the last awaited record, before it passed the
   * result on. Valid if the producer was opened as watched, with one thread that sends.
   */
  long resultNanos();

  /**
   * Waits until all records are acknowledged.
   *
   * @throws Exception when that takes too long
   */
  void flush() throws Exception;

  @Override
  void close();
}
