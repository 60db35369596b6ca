package dev.decant.kafka.apache;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.protocol.ErrorCode;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.jspecify.annotations.Nullable;

/**
 * Commits that the application does not wait for. Their callbacks run in calls of the consumer, on the calling thread
 * and in the order of the commits. Caller's thread only (see {@link ThreadCheck}), but for the parts marked as the
 * loop's.
 */
final class AsyncCommits {
  /** A commit that has ended. */
  private record Ended(Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback,
      @Nullable Exception error) {}

  private final ConsumerErrors errors;
  private final ConsumerInterceptors<?, ?> interceptors;
  private final Duration timeout;
  private final Runnable onEnded;
  private final ConcurrentLinkedQueue<Ended> ended = new ConcurrentLinkedQueue<>();
  private final AtomicInteger pending = new AtomicInteger();
  /** The thread in {@link #awaitAll}. */
  private volatile @Nullable Thread waiting;
  private @Nullable FencedInstanceIdException fenced;
  /**
   * True while a callback that is due ends the present call, which is a poll. Any other call would begin anew: a commit
   * once sent its offsets twice. Written by the calling thread, read by the client's loop.
   */
  private volatile boolean endsPoll;
  /** True while the consumer closes. Written by the closing thread, read by the client's loop. */
  private volatile boolean closing;

  /**
   * Makes an object without commits.
   *
   * @param errors makes Apache's exceptions
   * @param interceptors called for stored offsets
   * @param timeout how long a commit is tried
   * @param onEnded run by the client's loop when a callback is due in a poll
   */
  AsyncCommits(ConsumerErrors errors, ConsumerInterceptors<?, ?> interceptors, Duration timeout, Runnable onEnded) {
    this.errors = errors;
    this.interceptors = interceptors;
    this.timeout = timeout;
    this.onEnded = onEnded;
  }

  void commit(Consumer<?, ?> consumer, Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
    if (offsets.isEmpty()) {
      ended.add(new Ended(offsets, callback, null));
      return;
    }
    Map<dev.decant.kafka.TopicPartition, dev.decant.kafka.OffsetAndMetadata> converted = PartitionConversion
        .decant(offsets);
    pending.incrementAndGet();
    consumer.commitInBackground(converted, timeout, (committed, error) -> {
      ended.add(new Ended(offsets, callback, error == null ? null : error(error)));
      pending.decrementAndGet();
      LockSupport.unpark(waiting);
      if (endsPoll) {
        onEnded.run();
      }
    });
  }

  private Exception error(KafkaException cause) {
    return closing && cause.code() == ErrorCode.CLIENT_CLOSED
        ? new CommitFailedException("Failed to commit offsets: Coordinator unknown and consumer is closing")
        : errors.ofAsyncCommit(cause);
  }

  /** Ends commits with the consumer that have not ended by then. */
  void closing() {
    closing = true;
  }

  /**
   * Decides whether callbacks that are due end the present call, and returns the decision before. {@code haveCallbacks}
   * tells after that whether a callback was due already.
   */
  boolean endsPoll(boolean value) {
    boolean before = endsPoll;
    endsPoll = value;
    return before;
  }

  /** Returns true if callbacks are due. */
  boolean haveCallbacks() {
    return !ended.isEmpty();
  }

  /** Returns true if a commit has not ended yet. */
  boolean arePending() {
    return pending.get() > 0;
  }

  /** Runs the callbacks that are due. */
  void runCallbacks() {
    for (Ended next = ended.poll(); next != null; next = ended.poll()) {
      run(next);
    }
    if (fenced != null) {
      throw new FencedInstanceIdException(fenced.getMessage(), fenced);
    }
  }

  private void run(Ended commit) {
    Exception error = commit.error();
    if (error == null) {
      interceptors.onCommit(commit.offsets());
    } else if (error instanceof FencedInstanceIdException e) {
      fenced = e;
    }
    commit.callback().onComplete(commit.offsets(), error);
  }

  /** Waits until all commits have ended, so their callbacks are due. Returns false if the deadline passes before. */
  boolean awaitAll(long deadlineNanos) throws InterruptedException {
    waiting = Thread.currentThread();
    try {
      while (pending.get() > 0) {
        long left = deadlineNanos - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        LockSupport.parkNanos(this, left);
        if (Thread.interrupted()) {
          throw new InterruptedException("interrupted while " + pending.get() + " commits had not ended");
        }
      }
      return true;
    } finally {
      waiting = null;
    }
  }
}
