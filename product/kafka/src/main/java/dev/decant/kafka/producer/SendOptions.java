package dev.decant.kafka.producer;

/**
 * Headers, partition and timestamp of a record. They are copied during the call that sends, so one object serves for
 * any number of records, one after the other. Not thread-safe.
 */
public final class SendOptions {
  private static final long NOW = -1;

  private final Headers headers = new Headers();
  private int partition = Partitioner.STICKY;
  private long timestamp = NOW;

  /** No headers, the partitioner's choice, and the time of the send. */
  public SendOptions() {}

  /**
   * The headers.
   *
   * @return the same object at each call, empty at first
   */
  public Headers headers() {
    return headers;
  }

  /**
   * Sets the partition; the partitioner is not asked then.
   *
   * @param number from 0 on
   * @return this
   * @throws IllegalArgumentException if it is negative; a send refuses a partition that does not exist
   */
  public SendOptions partition(int number) {
    if (number < 0) {
      throw new IllegalArgumentException("partition: " + number + " is negative");
    }
    partition = number;
    return this;
  }

  /**
   * Sets the timestamp.
   *
   * @param epochMillis since 1970
   * @return this
   * @throws IllegalArgumentException if it is negative
   */
  public SendOptions timestamp(long epochMillis) {
    if (epochMillis < 0) {
      throw new IllegalArgumentException("timestamp: " + epochMillis + " is negative");
    }
    timestamp = epochMillis;
    return this;
  }

  /**
   * Copies headers, partition and timestamp of other options. Allocates nothing once the headers have room.
   *
   * @param other what to copy; it does not change
   * @return this
   */
  public SendOptions copyOf(SendOptions other) {
    if (!other.equals(this)) {
      headers.clear().addAll(other.headers);
      partition = other.partition;
      timestamp = other.timestamp;
    }
    return this;
  }

  /**
   * Clears these options: no headers, no partition, no timestamp.
   *
   * @return this
   */
  public SendOptions clear() {
    headers.clear();
    partition = Partitioner.STICKY;
    timestamp = NOW;
    return this;
  }

  /**
   * The partition that the record goes to.
   *
   * @return its number; -1 if the partitioner chooses
   */
  public int partition() {
    return partition;
  }

  boolean hasTimestamp() {
    return timestamp >= 0;
  }

  /**
   * The timestamp that the record gets.
   *
   * @return epoch milliseconds; -1 for the time of the send
   */
  public long timestamp() {
    return timestamp;
  }
}
