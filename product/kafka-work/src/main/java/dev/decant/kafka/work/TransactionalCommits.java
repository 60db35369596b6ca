package dev.decant.kafka.work;

import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.work.bridge.RecordSource;
import dev.decant.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Commits records that are done in transactions, with their results. One transaction is under way at a time, and
 * records that are done meanwhile wait for the next. The records of an aborted transaction keep their results and go
 * with the next one: handlers do not run again. The loop only.
 */
final class TransactionalCommits<K, V> implements WorkCommits {
  /** Pause before an aborted transaction is repeated; it doubles with each abort. */
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final int NOT_STUCK = -1;

  /** Handles a record whose results no broker takes. */
  interface Refused<K, V> {
    /** Fails a record for the last time. Returns the error if the work must end with it. */
    @Nullable
    Throwable refused(Slot<K, V> slot, Throwable error, long nowNanos);
  }

  /** When transactions begin. */
  record Bounds(long intervalNanos, int records) {}

  private final WorkSettings settings;
  private final Bounds bounds;
  private final HeldRecords<K, V> held;
  private final TransactionRunner<K, V> runner;
  private final WorkListeners listeners;
  private final Clock clock;
  private final Refused<K, V> refused;
  private final BooleanSupplier isFull;
  private @Nullable RecordTransaction<K, V> running;
  private @Nullable Throwable failure;
  /** When a transaction is due for records that wait; {@link DueSlots#NEVER} if none waits. */
  private long recordsDue = DueSlots.NEVER;
  /** When a transaction is due for offsets that have moved on without records; {@link DueSlots#NEVER} if none have. */
  private long offsetsDue = DueSlots.NEVER;
  /** While {@link #isPaused}, no transaction begins before this time. */
  private long pausedUntil;
  private boolean isPaused;
  private int aborts;
  /**
   * Number of held records when the metadata had no room for them. Until it changes, another plan would spin the loop.
   */
  private int stuck = NOT_STUCK;
  /** The most records of the next transaction. It is halved until the record is found whose results brokers refuse. */
  private int most = Integer.MAX_VALUE;

  TransactionalCommits(WorkSettings settings, Bounds bounds, HeldRecords<K, V> held, TransactionRunner<K, V> runner,
      WorkListeners listeners, Hooks<K, V> hooks) {
    this.settings = settings;
    this.bounds = bounds;
    this.held = held;
    this.runner = runner;
    this.listeners = listeners;
    this.clock = hooks.clock();
    this.refused = hooks.refused();
    this.isFull = hooks.isFull();
  }

  /** The parts of the loop that transactions use. */
  record Hooks<K, V>(Clock clock, Refused<K, V> refused, BooleanSupplier isFull) {}

  @Override
  public void done(long nowNanos) {
    if (recordsDue == DueSlots.NEVER) {
      recordsDue = nowNanos + bounds.intervalNanos();
    }
  }

  @Override
  public void schedule(long nowNanos) {
    if (offsetsDue == DueSlots.NEVER) {
      offsetsDue = nowNanos + settings.commitIntervalNanos();
    }
    if (held.size() > 0) {
      done(nowNanos);
    }
  }

  @Override
  public void hurry(long nowNanos) {
    if (held.size() > 0 && held.size() != stuck) {
      recordsDue = nowNanos;
    }
  }

  @Override
  public long dueNanos() {
    if (running != null || failure != null) {
      return DueSlots.NEVER; // the end of the transaction wakes the loop
    }
    long due = Math.min(recordsDue, offsetsDue);
    return isPaused && due != DueSlots.NEVER ? Math.max(due, pausedUntil) : due;
  }

  @Override
  public int recordsUntilDue() {
    if (running != null) {
      return LoopWaits.NONE;
    }
    return held.size() == 0 ? 1 : Math.max(1, bounds.records() - held.size());
  }

  @Override
  public int awaitingCommit() {
    RecordTransaction<K, V> now = running;
    return held.size() + (now == null ? 0 : now.records().size());
  }

  @Override
  public void commitIfDue(long nowNanos, Collection<PartitionWork> of, RecordSource<?, ?> by) {
    if (running != null || failure != null || (isPaused && pausedUntil - nowNanos > 0)) {
      return;
    }
    boolean isDue = recordsDue - nowNanos <= 0 || offsetsDue - nowNanos <= 0 || held.size() >= bounds.records()
        || isRoomNeeded(of);
    if (isDue) {
      recordsDue = DueSlots.NEVER;
      offsetsDue = DueSlots.NEVER;
      begin(of, by, nowNanos);
    }
  }

  /** Returns true if most records that a bound counts only wait for a transaction. */
  private boolean isRoomNeeded(Collection<PartitionWork> of) {
    if (held.size() == 0 || held.size() == stuck) {
      return false;
    }
    if (2 * held.size() >= settings.maxUnderWay() || isFull.getAsBoolean()) {
      return true;
    }
    for (PartitionWork partition : of) {
      if (Holds.isForRoom(partition) && 2 * partition.held >= partition.underWay && partition.held > 0) {
        return true;
      }
    }
    return false;
  }

