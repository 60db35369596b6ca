package dev.decant.kafka.memory;

import dev.decant.buffer.BufferPool;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import java.util.ArrayDeque;
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

  private final EventLoop loop;
  private final BufferPool pool;
  /** In the order in which they came. Guarded by this. */
  private final ArrayDeque<Place> places = new ArrayDeque<>();
  /** How many these are; written under the monitor. */
  private volatile int waiting;
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
   * @return to be given up with {@link Place#leave()}
   */
  public Place enter(int neededBytes, int usefulBytes, BooleanSupplier ended) {
    wants();
    Place place = new Place(Math.max(neededBytes, Math.min(usefulBytes, limit / WORTH_IT)), ended);
    synchronized (this) {
      places.addLast(place);
      waiting = places.size();
    }
    admitFirst(); // memory that came free before woke nobody, and there may be some that only this one may not take
    return place;
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
    for (Place place : places) {
      loop.unparkAfterRound(place.thread);
    }
  }

  /** Gives the first its turn if there is memory for it. */
  private void admitFirst() {
    Place place = admitted();
    if (place == null) {
      return;
    }
    if (loop.isOwner()) {
      loop.unparkAfterRound(place.thread);
    } else {
      LockSupport.unpark(place.thread);
    }
    if (place.drives) {
      loop.signal(); // it waits for the network
    }
  }

  private synchronized @Nullable Place admitted() {
    Place first = places.peekFirst();
    if (first == null || first.admitted) {
      return null;
    }
    long leased = pool.leasedBytes();
    if (pool.maxBytes() - leased < first.bytes || limit - leased < Math.min(first.bytes, limit / WORTH_IT)) {
      return null;
    }
    first.admitted = true;
    credit.set(limit / WORTH_IT / places.size());
    return first;
  }

  /** One thread's place in the queue; of that thread only. */
  public final class Place implements BooleanSupplier {
    private final Thread thread = Thread.currentThread();
    private final BooleanSupplier ended;
    /** How much is to be free for it; guarded by the queue. */
    private long bytes;
    /** Written under the queue's monitor. */
    private volatile boolean admitted;
    /** Written by its thread before it looks whether it is admitted, and read after that was written. */
    private volatile boolean drives;

    private Place(long bytes, BooleanSupplier ended) {
      this.bytes = bytes;
      this.ended = ended;
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

    /** Gives the place up, whatever came of it. */
    public void leave() {
      boolean hadTurn;
      synchronized (SendMemory.this) {
        places.remove(this); // mostly one of the first
        waiting = places.size();
        hadTurn = admitted;
      }
      if (hadTurn) {
        onRelease();
      } else { // the next one may need less than this one did
        admitFirst();
      }
      if (waiting > 0 && !patient) { // half of it may never be free, and nothing in flight
        patient = true;
        loop.execute(SendMemory.this::waitPatiently);
      }
    }
  }
}
