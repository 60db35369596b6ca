package dev.decant.kafka.work;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.internal.OffsetWindow;
import dev.decant.kafka.work.bridge.RecordSource;
import dev.decant.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Commits the oldest offset that is not done, with the offsets behind it that are done. The loop only. */
final class Commits implements WorkCommits {
  private final WorkSettings settings;
  private final WorkListeners listeners;
  private final Clock clock;
  private final Runnable endsPoll;
  private long dueNanos;
  private boolean isScheduled;
  private int doneSince;

  /** {@code endsPoll} ends the poll that calls a listener of a commit. */
  Commits(WorkSettings settings, WorkListeners listeners, Clock clock, Runnable endsPoll) {
    this.settings = settings;
    this.listeners = listeners;
    this.clock = clock;
    this.endsPoll = endsPoll;
  }

  @Override
  public void done(long nowNanos) {
    doneSince++;
    schedule(nowNanos);
  }

  @Override
  public void schedule(long nowNanos) {
    if (!isScheduled) {
      isScheduled = true;
      dueNanos = nowNanos + settings.commitIntervalNanos();
    }
  }

  @Override
  public long dueNanos() {
    return isScheduled ? dueNanos : DueSlots.NEVER;
  }

  @Override
  public int recordsUntilDue() {
    if (!isScheduled) {
      return 1; // the interval begins with the first
    }
    return settings.commitRecords() == Integer.MAX_VALUE
        ? LoopWaits.NONE
        : Math.max(1, settings.commitRecords() - doneSince);
  }

  @Override
  public void commitIfDue(long nowNanos, Collection<PartitionWork> of, RecordSource<?, ?> by) {
    if (!isScheduled || (dueNanos - nowNanos > 0 && doneSince < settings.commitRecords())) {
      return;
    }
    List<PartitionWork> taken = new ArrayList<>();
    Map<TopicPartition, OffsetAndMetadata> offsets = take(of, taken, false);
    if (!offsets.isEmpty()) {
      taken.forEach(partition -> partition.commitsInFlight++);
      by.commitAsync(offsets, (committed, error) -> {
        taken.forEach(partition -> partition.commitsInFlight--);
        if (error != null) {
          failed(taken, error);
          schedule(nowNanos);
          endsPoll.run(); // its timeout does not count with another commit
        } else {
          succeeded(offsets, nowNanos);
        }
      });
    }
  }

  @Override
  public void commitNow(Collection<PartitionWork> of, RecordSource<?, ?> by, Duration timeout)
      throws InterruptedException {
    List<PartitionWork> taken = new ArrayList<>();
    Map<TopicPartition, OffsetAndMetadata> offsets = take(of, taken, true);
    if (!offsets.isEmpty()) {
      long begun = clock.nanoTime();
      try {
        by.commit(offsets, timeout);
        succeeded(offsets, begun);
      } catch (KafkaException | IllegalStateException e) {
        failed(taken, e);
      }
    }
  }

  private void succeeded(Map<TopicPartition, OffsetAndMetadata> offsets, long begunNanos) {
    listeners.solved(WorkListeners.Need.COMMITS);
    if (listeners.isAny()) {
      listeners.committed(offsets.keySet(), clock.nanoTime() - begunNanos);
    }
  }

  private void failed(List<PartitionWork> taken, Throwable error) {
    taken.forEach(partition -> partition.isDirty = true);
    listeners.failed(WorkListeners.Need.COMMITS, "offsets of group " + settings.group() + " were not committed",
        error);
  }

  /**
   * Takes the offsets to be committed. A last commit repeats offsets whose earlier commit has no outcome yet: the next
   * member would read the older ones.
   */
  private Map<TopicPartition, OffsetAndMetadata> take(Collection<PartitionWork> of, List<PartitionWork> taken,
      boolean isLast) {
    isScheduled = false;
    doneSince = 0;
    Map<TopicPartition, OffsetAndMetadata> offsets = new LinkedHashMap<>();
    for (PartitionWork partition : of) {
      long offset = partition.committable();
      boolean isWanted = partition.isDirty || (isLast && partition.commitsInFlight > 0);
      if (isWanted && !partition.isCancelled() && offset != OffsetWindow.NONE) {
        taken.add(partition);
        DoneOffsets above = DoneOffsets.of(partition.window, partition.doneBefore());
        int epoch = partition.window.size() == 0 ? partition.epoch : -1;
        offsets.put(partition.id,
            new OffsetAndMetadata(offset, epoch, above.encode(offset, settings.metadataCharacters())));
        partition.isDirty = false;
        partition.committed = offset;
      }
    }
    return offsets;
  }
}
