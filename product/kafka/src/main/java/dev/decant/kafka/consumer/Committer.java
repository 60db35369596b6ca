package dev.decant.kafka.consumer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.group.CommitResult;
import dev.decant.kafka.group.GroupMember;
import dev.decant.kafka.group.OffsetFetchListener;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.telemetry.LastError;
import dev.decant.loop.Timer;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Commits of one consumer, by the application and by time. Each accepted commit has one outcome, and its listener is
 * called once, also if the consumer closes meanwhile.
 *
 * <p>A position counts as committed only after the coordinator has stored it. Only the polling thread puts an epoch
 * into a commit (KIP-320). On another thread, position and epoch could be of different moments.
 */
final class Committer {
  /** Result of a commit. Written by the owner of the loop, `done` last; read by the waiting thread. */
  private static final class Ending implements CommitResult {
    @Nullable
    KafkaException error;
    volatile boolean done;

    @Override
    public void onCommitted(@Nullable KafkaException cause) {
      error = cause;
      done = true;
    }
  }

  /**
   * Result of a lookup of committed offsets. Written by the owner of the loop, `done` last; read by the waiting thread.
   */
  private static final class Finding implements OffsetFetchListener {
    Map<TopicPartition, OffsetAndMetadata> found = Map.of();
    @Nullable
    KafkaException error;
    volatile boolean done;
    /** True once the waiting thread has stopped waiting. */
    volatile boolean unwanted;

    @Override
    public boolean isWanted() {
      return !unwanted && !done;
    }

    @Override
    public void onFound(Map<TopicPartition, OffsetAndMetadata> offsets) {
      found = Map.copyOf(offsets);
      done = true;
    }

    @Override
    public void onRefused(KafkaException cause) {
      error = cause;
      done = true;
    }
  }

  private final ClientInternals client;
  private final GroupMember member;
  private final AssignedPartitions assigned;
  private final PollThreadTasks tasks;
  private final Wakeups wakeups;
  private final long autoCommitNanos;
  private final Runnable autoCommit = this::autoCommit;
  private final Timer timer = new Timer(this::onInterval);
  /**
   * True while an automatic commit waits for the next poll, so that there is one task at a time. Set by the owner of
   * the loop, cleared by the polling thread.
   */
  private volatile boolean autoCommitWaits;
  /** Number of commits of {@link #changed} positions that the coordinator has not stored yet. */
  private final AtomicInteger underWay = new AtomicInteger();
  /** Number of commits that were accepted and have not ended. */
  private final AtomicInteger pending = new AtomicInteger();
  /** Calls of listeners whose commits have ended, oldest first. Added by the loop or a caller. */
  private final ConcurrentLinkedQueue<Runnable> notices = new ConcurrentLinkedQueue<>();
  private final Runnable callListeners = this::callListeners;
  /** True while a thread calls listeners. A second thread would call them out of order. */
  private final AtomicBoolean calling = new AtomicBoolean();
  /** True once no thread polls any more: the thread that adds a notice then calls the listener. */
  private volatile boolean callsAtOnce;
  /** True once no commit is accepted. Guarded by the monitor. */
  private boolean closed;

  Committer(ClientInternals client, GroupMember member, AssignedPartitions assigned, PollThreadTasks tasks,
      Wakeups wakeups, long autoCommitNanos) {
    this.client = client;
    this.member = member;
    this.assigned = assigned;
    this.tasks = tasks;
    this.wakeups = wakeups;
    this.autoCommitNanos = autoCommitNanos;
  }

  boolean isAutomatic() {
    return autoCommitNanos > 0;
  }

  /** Starts the timer of automatic commits. Owner of the loop. */
  void start() {
    if (isAutomatic()) {
      client.loop().schedule(timer, client.loop().nowNanos() + autoCommitNanos);
    }
  }

  /** Stops the timer. Owner of the loop. */
  void stop() {
    client.loop().cancel(timer);
  }

  private void onInterval() {
    if (!autoCommitWaits) {
      autoCommitWaits = true;
      tasks.add(autoCommit);
    }
    start();
  }

  /**
   * Commits positions that have moved. Between two polls, all records delivered so far are processed. Polling thread.
   */
  private void autoCommit() {
    autoCommitWaits = false;
    Map<TopicPartition, OffsetAndMetadata> offsets = changed(assigned.all());
    if (!offsets.isEmpty()) {
      commitChanged(offsets, client.loop().clock().nanoTime() + autoCommitNanos, cause -> {});
    }
  }

  /** Commits the result of {@link #changed}. Polling thread. The loop calls the listener. */
  void commitChanged(Map<TopicPartition, OffsetAndMetadata> offsets, long deadlineNanos, CommitResult result) {
    underWay.incrementAndGet();
    commit(offsets, deadlineNanos, error -> {
      if (error == null) {
        underWay.decrementAndGet();
      } else {
        tasks.add(this::forgetSubmitted);
      }
      result.onCommitted(error);
    });
  }

  private void forgetSubmitted() {
    underWay.decrementAndGet();
    assigned.all().forEach(p -> p.submitted = AssignedPartition.UNKNOWN);
  }

  /**
   * Returns {@link #changed} positions of revoked partitions, and their positions in commits that may still fail.
   * Polling thread. A revocation that relied on an automatic commit under way would lose those positions if that commit
   * failed.
   */
  Map<TopicPartition, OffsetAndMetadata> notStored(Collection<AssignedPartition> partitions) {
    if (underWay.get() > 0) {
      partitions.forEach(p -> p.submitted = AssignedPartition.UNKNOWN);
    }
    return changed(partitions);
  }

