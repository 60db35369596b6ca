package dev.decant.kafka.apache;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** When positions are committed without a call: {@code auto.commit.interval.ms}. The thread that is inside. */
final class AutoCommit implements OffsetCommitCallback {
  private static final Logger LOGGER = System.getLogger(AutoCommit.class.getName());

  private final boolean enabled;
  private final long intervalNanos;
  private long dueNanos;
  /** Whether a poll or a seek may have moved a position from where the lookup of committed offsets has put it. */
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
   * Returns true if there may be something to commit; what was only looked up would lose the metadata that is stored
   * there.
   */
  boolean hasWork() {
    return enabled && moved;
  }

  void positionsMoved() {
    moved = true;
  }

  /** The application has chosen its partitions itself. */
  void partitionsChosen() {
    moved = false;
  }

  /** Returns true if a commit is due; the next one is due an interval later. */
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

  /** The interval begins anew with new partitions. */
  void restart(long nowNanos) {
    dueNanos = nowNanos + intervalNanos;
  }

  @Override
  public void onComplete(Map<TopicPartition, OffsetAndMetadata> offsets, @Nullable Exception error) {
    if (error != null) {
      failed(offsets, error);
    }
  }

  /** The application does not hear of it. */
  static void failed(Map<TopicPartition, OffsetAndMetadata> offsets, Exception error) {
    LOGGER.log(Level.WARNING, "automatic commit of " + offsets + " has failed", error);
  }
}
