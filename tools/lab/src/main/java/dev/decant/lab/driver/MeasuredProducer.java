package dev.decant.lab.driver;

/**
 * A producer of one of the clients. Each JVM loads one implementation, so calls through this cost nothing. Threads: any
 * number may send.
 */
interface MeasuredProducer extends AutoCloseable {

  /** Who is told what became of records. */
  interface Outcomes {
    /**
     * A record is stored.
     *
     * @param tag given to {@link #send}
     */
    void onAcked(long tag);

    /**
     * A record is lost.
     *
     * @param cause why
     */
    void onFailed(Throwable cause);
  }

  /**
   * Sends without waiting, but for memory.
   *
   * @param topic which of the work's topics, from 0
   * @param value to send
   * @param tag told with the outcome; those other than 0 are few
   */
  void send(int topic, byte[] value, long tag);

  /**
   * Sends to a partition, without waiting.
   *
   * @param partition its number
   * @param value to send
   */
  void sendTo(int partition, byte[] value);

  /**
   * Sends to the partition of a key, without waiting.
   *
   * @param key of the record
   * @param value to send
   */
  void sendWithKey(byte[] key, byte[] value);

  /**
   * Sends and waits for the acknowledgement.
   *
   * @param value to send
   * @param pollMillis how long to sleep between looks at the result; 0 to wait for it
   * @throws Exception when it is not acknowledged
   */
  void sendAndWait(byte[] value, long pollMillis) throws Exception;

  /**
   * Begins a transaction; the work {@code transact} only.
   */
  void begin();

  /**
   * Commits the transaction and waits for it.
   *
   * @throws Exception when it is not committed
   */
  void commit() throws Exception;

  /**
   * When the client's code for the network knew the result of the last record that was waited for, and nobody was told
   * of it yet. Only if watched, and for one thread that sends.
   *
   * @return monotonic time
   */
  long resultNanos();

  /**
   * Waits until everything is acknowledged.
   *
   * @throws Exception when that takes too long
   */
  void flush() throws Exception;

  @Override
  void close();
}