  /**
   * Returns the positions that have moved since the last commit. They count as committed from now on. Polling thread.
   */
  Map<TopicPartition, OffsetAndMetadata> changed(Collection<AssignedPartition> partitions) {
    Map<TopicPartition, OffsetAndMetadata> offsets = new LinkedHashMap<>();
    for (AssignedPartition p : partitions) {
      p.takeFound();
      if (p.position >= 0 && p.position != p.submitted) {
        p.submitted = p.position;
        offsets.put(p.name(), new OffsetAndMetadata(p.position, p.epoch, ""));
      }
    }
    return offsets;
  }

  /** Returns all known positions; on the polling thread, with their epochs. Any thread. */
  Map<TopicPartition, OffsetAndMetadata> positions() {
    boolean polls = tasks.isPoller();
    Map<TopicPartition, OffsetAndMetadata> offsets = new LinkedHashMap<>();
    for (AssignedPartition p : assigned.all()) {
      long at = p.known();
      if (at >= 0) {
        int epoch = polls && at == p.position ? p.epoch : AssignedPartition.NO_EPOCH;
        offsets.put(p.name(), new OffsetAndMetadata(at, epoch, ""));
      }
    }
    return offsets;
  }

  /** Commits offsets. Any thread. The loop calls the listener; if the consumer is closed, the calling thread does. */
  void commit(Map<TopicPartition, OffsetAndMetadata> offsets, long deadlineNanos, CommitResult result) {
    CommitResult counted = error -> {
      try {
        result.onCommitted(error);
      } finally {
        // The commit is pending until the listener returns. Otherwise a close that waits for pending commits would
        // leave the group meanwhile, and the coordinator would refuse the commits of the listener.
        pending.decrementAndGet();
      }
    };
    if (!submit(() -> member.commit(offsets, deadlineNanos, counted))) {
      result.onCommitted(member.wasClosed());
    }
  }

  /**
   * Hands a commit to the loop. Returns false if the member may have ended: under the monitor, {@link #close} follows
   * each accepted commit.
   */
  private synchronized boolean submit(Runnable commit) {
    if (!closed) {
      pending.incrementAndGet();
      client.loop().execute(commit);
    }
    return !closed;
  }

  /** Returns true if no commit is pending. Any thread. */
  boolean isIdle() {
    return pending.get() == 0;
  }

  /** Refuses further commits. Any thread. */
  synchronized void close() {
    closed = true;
  }

  /**
   * Commits offsets. Any thread. The loop calls the listener and reports its exceptions; one that got through would end
   * the member's heartbeats.
   */
  void commitInBackground(Map<TopicPartition, OffsetAndMetadata> offsets, long deadlineNanos,
      CommitListener listener) {
    commit(offsets, deadlineNanos, error -> call(listener, offsets, error));
  }

  /** Commits offsets. Any thread. The polling thread calls the listener. */
  void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, long deadlineNanos,
      @Nullable CommitListener listener) {
    commit(offsets, deadlineNanos, error -> {
      if (listener != null) {
        notices.add(() -> call(listener, offsets, error));
        if (callsAtOnce) {
          callListeners();
        } else {
          tasks.add(callListeners);
        }
      }
    });
  }

  /** Calls listeners of all commits that have ended. Polling thread; owner of the loop once no thread polls. */
  private void callListeners() {
    do {
      if (!calling.compareAndSet(false, true)) {
        return; // the thread that is calling listeners checks the queue again
      }
      for (Runnable notice = notices.poll(); notice != null; notice = notices.poll()) {
        notice.run();
      }
      calling.set(false);
    } while (!notices.isEmpty());
  }

  /**
   * Calls listeners of all ended commits. The loop calls the listeners of later ones, since no thread polls any more.
   */
  void callListenersAtOnce() {
    callsAtOnce = true;
    callListeners();
  }

  private void call(CommitListener listener, Map<TopicPartition, OffsetAndMetadata> offsets,
      @Nullable KafkaException error) {
    try {
      listener.onCommitted(offsets, error);
    } catch (Throwable e) {
      client.telemetry().group().listenerFailed("onCommitted", e);
    }
  }

  /**
   * Commits offsets and waits for the result, which comes after the results of earlier commits. Any thread but the
   * owner of the loop.
   */
  void commitAndWait(Map<TopicPartition, OffsetAndMetadata> offsets, long deadlineNanos) throws InterruptedException {
    requireNotOwner();
    Ending ending = new Ending();
    commit(offsets, deadlineNanos, ending);
    wakeups.await(() -> ending.done, deadlineNanos);
    if (!ending.done) {
      throw timeout("commit of " + offsets.keySet(), " did not end in time and may still succeed");
    }
    KafkaException error = ending.error;
    if (error != null) {
      throw error;
    }
  }

  private KafkaTimeoutException timeout(String what, String how) {
    Throwable last = member.lastFailure();
    return new KafkaTimeoutException(what + " in group " + member.groupId() + how + "; " + LastError.words(last), last);
  }

  /** Looks up committed offsets and waits for them. Any thread but the owner of the loop. */
  Map<TopicPartition, OffsetAndMetadata> committed(Collection<TopicPartition> partitions, long deadlineNanos)
      throws InterruptedException {
    requireNotOwner();
    Finding finding = new Finding();
    client.loop().execute(() -> member.query(partitions, finding));
    try {
      wakeups.await(() -> finding.done, deadlineNanos);
    } finally {
      finding.unwanted = true;
    }
    if (!finding.done) {
      throw timeout("committed offsets of " + partitions, " did not come in time");
    }
    KafkaException error = finding.error;
    if (error != null) {
      throw error;
    }
    return finding.found;
  }

  private void requireNotOwner() {
    if (client.loop().isOwner()) {
      throw new IllegalStateException("a listener of the client's loop cannot wait for what that loop does");
    }
  }
}
