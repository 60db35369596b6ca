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
 * The memory for records that are not acknowledged, and the queue of threads that wait for it.
 *
 * <p>First come, first served. While others wait, a running thread may take a little more, and then goes to the end of
 * the queue. Otherwise running threads would take all memory that becomes free, and a woken thread would find none
 * (docs/decisions/0012).
 *
 * <p>Senders that outpace the brokers would fill all memory and keep it full. {@link BacklogLimit} bounds their part;
 * below, "the memory" means that part.
 *
 * <p>A woken thread should find enough to do. So the first one has its turn when half of the memory is free, and when
 * another thread goes to the end of the queue. It also has its turn when the one before has had its own, and half is
 * still free. After about half of the memory, or a batch for each, was taken, all have had a turn.
 *
 * <p>Half of the memory may never become free, if records of a partition wait for a leader. So the first thread also
 * has its turn, with as much as it needs, every {@value #PATIENCE_MILLIS} ms, and when brokers fall silent.
 *
 * <p>Any thread, unless a method names another one.
 */
public final class SendMemory {
  /** The smallest piece of memory: 2 KiB, for a partition with few records. */
  public static final int SMALLEST_BYTES = 2 * 1024;

  /** The share of the memory, as a divisor, that must be free before a thread is woken. */
  private static final int WORTH_IT = 2;
  private static final long PATIENCE_MILLIS = 100;
  /** The most places that are kept for later waits; they take 56 KiB. */
  static final int MOST_SPARES = 1024;
  /**
   * The share, as a divisor, of unneeded spare places that is dropped each time the queue empties. The next wave of
   * senders still finds most of them.
   */
  private static final int SPARES_THAT_GO = 8;

  private final EventLoop loop;
  private final BufferPool pool;
  /** The queue, in the order of arrival; null if no thread waits. Guarded by this. */
  private @Nullable Place first;
  private @Nullable Place last;
  /** The length of the queue. Guarded by this; any thread reads its copy. */
  private int length;
  private volatile int waiting;
  /** Places that no sender uses, linked by {@link Place#next}. Guarded by this. */
  private @Nullable Place spare;
  private int spares;
  /** The greatest length of the queue since it was empty. Guarded by this. */
  private int longest;
  /** The bytes that may be in use at a time. Written by the owner of the loop, read by any thread. */
  private volatile long limit;
  /** True once a sender has found too little; cleared by the owner of the loop. */
  private volatile boolean wanted;
  /** Owner of the loop only. */
  private final BacklogLimit backlogLimit;
  /** Bytes of one full batch for each partition that has records. Owner of the loop only. */
  private long filling;
  private final Timer silence = new Timer(this::onSilence);
  private final Timer patience = new Timer(this::onPatience);
  /**
   * True while {@link #patience} is scheduled, or will be. Set by any thread; the owner clears it before it reads the
   * queue.
   */
  private volatile boolean patient;
  private final Runnable waitPatiently = this::waitPatiently;
  /** Bytes that threads may still take without waiting while others wait. */
  private final AtomicLong credit = new AtomicLong();

  /**
   * Makes an empty queue.
   *
   * @param loop the loop whose owner gives memory back
   */
  public SendMemory(EventLoop loop, BufferPool pool) {
    this.loop = loop;
    this.pool = pool;
    this.limit = pool.maxBytes();
    this.backlogLimit = new BacklogLimit(pool.maxBytes(), loop.clock().nanoTime());
  }

  /**
   * Returns the pool, which its maker closes. A thread that has not waited calls {@link #mayTake} before it takes
   * memory.
   */
  public BufferPool pool() {
    return pool;
  }

  /** Returns true if a thread waits, or has its turn. */
  public boolean isWaitedFor() {
    return waiting > 0;
  }

  /** Returns the number of threads that wait, or have their turn. Any thread. */
  public int waiters() {
    return waiting;
  }

  /** Returns true if a thread that has not waited may take memory; false if it must wait like the others. */
  public boolean mayTake(int bytes) {
    return waiting == 0 || credit.addAndGet(-bytes) >= 0;
  }

  /** Returns true if a quarter of the memory is free, which is enough for some batches. */
  public boolean hasRoom() {
    return pool.leasedBytes() <= limit - limit / 4;
  }

  private boolean isWorthAWakeUp() {
    return pool.leasedBytes() <= limit - limit / WORTH_IT;
  }

  /**
   * Takes a place at the end of the queue for the calling thread.
   *
   * @param neededBytes the least that the thread can work with
   * @param usefulBytes the amount that it uses at once, for instance a batch
   * @param ended returns true if the wait has lost its purpose; cheap, and safe to call from that thread
   * @return a place that the caller returns with {@link Place#leave()}; another thread may get it then
   */
  public Place enter(int neededBytes, int usefulBytes, BooleanSupplier ended) {
    wants();
    Place place = entered(Math.max(neededBytes, Math.min(usefulBytes, limit / WORTH_IT)), ended);
    // Memory that became free before has woken no thread, and there may be some that only this thread may not take.
    admitFirst();
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
   * Keeps a place for the next wait. Each wait once made a place and grew the queue. Places of a large wave are dropped
   * step by step if no later wave needs as many. The caller holds the monitor.
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

  /** Returns the number of spare places. */
  synchronized int spares() {
    return spares;
  }

  /** Notes that a sender has found too little, and does not wait. */
  public void wants() {
    if (!wanted) {
      wanted = true;
    }
  }

  /**
   * Notes that a partition has records now, or has none any more. Owner of the loop only.
   *
   * @param bytes the size of a full batch of it; negative if it has none any more
   */
  public void onFilling(long bytes) {
    filling += bytes;
  }

  /** Notes records that are sent for the first time. Owner of the loop only. */
  public void onSent(long bytes) {
    backlogLimit.sent(bytes, filling);
  }

  /**
   * Notes that the memory of records that were acknowledged or have failed was given back. Owner of the loop only.
   *
   * @param bytes the part that was sent before
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
    patient = false; // a thread that arrives from now on is seen here, or sees the flag when it leaves
    if (waiting > 0) {
      admitFirst();
      waitPatiently();
    }
  }

  private void onSilence() {
    limitTo(pool.maxBytes());
    onPatience(); // nothing may be in flight, so no more memory may become free
  }

  /** Sets the limit in this order, so the pool never refuses memory below {@link #limit}. */
  private void limitTo(long bytes) {
    if (bytes > limit) {
      pool.limit(bytes);
      limit = bytes;
    } else {
      limit = bytes;
      pool.limit(bytes);
    }
  }

  /** Wakes the first waiting thread if enough is free. Called after memory was given back. */
  public void onRelease() {
    if (waiting > 0 && isWorthAWakeUp()) {
      admitFirst();
    }
  }

  /** Wakes all waiting threads, which check whether their wait has ended. Owner of the loop only. */
  public synchronized void signalAll() {
    for (Place place = first; place != null; place = place.next) {
      loop.unparkAfterRound(Objects.requireNonNull(place.thread));
    }
  }

  /** Gives the first thread its turn if there is memory for it. */
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
    // The thread may leave meanwhile, and another one may get its place. That one is woken without a turn, and waits
    // on.
    if (loop.isOwner()) {
      loop.unparkAfterRound(thread);
    } else {
      LockSupport.unpark(thread);
    }
    if (place.drives) {
      loop.signal(); // the thread waits for the network, which an unpark does not end
    }
  }

  /** Returns true if the place has its turn now. The caller holds the monitor. */
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

  /** One thread's place in the queue. It belongs to that thread from {@link #enter} to {@link #leave}. */
  public final class Place implements BooleanSupplier {
    /** Neighbours in the queue; of a spare place, the next spare one. Guarded by the queue. */
    private @Nullable Place before;
    private @Nullable Place next;
    /** The thread that waits; null for a spare place. Guarded by the queue. */
    private @Nullable Thread thread;
    /** The condition that ends the wait; a spare place has one that is never called. */
    private BooleanSupplier ended = SendMemory::isSpare;
    /** Bytes that must be free for the thread; guarded by the queue. */
    private long bytes;
    /** True while the thread has its turn. Written under the queue's monitor. */
    private volatile boolean admitted;
    /**
     * True while the thread drives the loop. The thread writes it before it reads {@link #admitted}; the waker reads it
     * after it has written that.
     */
    private volatile boolean drives;

    private Place() {}

    private void begin(long needed, BooleanSupplier condition) {
      thread = Thread.currentThread();
      ended = condition;
      bytes = needed;
      admitted = false;
    }

    /** Returns true if the wait has ended: the thread has its turn, or the wait has lost its purpose. */
    @Override
    public boolean getAsBoolean() {
      return admitted || ended.getAsBoolean();
    }

    /**
     * Waits for the turn. A platform thread drives the loop meanwhile. A virtual thread, or a thread that finds the
     * loop borrowed, parks.
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

    /**
     * Returns the turn, because the memory was not enough for it. The thread keeps its place until twice as much is
     * free.
     */
    public void refused() {
      synchronized (SendMemory.this) {
        admitted = false;
        bytes = Math.min(2 * bytes, pool.maxBytes());
      }
      admitFirst();
    }

    /**
     * Leaves the queue, with or without a turn.
     *
     * @throws IllegalStateException if the place is not this thread's any more
     */
    @SuppressWarnings("ReferenceEquality") // the identity of the thread counts
    public void leave() {
      boolean hadTurn;
      synchronized (SendMemory.this) {
        if (thread != Thread.currentThread()) { // otherwise it would take another thread out of the queue
          throw new IllegalStateException("this place was given up before");
        }
        hadTurn = admitted;
        thread = null;
        ended = SendMemory::isSpare;
        remove(this);
      }
      if (hadTurn) {
        onRelease();
      } else { // the next thread may need less than this one did
        admitFirst();
      }
      if (waiting > 0 && !patient) { // half of the memory may never become free, with nothing in flight
        patient = true;
        loop.execute(waitPatiently);
      }
    }
  }
}
