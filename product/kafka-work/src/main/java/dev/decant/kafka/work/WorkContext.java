package dev.decant.kafka.work;

/** An attempt to work on a record. Any thread, until the attempt has ended. */
public interface WorkContext {
  /**
   * Which attempt this is. Attempts before a retry topic count.
   *
   * @return 1 for the first
   */
  int attempt();

  /**
   * Whether the result is of no use any more: the partition was lost to another member, or the work is being closed and
   * its time is over. The thread is interrupted, too, if it is one of the work's own.
   *
   * @return true if the handler should end
   */
  boolean isCancelled();

  /**
   * Where the record was read first. A record of a retry topic came from a main topic; any other record is its own
   * origin.
   *
   * @return topic, partition, offset and timestamp
   */
  RecordOrigin origin();
}