  private void begin(Collection<PartitionWork> of, RecordSource<?, ?> by, long nowNanos) {
    GroupMetadata member;
    try {
      member = by.groupMetadata();
    } catch (KafkaException | IllegalStateException e) {
      pause(nowNanos);
      done(nowNanos);
      listeners.failed(WorkListeners.Need.COMMITS, "no transaction can begin, and it is tried again", e);
      return;
    }
    // without a member, the coordinator would fence no one
    if (member.generation() < 0 || member.memberId().isEmpty()) {
      pause(nowNanos);
      done(nowNanos);
      return;
    }
    RecordTransaction<K, V> transaction = held.plan(of, most);
    if (transaction.isEmpty()) {
      stuck = held.size();
      return;
    }
    stuck = NOT_STUCK;
    transaction.begin(member, nowNanos);
    running = transaction;
    runner.execute(transaction);
  }

  private void pause(long nowNanos) {
    isPaused = true;
    pausedUntil = nowNanos + Math.min(LONGEST_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(aborts, 20));
    aborts++;
  }

  @Override
  public boolean settle(long nowNanos) {
    RecordTransaction<K, V> ended = running;
    if (ended == null || !ended.hasEnded()) {
      return false;
    }
    running = null;
    switch (ended.how()) {
      case COMMITTED -> {
        held.committed(ended);
        aborts = 0;
        isPaused = false;
        most = Integer.MAX_VALUE;
        listeners.solved(WorkListeners.Need.COMMITS);
        listeners.committed(ended.offsetsByName().keySet(), nowNanos - ended.begunNanos());
      }
      case ABORTED -> aborted(ended, nowNanos);
      case FATAL -> {
        held.aborted(ended, null);
        failure = ended.error();
      }
    }
    if (held.size() > 0) {
      done(nowNanos);
    }
    solvedIfEmpty();
    return true;
  }

  /** Ends the problem of commits once no record waits for one: aborted records may belong to other members. */
  private void solvedIfEmpty() {
    if (held.size() == 0 && running == null && failure == null) {
      listeners.solved(WorkListeners.Need.COMMITS);
    }
  }

  private void aborted(RecordTransaction<K, V> transaction, long nowNanos) {
    Slot<K, V> culprit = transaction.culprit();
    if (culprit != null && culprit.in().isCancelled()) {
      culprit = null;
    }
    if (transaction.isCancelled()) {
      isPaused = false;
    } else {
      pause(nowNanos);
      listeners.failed(WorkListeners.Need.COMMITS, "a transaction of " + runner.transactionalId()
          + " was aborted, and its records go with the next", transaction.error());
    }
    boolean isSought = culprit == null && transaction.refusedRecords() > 1;
    most = isSought ? Math.max(1, transaction.records().size() / 2) : Integer.MAX_VALUE;
    held.aborted(transaction, culprit);
    if (culprit != null) {
      isPaused = false;
      aborts = 0;
      Throwable error = refused.refused(culprit, transaction.refusal(), nowNanos);
      failure = failure == null ? error : failure;
    }
  }

  @Override
  public boolean isUnsettled() {
    return running != null;
  }

  @Override
  public boolean mustKnowWhatIsDone() {
    return true;
  }

  @Override
  public @Nullable Throwable failure() {
    return failure;
  }

  @Override
  public void commitNow(Collection<PartitionWork> of, RecordSource<?, ?> by, Duration timeout)
      throws InterruptedException {
    long deadline = clock.nanoTime() + timeout.toNanos();
    while (true) {
      RecordTransaction<K, V> now = running;
      if (now != null && !now.awaitEnd(deadline - clock.nanoTime())) {
        listeners.failed(WorkListeners.Need.COMMITS, "a transaction of " + runner.transactionalId()
            + " has not ended within " + timeout + "; what it has not committed is done again",
            new IllegalStateException("the coordinator has not answered"));
        return;
      }
      settle(clock.nanoTime());
      long left = deadline - clock.nanoTime();
      if (failure != null || left <= 0 || !hasMore(of)) {
        return;
      }
      if (isPaused) {
        TimeUnit.NANOSECONDS.sleep(Math.min(left, Math.max(0, pausedUntil - clock.nanoTime())));
        isPaused = false;
      }
      begin(of, by, clock.nanoTime());
      if (running == null && !isPaused) {
        return; // the metadata has no room for what is left
      }
    }
  }

  private static boolean hasMore(Collection<PartitionWork> of) {
    for (PartitionWork partition : of) {
      if (!partition.isCancelled() && (partition.held > 0 || partition.isDirty)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void dropCancelled() {
    held.dropCancelled();
    RecordTransaction<K, V> now = running;
    if (now != null) {
      now.cancelIfLost();
    }
    solvedIfEmpty();
  }

  @Override
  public void close(Duration timeout) {
    RecordTransaction<K, V> now = running;
    try {
      runner.stop();
      if (now != null) {
        now.cancel();
        now.awaitEnd(timeout.toNanos());
      }
      runner.close(timeout);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    settle(clock.nanoTime());
    held.dropCancelled();
    runner.memory().close();
  }
}
