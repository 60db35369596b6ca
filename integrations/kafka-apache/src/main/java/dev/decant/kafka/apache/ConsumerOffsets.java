package dev.decant.kafka.apache;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.time.Timeouts;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/** Commits, committed offsets, positions, and the offsets of logs. Caller's thread only (see {@link ThreadCheck}). */
final class ConsumerOffsets {
  private static final Logger LOGGER = System.getLogger(ConsumerOffsets.class.getName());
  private static final OffsetCommitCallback LOGGED = (offsets, error) -> {
    if (error != null) {
      LOGGER.log(Level.WARNING, "commit of " + offsets + " has failed, and nobody waits for it", error);
    }
  };

  private final ConsumerSettings settings;
  private final UnderlyingConsumer underlying;
  private final WakeableCalls calls;
  private final ConsumerErrors errors;
  private final AsyncCommits commits;
  private final ConsumerInterceptors<?, ?> interceptors;
  private final ConsumerMetrics metrics;

  ConsumerOffsets(ConsumerSettings settings, UnderlyingConsumer underlying, WakeableCalls calls, ConsumerErrors errors,
      AsyncCommits commits, ConsumerResources<?, ?> resources) {
    this.settings = settings;
    this.underlying = underlying;
    this.calls = calls;
    this.errors = errors;
    this.commits = commits;
    this.interceptors = resources.interceptors();
    this.metrics = resources.metrics();
  }

  private void requireGroup() {
    if (settings.group().isEmpty()) {
      throw SubscriptionCalls.noGroup();
    }
  }

  private Map<TopicPartition, OffsetAndMetadata> positions() {
    Consumer<?, ?> present = underlying.ifOpen();
    return present == null ? new HashMap<>() : PartitionConversion.apache(present.positions());
  }

  void commitPositions(Duration timeout) {
    requireGroup();
    commit(positions(), timeout);
  }

  void commit(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
    requireGroup();
    long begin = System.nanoTime();
    try {
      commitAndWait(offsets, timeout);
    } finally {
      metrics.commitSyncEnded(System.nanoTime() - begin);
    }
  }

  private void commitAndWait(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
    commits.runCallbacks();
    boolean wasPoll = commits.endsPoll(false);
    try {
      if (offsets.isEmpty()) {
        calls.await(timeout, errors::ofCommit, left -> awaitPending(left));
      } else {
        commitThoughWokenUp(offsets, timeout);
      }
    } catch (WakeupException | InterruptException e) {
      throw e;
    } catch (RuntimeException e) {
      runCallbacksAfter(e);
      throw e;
    } finally {
      commits.endsPoll(wasPoll);
      if (wasPoll && commits.haveCallbacks()) {
        underlying.wakeup(); // the call is one of a listener in a poll, which would wait on
      }
    }
    // The callbacks come first: their commits are older.
    commits.runCallbacks();
    if (!offsets.isEmpty()) {
      interceptors.onCommit(offsets);
    }
  }

