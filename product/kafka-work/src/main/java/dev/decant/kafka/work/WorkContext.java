package dev.decant.kafka.work;

/** An attempt to work on a record. Any thread, until the attempt has ended. */
public interface WorkContext {
  /**
   * Which attempt this is, those before a retry topic included.
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
}
