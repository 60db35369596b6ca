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
 * Commits of one consumer: by the application, and by time. Each that is accepted has one outcome, and its listener is
 * told of it once, whatever closes meanwhile.
 *
 * <p>A position counts as committed only when it is stored. Only the polling thread puts an epoch into a commit:
 * elsewhere position and epoch could be of two moments.
 */
final class Committer {
  /** The result of a commit. Written by the owner of the loop, done last; read by the waiting thread. */
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

  /** Committed offsets that were found; the same threads. */
  private static final class Finding implements OffsetFetchListener {
    Map<TopicPartition, OffsetAndMetadata> found = Map.of();
    @Nullable
    KafkaException error;
    volatile boolean done;
    /** True once the wait of the thread has expired. */
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
  /** Set by the owner of the loop, cleared by the polling thread: one such task at a time is enough. */
  private volatile boolean autoCommitWaits;
  /** Commits of {@link #changed} positions that are not stored, as far as the polling thread knows. */
  private final AtomicInteger underWay = new AtomicInteger();
  /** Commits that were accepted and have not ended. */
  private final AtomicInteger pending = new AtomicInteger();
  /** What is to be told to listeners of commits that have ended, oldest first. Added by the loop, or by a caller. */
  private final ConcurrentLinkedQueue<Runnable> notices = new ConcurrentLinkedQueue<>();
  private final Runnable tellListeners = this::tellListeners;
  /** Whether a thread tells listeners now: no other one may, or the order would be lost. */
  private final AtomicBoolean telling = new AtomicBoolean();
  /** Nobody polls any more: whoever adds a notice tells it. */
  private volatile boolean tellsAtOnce;
  /** Under the monitor: no commit is accepted any more. */
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

  /** Owner of the loop. */
  void start() {
    if (isAutomatic()) {
      client.loop().schedule(timer, client.loop().nowNanos() + autoCommitNanos);
    }
  }

  /** Owner of the loop. */
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

  /** Between two polls all records that were handed out are processed. Polling thread. */
  private void autoCommit() {
    autoCommitWaits = false;
    Map<TopicPartition, OffsetAndMetadata> offsets = changed(assigned.all());
    if (!offsets.isEmpty()) {
      commitChanged(offsets, client.loop().clock().nanoTime() + autoCommitNanos, cause -> {});
    }
  }

  /** Commits what {@link #changed} has given. Polling thread; the result is told on the loop. */
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

  /** As {@link #changed}, and what was given to a commit that may fail yet: for partitions that go. Polling thread. */
  Map<TopicPartition, OffsetAndMetadata> notStored(Collection<AssignedPartition> partitions) {
    if (underWay.get() > 0) {
      partitions.forEach(p -> p.submitted = AssignedPartition.UNKNOWN);
    }
    return changed(partitions);
  }

  /** The positions that have moved since they were last committed; from now on they count as committed. Poller. */
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

  /** All positions that are known, on the polling thread with the epochs that belong to them. Any thread. */
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

  /** Any thread; the result is told on the loop, and by the calling thread if the consumer is closed. */
  void commit(Map<TopicPartition, OffsetAndMetadata> offsets, long deadlineNanos, CommitResult result) {
    CommitResult counted = error -> {
      try {
        result.onCommitted(error);
      } finally { // not sooner: a close waits for what listeners commit, too
        pending.decrementAndGet();
      }
    };
    if (!submit(() -> member.commit(offsets, deadlineNanos, counted))) {
      result.onCommitted(member.wasClosed());
    }
  }

  /** What is accepted comes to the loop before the member ends there; false if it may have ended. */
  private synchronized boolean submit(Runnable commit) {
    if (!closed) {
      pending.incrementAndGet();
      client.loop().execute(commit);
    }
    return !closed;
  }

  /** Whether no commit is on its way. Any thread. */
  boolean isIdle() {
    return pending.get() == 0;
  }

  /** Gives no commit to the member from now on. Any thread. */
  synchronized void close() {
    closed = true;
  }

  /** Any thread; the loop calls the listener, and reports what it throws. */
  void commitInBackground(Map<TopicPartition, OffsetAndMetadata> offsets, long deadlineNanos,
      CommitListener listener) {
    commit(offsets, deadlineNanos, error -> tell(listener, offsets, error));
  }

  /** Any thread; the listener is told on the polling thread. */
  void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, long deadlineNanos,
      @Nullable CommitListener listener) {
    commit(offsets, deadlineNanos, error -> {
      if (listener != null) {
        notices.add(() -> tell(listener, offsets, error));
        if (tellsAtOnce) {
          tellListeners();
        } else {
          tasks.add(tellListeners);
        }
      }
    });
  }

  /** Tells listeners of all commits that have ended. Polling thread, or the owner of the loop when nobody polls. */
  private void tellListeners() {
    do {
      if (!telling.compareAndSet(false, true)) {
        return; // who tells already looks again
      }
      for (Runnable notice = notices.poll(); notice != null; notice = notices.poll()) {
        notice.run();
      }
      telling.set(false);
    } while (!notices.isEmpty());
  }

  /** Nobody polls any more: tells listeners of all that has ended, and what ends later is told by the loop. */
  void endTelling() {
    tellsAtOnce = true;
    tellListeners();
  }

  private void tell(CommitListener listener, Map<TopicPartition, OffsetAndMetadata> offsets,
      @Nullable KafkaException error) {
    try {
      listener.onCommitted(offsets, error);
    } catch (Throwable e) {
      client.telemetry().group().listenerFailed("onCommitted", e);
    }
  }

  /** Waits until it is done, and so are those before it. Any thread but the owner of the loop. */
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

  /** Waits for the offsets. Any thread but the owner of the loop. */
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
