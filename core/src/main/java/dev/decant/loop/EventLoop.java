package dev.decant.loop;

import dev.decant.time.Clock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.VarHandle;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A selector, timers, tasks and agents with exactly one owner at a time.
 *
 * <p>Ownership is a lock. By default the loop's own I/O thread has it. A platform thread that is about to wait may
 * <em>borrow</em> the loop with {@link #driveUntil} and do the waiting work itself, so that its result reaches it
 * without a hand-off between threads (leader/followers). While the loop is borrowed again and again the I/O thread
 * stands by: it sleeps and steps in when nobody has driven for {@value #STANDBY_MILLIS} ms, when a timer is due, or
 * when {@link #signal()} announces work that nobody drives; while one borrower waits for long it does not even look.
 *
 * <p>While the owner, whoever it is, sleeps in its wait for the network, a thread that has something small to do may
 * {@link #visit} and do it in the owner's place, which sleeps on. The visitor is the owner until it is done.
 *
 * <p>Threads: methods say whether any thread may call them or only the owner. Everything reachable from the loop
 * (timers, connections) belongs to the owner.
 */
public final class EventLoop implements AutoCloseable {
  /** How long the I/O thread leaves the loop alone after it was borrowed, in milliseconds. */
  static final int STANDBY_MILLIS = 10;

  private static final System.Logger LOG = System.getLogger(EventLoop.class.getName());
  private static final int VACANT = 0;
  private static final int IO_THREAD_DRIVES = 1;
  private static final int BORROWER_DRIVES = 2;
  private static final long MAX_SELECT_MILLIS = 60_000;
  /** Bounds a round in which tasks add tasks: timers and the network have their turn. */
  private static final int MAX_TASKS_PER_ROUND = 1_000;

  private final Clock clock;
  private final Selector selector;
  private final Thread ioThread;
  private final ReentrantLock ownership = new ReentrantLock();
  private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  /** True while a thread borrows the loop or waits for the I/O thread to leave it; whoever sets it clears it. */
  private final AtomicBoolean borrowing = new AtomicBoolean();
  /** The thread that has set `borrowing` and waits for the lock. */
  private volatile @Nullable Thread claimant;
  // Who parks is counted in and out where its processor counts: with a thousand threads that wait one word for all of
  // them would be what they wait for.
  private final LongAdder waitsBegun = new LongAdder();
  private final LongAdder waitsEnded = new LongAdder();
  private final Visits visits = new Visits();
  private final Consumer<SelectionKey> onReady = this::dispatch;

  // Owner only.
  private final TimerQueue timers = new TimerQueue();
  private final List<Agent> agents = new ArrayList<>();
  private final List<Thread> unparks = new ArrayList<>(64);
  private long nowNanos;
  private boolean timeIsStale;
  /** Whether some agent has to run again soon. */
  private boolean agentFailed;
  /** Until when the owner sleeps if nothing comes. */
  private long sleepEndNanos;

  // Written by the owner, read by any thread.
  private volatile int mode = VACANT;
  /** How often somebody looked at the network; tells the I/O thread whether it is needed. */
  private volatile long rounds;
  /** The I/O thread waits for the borrower to hand the loop back. Written by the I/O thread. */
  private volatile boolean resting;
  // Written by any thread, cleared by the owner at the start of a round.
  private volatile boolean signalled;
  private volatile boolean closed;

  private EventLoop(String name, Clock clock) throws IOException {
    this.clock = clock;
    this.selector = Selector.open();
    this.nowNanos = clock.nanoTime();
    this.ioThread = Thread.ofPlatform().name(name).daemon(true).unstarted(this::runIoThread);
  }

  /**
   * Opens a selector and starts the I/O thread.
   *
   * @param name name of the I/O thread
   * @param clock time source
   * @return the running loop
   * @throws UncheckedIOException when no selector can be opened
   */
  public static EventLoop start(String name, Clock clock) {
    try {
      EventLoop loop = new EventLoop(name, clock);
      loop.ioThread.start();
      return loop;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot open a selector for the event loop " + name, e);
    }
  }

  /**
   * Opens a selector for a loop without a thread of its own: nothing moves while nobody borrows it. For tests that
   * choose the order of things.
   *
   * @param name of the loop
   * @param clock time source
   * @return the loop
   * @throws UncheckedIOException when no selector can be opened
   */
  public static EventLoop withoutThread(String name, Clock clock) {
    try {
      return new EventLoop(name, clock);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot open a selector for the event loop " + name, e);
    }
  }

  /**
   * The time source.
   *
   * @return the clock given at start
   */
  public Clock clock() {
    return clock;
  }

  /**
   * The time of the current round, read at its start and again after a wait. Owner only.
   *
   * @return nanoseconds of the monotonic clock
   */
  public long nowNanos() {
    return nowNanos;
  }

  /**
   * Runs a task on the owner, soon. Any thread. Tasks run in order; one that throws is logged and harms no other.
   *
   * @param task must not block
   */
  public void execute(Runnable task) {
    tasks.add(task);
    signal();
  }

  /** Announces work, so that whoever owns the loop has a round soon and somebody does own it. Any thread; cheap. */
  public void signal() {
    signalled = true;
    // Either the owner's next look at `signalled` (after it left for its sleep) sees our write, or we see here that it
    // sleeps; the same holds for `mode`, which a leaving borrower sets to VACANT before it looks at `signalled`.
    if (visits.ownerSleeps()) {
      selector.wakeup();
    } else if (mode == VACANT) {
      LockSupport.unpark(ioThread);
    }
  }

  /**
   * Adds an agent. Owner only.
   *
   * @param agent is called once per round until removed
   */
  public void add(Agent agent) {
    agents.add(agent);
  }

  /**
   * Removes an agent. Owner only, and not from within the agent.
   *
   * @param agent added before
   */
  public void remove(Agent agent) {
    agents.remove(agent);
  }

  /**
   * Schedules a timer, or moves it if it is scheduled already. Owner only.
   *
   * @param timer the timer
   * @param deadlineNanos when to fire, in monotonic nanoseconds
   */
  public void schedule(Timer timer, long deadlineNanos) {
    timers.schedule(timer, deadlineNanos);
  }

  /**
   * Cancels a timer; nothing happens if it is not scheduled. Owner only.
   *
   * @param timer the timer
   */
  public void cancel(Timer timer) {
    timers.cancel(timer);
  }

  /**
   * Unparks a thread after the round, together with all others of the round. Owner only.
   *
   * @param thread a thread that waits for something that this round has done
   */
  @SuppressWarnings("ReferenceEquality") // the very thread
  public void unparkAfterRound(Thread thread) {
    int size = unparks.size();
    if (size == 0 || unparks.get(size - 1) != thread) { // mostly one thread waits, for many things of a round
      unparks.add(thread);
    }
  }

  /**
   * Tells whether the calling thread owns the loop now.
   *
   * @return true on the owner
   */
  public boolean isOwner() {
    return ownership.isHeldByCurrentThread() || visits.isVisitor();
  }

  /**
   * Has an agent work at once, on the calling thread, if the owner sleeps in its wait for the network: the owner sleeps
   * on, and the caller saves the way to another thread. A platform thread only: a virtual one might lose its carrier in
   * the middle, and the owner would wait until it gets another. What fails is logged, and the owner has a round.
   *
   * @param agent does little, and does not block
   * @return false if the owner is awake, or visited already, or this is a virtual thread: then nothing was done, and
   *     {@link #signal()} announces it
   */
  public boolean visit(Agent agent) {
    if (closed || Thread.currentThread().isVirtual() || !visits.enter()) {
      return false;
    }
    boolean ownerIsWanted = true;
    try {
      nowNanos = clock.nanoTime();
      agent.doWork();
      flushUnparks();
      ownerIsWanted = timers.nanosUntilNext(nowNanos) < sleepEndNanos - nowNanos;
    } catch (Throwable e) { // as for the I/O thread: what the agent left undone is to be looked at
      LOG.log(System.Logger.Level.ERROR, "a visit of the event loop failed", e);
    } finally {
      visits.exit();
    }
    if (ownerIsWanted) {
      signal();
    }
    return true;
  }

  /**
   * Tells whether the calling thread is in a {@link #visit}. Any thread.
   *
   * @return false for every other owner
   */
  public boolean isVisit() {
    return visits.isVisitor();
  }

  /** Has the owner look again at what its channels wait for, which it does when it begins to sleep. Owner only. */
  void channelsChanged() {
    if (isVisit()) {
      selector.wakeup();
    }
  }

  /**
   * Tells whether some thread has rounds now, or waits in one for the network. Any thread; a hint.
   *
   * @return false if the I/O thread stands by and nobody borrows
   */
  public boolean isDriven() {
    return mode != VACANT;
  }

  /**
   * Borrows the loop and drives it until the condition holds. A platform thread only: for a virtual thread, and where
   * another thread borrows already, it returns at once and the caller {@linkplain #parkUntil parks}.
   *
   * @param done evaluated before each round, on the calling thread
   * @param deadlineNanos when to give up, in monotonic nanoseconds
   * @return true if the condition held when the call ended; false at the deadline (after one round at least, if it
   *     borrowed) or where it could not borrow
   * @throws InterruptedException if the thread was interrupted; the loop is handed back
   */
  public boolean driveUntil(BooleanSupplier done, long deadlineNanos) throws InterruptedException {
    if (done.getAsBoolean()) {
      return true;
    }
    if (closed || Thread.currentThread().isVirtual() || !borrow(deadlineNanos)) {
      return done.getAsBoolean();
    }
    try {
      do { // at least one round, whatever the deadline: borrowing keeps the I/O thread away
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        if (closed) {
          return done.getAsBoolean();
        }
        round(done, deadlineNanos);
        if (done.getAsBoolean()) {
          return true;
        }
      } while (deadlineNanos - clock.nanoTime() > 0);
      return false;
    } finally {
      handBack();
    }
  }

  /**
   * Takes ownership, from the I/O thread if need be. One thread at a time gets past {@code borrowing}. So whoever waits
   * here waits for the I/O thread to end its present round (or for a borrower that is on its way out), never behind a
   * borrower that drives; a second thread is told so at once and parks, and the first one's rounds unpark it.
   */
  private boolean borrow(long deadlineNanos) throws InterruptedException {
    if (ownership.isHeldByCurrentThread() || !borrowing.compareAndSet(false, true)) {
      return false;
    }
    boolean taken = false;
    try {
      taken = ownership.tryLock() || takeFromIoThread(deadlineNanos);
    } finally {
      if (taken) {
        mode = BORROWER_DRIVES;
      } else {
        // The I/O thread may have left for us already.
        borrowing.set(false);
        LockSupport.unpark(ioThread);
      }
    }
    return taken;
  }

  private boolean takeFromIoThread(long deadlineNanos) throws InterruptedException {
    if (deadlineNanos - clock.nanoTime() <= 0) {
      return false;
    }
    // Either the I/O thread's look at `borrowing` (after it left for its sleep) sees our write, or we see it asleep.
    if (visits.ownerSleeps()) {
      selector.wakeup();
    }
    return awaitOwnership(deadlineNanos);
  }

  /** The lock's own wait would make an object each time. There is one waiter, the one that has set `borrowing`. */
  private boolean awaitOwnership(long deadlineNanos) throws InterruptedException {
    claimant = Thread.currentThread();
    try {
      // Either we find the lock free here, or who holds it finds us in `claimant` after it has let go.
      while (!ownership.tryLock()) {
        long leftNanos = deadlineNanos - clock.nanoTime();
        if (leftNanos <= 0) {
          return false;
        }
        LockSupport.parkNanos(this, leftNanos);
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
      return true;
    } finally {
      claimant = null;
    }
  }

  private void letGo() {
    ownership.unlock();
    Thread next = claimant;
    if (next != null) {
      LockSupport.unpark(next);
    }
  }

  private void handBack() {
    mode = VACANT;
    borrowing.set(false);
    letGo();
    // Who signals or parks after this look finds VACANT and unparks the I/O thread itself.
    if (signalled || isAwaited() || resting) {
      LockSupport.unpark(ioThread);
    }
  }

  /**
   * Must be called before a thread parks for something that this loop does: it makes sure that somebody drives
   * meanwhile. Any thread.
   */
  public void beginParkedWait() {
    waitsBegun.increment();
    VarHandle.fullFence(); // the increment alone is no more than a release, and it must be seen before we look
    if (mode == VACANT) {
      signal();
    }
  }

  /** Ends what {@link #beginParkedWait()} began. Any thread. */
  public void endParkedWait() {
    waitsEnded.increment();
  }

  /**
   * Parks until the condition holds, for a thread that could not {@linkplain #driveUntil drive}; somebody else drives
   * meanwhile. Who makes the condition hold unparks the thread afterwards, which it must have made known before. Any
   * thread but the owner.
   *
   * @param done cheap and safe to call from the waiting thread
   * @param deadlineNanos when to give up, in monotonic nanoseconds
   * @return false at the deadline
   * @throws InterruptedException if the thread was interrupted
   */
  public boolean parkUntil(BooleanSupplier done, long deadlineNanos) throws InterruptedException {
    beginParkedWait();
    try {
      // What changes after this look unparks us, and the next park returns at once.
      while (!done.getAsBoolean()) {
        long leftNanos = deadlineNanos - clock.nanoTime();
        if (leftNanos <= 0) {
          return false;
        }
        LockSupport.parkNanos(this, leftNanos);
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
      return true;
    } finally {
      endParkedWait();
    }
  }

  /** Whether some thread is parked. Of a wait that ends meanwhile the end may be missed, never the begin of another. */
  private boolean isAwaited() {
    long ended = waitsEnded.sum();
    return waitsBegun.sum() > ended;
  }

  private void runIoThread() {
    while (!closed) {
      if (!borrowing.get() && ownership.tryLock()) {
        driveFromIoThread();
      }
      standBy();
    }
    closeSelector();
  }

  private void driveFromIoThread() {
    try {
      mode = IO_THREAD_DRIVES;
      while (!closed && !borrowing.get()) {
        Thread.interrupted(); // nobody has a reason to interrupt us, and an interrupted thread cannot select
        try {
          round(EventLoop::never, Long.MAX_VALUE);
        } catch (Throwable e) { // whatever it is, without this thread everything of the loop would be dead
          LOG.log(System.Logger.Level.ERROR, "a round of the event loop failed", e);
        }
      }
    } finally {
      mode = VACANT;
      letGo();
    }
  }

  private static boolean never() {
    return false;
  }

  /** Sleeps while the loop is borrowed again and again; returns when the I/O thread should drive. */
  private void standBy() {
    while (!closed) {
      long seen = rounds;
      LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(STANDBY_MILLIS));
      boolean nobodyBorrows = mode == VACANT && !borrowing.get();
      if (nobodyBorrows && (signalled || isAwaited() || rounds == seen)) {
        return;
      }
      if (rounds == seen) {
        restWhileBorrowed();
      }
    }
  }

  /** The borrower itself waits for long: there is nothing to look after until it hands the loop back. */
  private void restWhileBorrowed() {
    resting = true;
    // Either we see here that it was handed back, or who hands it back sees `resting` and unparks us.
    if (mode == BORROWER_DRIVES && !closed) {
      LockSupport.park(this);
    }
    resting = false;
  }

  /** One round: tasks, due timers, agents, then the network, waiting for it only if there is nothing else to do. */
  private void round(BooleanSupplier done, long deadlineNanos) {
    signalled = false;
    nowNanos = clock.nanoTime();
    try {
      runTasks(MAX_TASKS_PER_ROUND);
      fireTimers();
      runAgents();
      if (!done.getAsBoolean()) {
        select(deadlineNanos);
      }
    } finally {
      flushUnparks();
    }
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // `rounds` is written by the owner only
  private void select(long deadlineNanos) {
    long waitNanos = timers.nanosUntilNext(nowNanos);
    if (deadlineNanos != Long.MAX_VALUE) {
      waitNanos = Math.min(waitNanos, deadlineNanos - nowNanos);
    }
    if (agentFailed) {
      agentFailed = false;
      waitNanos = Math.min(waitNanos, TimeUnit.MILLISECONDS.toNanos(STANDBY_MILLIS));
    }
    flushUnparks();
    timeIsStale = true;
    long waitMillis = waitNanos <= 0 ? 0 : Math.min(MAX_SELECT_MILLIS, waitNanos / 1_000_000 + 1);
    sleepEndNanos = nowNanos + Math.min(waitNanos, TimeUnit.MILLISECONDS.toNanos(MAX_SELECT_MILLIS));
    try {
      if (waitMillis > 0 && fallsAsleep()) {
        selector.select(onReady, waitMillis);
      } else {
        selector.selectNow(onReady);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the selector of the event loop failed", e);
    } catch (ClosedSelectorException e) {
      closed = true;
    } finally {
      visits.comeBack();
      rounds++;
    }
  }

  private boolean fallsAsleep() {
    if (!isWanted()) {
      visits.leave();
      if (!isWanted()) {
        return true;
      }
      visits.comeBack();
    }
    return false;
  }

  private boolean isWanted() {
    return signalled || closed || (mode == IO_THREAD_DRIVES && borrowing.get());
  }

  // What runs on the loop belongs to many users, and runs on a thread of any of them: a failure is logged, harms nobody
  // else, and is never thrown at who happens to drive.

  private void dispatch(SelectionKey key) {
    visits.comeBack();
    if (timeIsStale) { // the wait may have been long; handlers set deadlines
      timeIsStale = false;
      nowNanos = clock.nanoTime();
    }
    try {
      if (key.isValid()) {
        ((Connection) key.attachment()).onReady(key.readyOps());
      }
    } catch (Throwable e) {
      LOG.log(System.Logger.Level.ERROR, "a connection of the event loop failed", e);
    }
  }

  private void runTasks(int atMost) {
    for (int i = 0; i < atMost; i++) {
      Runnable task = tasks.poll();
      if (task == null) {
        return;
      }
      try {
        task.run();
      } catch (Throwable e) {
        LOG.log(System.Logger.Level.ERROR, "a task of the event loop failed", e);
      }
    }
    signalled = true; // there may be more, so this round must not sleep
  }

  private void fireTimers() {
    try {
      timers.fire(nowNanos);
    } catch (Throwable e) { // others that are due fire in the next round, which comes at once
      LOG.log(System.Logger.Level.ERROR, "a timer of the event loop failed", e);
    }
  }

  private void runAgents() {
    for (int i = 0; i < agents.size(); i++) {
      try {
        agents.get(i).doWork();
      } catch (Throwable e) {
        agentFailed = true; // before it could say when it wants to run again
        LOG.log(System.Logger.Level.ERROR, "an agent of the event loop failed", e);
      }
    }
  }

  private void flushUnparks() {
    for (int i = 0; i < unparks.size(); i++) {
      LockSupport.unpark(unparks.get(i));
    }
    unparks.clear();
  }

  Selector selector() {
    return selector;
  }

  /**
   * Ends the loop: the I/O thread runs the tasks it has already, then stops. Any thread but the owner; waits at most
   * five seconds for the I/O thread.
   */
  @Override
  public void close() {
    closed = true;
    selector.wakeup();
    LockSupport.unpark(ioThread);
    if (ioThread.getState() == Thread.State.NEW) {
      closeSelector();
      return;
    }
    boolean interrupted = false;
    try {
      ioThread.join(5_000);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void closeSelector() {
    ownership.lock();
    try {
      runTasks(tasks.size());
      flushUnparks();
      selector.close();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "the selector of the event loop could not be closed", e);
    } finally {
      letGo(); // who wants to borrow must not sleep through the end
    }
  }
}