  /** Runs the callbacks of earlier commits before a commit throws: they are due when it ends, whatever its result. */
  private void runCallbacksAfter(RuntimeException failure) {
    try {
      commits.runCallbacks();
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  /**
   * Commits and waits. A wake-up ends the wait, and the commit is sent all the same, as with Apache's consumers. Beam
   * wakes its consumer while another thread commits for the last time, and read records again without it.
   */
  private void commitThoughWokenUp(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
    Map<dev.decant.kafka.TopicPartition, dev.decant.kafka.OffsetAndMetadata> converted = PartitionConversion
        .decant(offsets);
    AtomicBoolean sent = new AtomicBoolean();
    try {
      calls.await(timeout, errors::ofCommit, left -> {
        sent.set(true);
        underlying.current().commit(converted, left);
        return true;
      });
    } catch (WakeupException e) {
      if (!sent.get()) {
        commits.commit(underlying.current(), offsets, LOGGED);
      }
      throw e;
    }
  }

  private boolean awaitPending(Duration timeout) throws InterruptedException {
    if (!commits.awaitAll(Timeouts.deadline(System.nanoTime(), timeout))) {
      throw new TimeoutException("commits had not ended after " + timeout);
    }
    return true;
  }

  /** Waits for commits that have begun, before the consumer changes what it reads. */
  void awaitPending() {
    if (commits.arePending()) {
      try {
        commits.awaitAll(System.nanoTime() + settings.millis("default.api.timeout.ms").toNanos());
      } catch (InterruptedException e) {
        throw ApacheErrors.interrupted(e);
      }
    }
  }

  void commitPositionsAsync(@Nullable OffsetCommitCallback callback) {
    requireGroup();
    commitAsync(positions(), callback);
  }

  void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, @Nullable OffsetCommitCallback callback) {
    requireGroup();
    commits.runCallbacks();
    commits.commit(underlying.current(), offsets, callback == null ? LOGGED : callback);
  }

  long position(TopicPartition partition, Duration timeout) {
    dev.decant.kafka.TopicPartition name = PartitionConversion.decant(partition);
    if (!underlying.current().assignment().contains(name)) {
      throw new IllegalStateException("You can only check the position for partitions assigned to this consumer.");
    }
    return calls.await(timeout, failure -> errors.of(whyUnknown(failure)),
        left -> underlying.current().position(partition.topic(), partition.partition(), left));
  }

  /** Returns the cause of a failed lookup, which Apache's consumer throws. */
  private static Throwable whyUnknown(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof KafkaTimeoutException || !(cause instanceof KafkaException) ? failure : cause;
  }

  Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions, Duration timeout) {
    requireGroup();
    Map<TopicPartition, OffsetAndMetadata> all = PartitionConversion.withoutValues(partitions);
    if (partitions.isEmpty()) {
      return all;
    }
    long begin = System.nanoTime();
    try {
      calls
          .await(timeout, errors::of,
              left -> underlying.current().committed(PartitionConversion.decant(partitions), left))
          .forEach((p, offset) -> all.put(PartitionConversion.apache(p), PartitionConversion.apache(offset)));
    } finally {
      metrics.committedEnded(System.nanoTime() - begin);
    }
    return all;
  }

  Map<TopicPartition, OffsetAndTimestamp> forTimes(Map<TopicPartition, Long> times, Duration timeout) {
    Map<TopicPartition, OffsetAndTimestamp> all = PartitionConversion.withoutValues(times.keySet());
    Map<dev.decant.kafka.TopicPartition, Long> converted = new HashMap<>();
    times.forEach((p, time) -> {
      if (time < 0) {
        throw new IllegalArgumentException("The target time for partition " + p + " is " + time
            + ". The target time cannot be negative.");
      }
      converted.put(PartitionConversion.decant(p), time);
    });
    if (!all.isEmpty() && !timeout.isZero()) { // with a timeout of zero no request is sent
      calls.await(timeout, errors::of, left -> underlying.current().offsetsForTimes(converted, left))
          .forEach((p, found) -> all.put(PartitionConversion.apache(p), PartitionConversion.apache(found)));
    }
    return all;
  }

  Map<TopicPartition, Long> ends(Collection<TopicPartition> partitions, Duration timeout, boolean beginnings) {
    Map<TopicPartition, Long> all = new HashMap<>();
    if (!partitions.isEmpty() && !timeout.isZero()) {
      calls.await(timeout, errors::of, left -> beginnings
          ? underlying.current().beginningOffsets(PartitionConversion.decant(partitions), left)
          : underlying.current().endOffsets(PartitionConversion.decant(partitions), left))
          .forEach((p, offset) -> all.put(PartitionConversion.apache(p), offset));
    }
    return all;
  }

  ConsumerGroupMetadata groupMetadata() {
    requireGroup();
    if (settings.isAutoCommit()) {
      ParallelConsumer.refuseAutoCommit();
    }
    try {
      return AssignorAdapter.metadata(underlying.current().groupMetadata());
    } catch (dev.decant.kafka.KafkaException e) {
      throw errors.of(e);
    }
  }
}
