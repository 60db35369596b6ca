package dev.decant.kafka.memory;

import dev.decant.buffer.BufferPool;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The memory for records that are not acknowledged, and the queue of the threads that wait for some.
 *
 * <p>First come, first served. While others wait, a running thread takes a bit more, and then goes to the end of the
 * queue. Otherwise running threads would take all memory that comes free, and a woken one would find none.
 *
 * <p>Senders that outpace the brokers would fill all of it and keep it full. {@link BacklogLimit} says how much they
 * may fill; below, the memory means that part.
 *
 * <p>A woken thread should find enough to do. So the first has its turn when half of the memory is free, when another
 * thread goes to the end of the queue, and when the one before it has had its turn and that much is still free. All
 * have had theirs when about half of the memory, or a batch for each, was taken.
 *
 * <p>Half of it may never be free, if records of a partition wait for a leader. So every {@value #PATIENCE_MILLIS} ms,
 * and when brokers fall silent, the first has its turn with as much as it needs.
 *
 * <p>Any thread, where not said otherwise.
 */
public final class SendMemory {
  /** The smallest piece of memory: 2 KiB, for a partition that has little to send. */
  public static final int SMALLEST_BYTES = 2 * 1024;

  /** Which part of the memory is to be free before a thread is woken for it. */
  private static final int WORTH_IT = 2;
  private static final long PATIENCE_MILLIS = 100;
  /** How many places are kept for later waits at most; they take 56 KiB. */
  static final int MOST_SPARES = 1024;
  /**
   * Share of the unneeded spare places that is dropped each time the queue empties, so the next wave of senders still
   * finds most of them.
   */
  private static final int SPARES_THAT_GO = 8;

  private final EventLoop loop;
  private final BufferPool pool;
  /** The queue, in the order in which they came; null if nobody waits. Guarded by this. */
  private @Nullable Place first;
  private @Nullable Place last;
  /** How long the queue is. Guarded by this; any thread reads its copy. */
  private int length;
  private volatile int waiting;
  /** Places that no sender uses, linked by {@link Place#next}. Guarded by this. */
  private @Nullable Place spare;
  private int spares;
  /** The longest that the queue was since it was empty. Guarded by this. */
  private int longest;
  /** How much of it is given out. Written by the owner of the loop, read by any thread. */
  private volatile long limit;
  /** Whether somebody found too little; cleared by the owner of the loop. */
  private volatile boolean wanted;
  /** Owner of the loop only. */
  private final BacklogLimit backlogLimit;
  /** How much full batches of all partitions that have records would take. Owner of the loop only. */
  private long filling;
  private final Timer silence = new Timer(this::onSilence);
  private final Timer patience = new Timer(this::onPatience);
  /** Whether {@link #patience} runs, or will. Set by any thread, cleared by the owner before it looks who waits. */
  private volatile boolean patient;
  private final Runnable waitPatiently = this::waitPatiently;
  /** How many bytes may still be taken by threads that have not waited while others do. */
  private final AtomicLong credit = new AtomicLong();

  /**
   * Nobody waits yet.
   *
   * @param loop whose owner gives memory back
   * @param pool the memory
   */
  public SendMemory(EventLoop loop, BufferPool pool) {
    this.loop = loop;
    this.pool = pool;
    this.limit = pool.maxBytes();
    this.backlogLimit = new BacklogLimit(pool.maxBytes(), loop.clock().nanoTime());
  }

  /**
   * The memory itself. A thread that has not waited asks {@link #mayTake} before it takes some.
   *
   * @return to be closed by its maker
   */
  public BufferPool pool() {
    return pool;
  }

  /**
   * Tells whether there is a queue.
   *
   * @return true if somebody waits, or has its turn
   */
  public boolean isWaitedFor() {
    return waiting > 0;
  }

  /**
   * Threads that wait, or have their turn. Any thread.
   *
   * @return how many
   */
  public int waiters() {
    return waiting;
  }

  /**
   * Tells whether a thread may take memory that has not waited for it.
   *
   * @param bytes how much it wants
   * @return false if others wait, and it should, too
   */
  public boolean mayTake(int bytes) {
    return waiting == 0 || credit.addAndGet(-bytes) >= 0;
  }

  /**
   * Tells whether there is enough memory for some batches.
   *
   * @return true if a quarter is free
   */
  public boolean hasRoom() {
    return pool.leasedBytes() <= limit - limit / 4;
  }

  private boolean isWorthAWakeUp() {
    return pool.leasedBytes() <= limit - limit / WORTH_IT;
  }

  /**
   * Takes a place at the end of the queue, for the calling thread.
   *
   * @param neededBytes without which it can do nothing
   * @param usefulBytes what it will make use of at once, for instance a batch
   * @param ended whether there is nothing to wait for any more; cheap, and safe to call from that thread
   * @return a place that the caller returns with {@link Place#leave()}; another thread may have it then
   */
  public Place enter(int neededBytes, int usefulBytes, BooleanSupplier ended) {
    wants();
    Place place = entered(Math.max(neededBytes, Math.min(usefulBytes, limit / WORTH_IT)), ended);
    admitFirst(); // memory that came free before woke nobody, and there may be some that only this one may not take
    return place;
  }

  private synchronized Place entered(long bytes, BooleanSupplier ended) {
    Place place = spare;
    if (place == null) {
      place = new Place();
    } else {
      spare = place.next;
      spares--;
    }
    place.begin(bytes, ended);
    place.before = last;
    place.next = null;
    if (last == null) {
      first = place;
    } else {
      last.next = place;
    }
    last = place;
    waiting = ++length;
    longest = Math.max(longest, length);
    return place;
  }

  /** Takes a place out of the queue. The caller holds the monitor. */
  private void remove(Place place) {
    Place before = place.before;
    Place next = place.next;
    if (before == null) {
      first = next;
    } else {
      before.next = next;
    }
    if (next == null) {
      last = before;
    } else {
      next.before = before;
    }
    place.before = null;
    waiting = --length;
    keep(place);
  }

  /**
   * Keeps a place for the next wait. Places of a large wave are dropped step by step if no later wave needs as many.
   * The caller holds the monitor.
   */
  private void keep(Place place) {
    place.next = spare;
    spare = place;
    spares++;
    int most = MOST_SPARES;
    if (length == 0) {
      most = Math.min(most, Math.max(longest, spares - spares / SPARES_THAT_GO));
      longest = 0;
    }
    for (; spares > most; spares--) {
      spare = Objects.requireNonNull(spare).next;
    }
  }

  /** How many places wait for another use. */
  synchronized int spares() {
    return spares;
  }

  /** Somebody found too little, and does not wait. */
  public void wants() {
    if (!wanted) {
      wanted = true;
    }
  }

  /**
   * A partition begins to have records, or has none any more. Owner of the loop only.
   *
   * @param bytes how much a full batch of it would take; negative if it has none any more
   */
  public void onFilling(long bytes) {
    filling += bytes;
  }

  /**
   * Records are sent for the first time. Owner of the loop only.
   *
   * @param bytes how much memory they take
   */
  public void onSent(long bytes) {
    backlogLimit.sent(bytes, filling);
  }

  /**
   * Memory of records that are acknowledged, or have failed, was given back. Owner of the loop only.
   *
   * @param bytes how much of it was sent before
   */
  public void onFinished(long bytes) {
    backlogLimit.finished(bytes);
    boolean isIdle = backlogLimit.isIdle() && waiting == 0;
    if (isIdle ? limit < pool.maxBytes() : backlogLimit.isDue(loop.nowNanos())) {
      boolean isWanted = !isIdle && (wanted || waiting > 0);
      wanted = false;
      limitTo(backlogLimit.next(isWanted, loop.nowNanos()));
      if (limit < pool.maxBytes()) {
        loop.schedule(silence, loop.nowNanos() + BacklogLimit.SILENCE_NANOS);
      } else {
        loop.cancel(silence);
      }
    }
    onRelease();
    if (waiting > 0 && !patience.isScheduled()) {
      waitPatiently();
    }
  }

  private void waitPatiently() {
    patient = true;
    loop.schedule(patience, loop.nowNanos() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS));
  }

  private void onPatience() {
    patient = false; // a thread that comes from now on is seen here, or sees this when it leaves
    if (waiting > 0) {
      admitFirst();
      waitPatiently();
    }
  }

  private void onSilence() {
    limitTo(pool.maxBytes());
    onPatience(); // perhaps that is all there will be: nothing may be in flight
  }

  /** The pool never refuses what this promises. */
  private void limitTo(long bytes) {
    if (bytes > limit) {
      pool.limit(bytes);
      limit = bytes;
    } else {
      limit = bytes;
      pool.limit(bytes);
    }
  }

  /** To be called when memory was given back. */
  public void onRelease() {
    if (waiting > 0 && isWorthAWakeUp()) {
      admitFirst();
    }
  }

  /** Wakes every waiting thread, which looks whether its wait has ended. Owner of the loop only. */
  public synchronized void signalAll() {
    for (Place place = first; place != null; place = place.next) {
      loop.unparkAfterRound(Objects.requireNonNull(place.thread));
    }
  }

  /** Gives the first its turn if there is memory for it. */
  private void admitFirst() {
    Place place;
    Thread thread;
    synchronized (this) {
      place = first;
      if (place == null || !admits(place)) {
        return;
      }
      thread = Objects.requireNonNull(place.thread);
    }
    // The thread may leave meanwhile, and another one may have its place: then that one is woken once too often.
    if (loop.isOwner()) {
      loop.unparkAfterRound(thread);
    } else {
      LockSupport.unpark(thread);
    }
    if (place.drives) {
      loop.signal(); // it waits for the network
    }
  }

  /** The caller holds the monitor. */
  private boolean admits(Place place) {
    if (place.admitted) {
      return false;
    }
    long leased = pool.leasedBytes();
    if (pool.maxBytes() - leased < place.bytes || limit - leased < Math.min(place.bytes, limit / WORTH_IT)) {
      return false;
    }
    place.admitted = true;
    credit.set(limit / WORTH_IT / length);
    return true;
  }

  private static boolean isSpare() {
    return true;
  }

  /** One thread's place in the queue; of that thread only, from {@link #enter} to {@link #leave}. */
  public final class Place implements BooleanSupplier {
    /** Neighbours in the queue; of a spare place, the next spare one. Guarded by the queue. */
    private @Nullable Place before;
    private @Nullable Place next;
    /** The thread that waits; null for a spare place. Guarded by the queue. */
    private @Nullable Thread thread;
    /** Of a spare place: never asked. */
    private BooleanSupplier ended = SendMemory::isSpare;
    /** How much is to be free for it; guarded by the queue. */
    private long bytes;
    /** Written under the queue's monitor. */
    private volatile boolean admitted;
    /** Written by its thread before it looks whether it is admitted, and read after that was written. */
    private volatile boolean drives;

    private Place() {}

    private void begin(long needed, BooleanSupplier condition) {
      thread = Thread.currentThread();
      ended = condition;
      bytes = needed;
      admitted = false;
    }

    /** Whether it need not wait any longer. */
    @Override
    public boolean getAsBoolean() {
      return admitted || ended.getAsBoolean();
    }

    /**
     * Waits for its turn. A platform thread drives the loop meanwhile; a virtual one, or one that finds the loop
     * borrowed, parks.
     *
     * @param deadlineNanos in monotonic nanoseconds
     * @return false at the deadline
     * @throws InterruptedException if the thread was interrupted
     */
    public boolean await(long deadlineNanos) throws InterruptedException {
      return drive(deadlineNanos) || loop.parkUntil(this, deadlineNanos);
    }

    private boolean drive(long deadlineNanos) throws InterruptedException {
      drives = true;
      try {
        return loop.driveUntil(this, deadlineNanos);
      } finally {
        drives = false;
      }
    }

    /** It was its turn, and yet there was not enough: it stays where it is, until twice as much is free. */
    public void refused() {
      synchronized (SendMemory.this) {
        admitted = false;
        bytes = Math.min(2 * bytes, pool.maxBytes());
      }
      admitFirst();
    }

    /**
     * Gives the place up, whatever came of it.
     *
     * @throws IllegalStateException if this thread does not have it any more
     */
    @SuppressWarnings("ReferenceEquality") // the very thread
    public void leave() {
      boolean hadTurn;
      synchronized (SendMemory.this) {
        if (thread != Thread.currentThread()) { // it would take another thread out of the queue
          throw new IllegalStateException("this place was given up before");
        }
        hadTurn = admitted;
        thread = null;
        ended = SendMemory::isSpare;
        remove(this);
      }
      if (hadTurn) {
        onRelease();
      } else { // the next one may need less than this one did
        admitFirst();
      }
      if (waiting > 0 && !patient) { // half of it may never be free, and nothing in flight
        patient = true;
        loop.execute(waitPatiently);
      }
    }
  }
}
