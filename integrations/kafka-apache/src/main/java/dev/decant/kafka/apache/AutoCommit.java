package dev.decant.kafka.apache;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Decides when positions are committed without a call: {@code auto.commit.interval.ms}. Caller's thread only (see
 * {@link ThreadCheck}).
 */
final class AutoCommit implements OffsetCommitCallback {
  private static final Logger LOGGER = System.getLogger(AutoCommit.class.getName());

  private final boolean enabled;
  private final long intervalNanos;
  private long dueNanos;
  /** True if a poll or a seek may have moved a position since the lookup of committed offsets. */
  private boolean moved;

  AutoCommit(boolean enabled, long intervalNanos, long nowNanos) {
    this.enabled = enabled;
    this.intervalNanos = intervalNanos;
    this.dueNanos = nowNanos + intervalNanos;
  }

  boolean isEnabled() {
    return enabled;
  }

  /**
   * Returns true if there may be positions to commit. To commit a position that was only looked up would erase the
   * metadata that is stored with it.
   */
  boolean hasWork() {
    return enabled && moved;
  }

  void positionsMoved() {
    moved = true;
  }

  /** Notes that the application has assigned partitions itself. */
  void partitionsChosen() {
    moved = false;
  }

  /** Returns true if a commit is due. The next one is then due after an interval. */
  boolean take(long nowNanos) {
    if (!hasWork() || dueNanos - nowNanos > 0) {
      return false;
    }
    dueNanos = nowNanos + intervalNanos;
    return true;
  }

  /** Returns how long a poll may wait before a commit is due. */
  long nanosLeft(long nowNanos) {
    return enabled ? Math.max(0, dueNanos - nowNanos) : Long.MAX_VALUE;
  }

  /** Begins a new interval, because partitions have changed. */
  void restart(long nowNanos) {
    dueNanos = nowNanos + intervalNanos;
  }

  @Override
  public void onComplete(Map<TopicPartition, OffsetAndMetadata> offsets, @Nullable Exception error) {
    if (error != null) {
      failed(offsets, error);
    }
  }

  /** Logs a failed commit. The application's callbacks do not learn of it, as with Apache's consumer. */
  static void failed(Map<TopicPartition, OffsetAndMetadata> offsets, Exception error) {
    LOGGER.log(Level.WARNING, "automatic commit of " + offsets + " has failed", error);
  }
}
