package dev.decant.loop;

import dev.decant.idle.IdleStrategy;
import dev.decant.time.Clock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * An event loop: channels, timers, tasks and agents that have exactly one owner at a time.
 *
 * <p>Ownership is a lock, which the loop's own I/O thread holds by default. A platform thread that is about to wait may
 * <em>borrow</em> the loop with {@link #driveUntil} and do the I/O itself. The result of that thread then needs no
 * hand-off between threads (leader/followers). While threads borrow the loop again and again, the I/O thread stands by.
 * It drives again when no thread has driven for {@value #STANDBY_MILLIS} ms, when a timer is due, or when {@link
 * #signal()} finds no driver. While one borrower waits for a long time, the I/O thread parks until the loop is handed
 * back.
 *
 * <p>While the owner sleeps in its wait for the network, another thread may run a small task in its place with {@link
 * #tryRunInline}. That thread is the owner until the task ends, and the former owner continues to sleep.
 *
 * <p>Each owner waits for the network by its own {@link IdleStrategy}: the I/O thread has one, and borrowers have
 * another.
 *
 * <p>Threads: each method says whether any thread may call it or only the owner. Everything reachable from the loop
 * (timers, channels) belongs to the owner.
 */
public final class EventLoop implements AutoCloseable {
  /** How long the I/O thread leaves the loop alone after it was borrowed, in milliseconds. */
  static final int STANDBY_MILLIS = 10;

  /**
   * Holds the logger, which the first failure loads. A JVM's first logger takes 70 ms, and a loop without failures logs
   * nothing.
   */
  private static final class Log {
    static final System.Logger LOGGER = System.getLogger(EventLoop.class.getName());
  }

  private static final int VACANT = 0;
  private static final int IO_THREAD_DRIVES = 1;
  private static final int BORROWER_DRIVES = 2;
  private static final long MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(60);
  /**
   * The most tasks that one round runs. Without this bound, tasks that add tasks would keep timers and the network from
   * their turn.
   */
  private static final int MAX_TASKS_PER_ROUND = 1_000;

  private final Clock clock;
  private final Poller poller;
  private final Thread ioThread;
  private final IdleStrategy ioIdle;
  private final IdleStrategy waiterIdle;
  /** False with a single processor: a spinning thread would keep it from the peer that the thread waits for. */
  private final boolean maySpin = Runtime.getRuntime().availableProcessors() > 1;
  private final Ownership ownership = new Ownership();
  private final ParkedWaits parkedWaits = new ParkedWaits();
  private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final InlineRuns inlineRuns = new InlineRuns();
  private final LoopTimes times = new LoopTimes();

  // Owner only.
  private final TimerQueue timers = new TimerQueue();
  private final List<Agent> agents = new ArrayList<>();
  private final List<Thread> unparks = new ArrayList<>(64);
  private long nowNanos;
  private boolean timeIsStale;
  /** When the loop last had work, or was borrowed, in monotonic nanoseconds. */
  private long idleSinceNanos;
  /** True if an agent has thrown in this round, so the next round must come soon. */
  private boolean agentFailed;
  /** When the owner's sleep ends if nothing wakes it, in monotonic nanoseconds. */
  private long sleepEndNanos;

  // Written by the owner, read by any thread.
  private volatile int mode = VACANT;
  /**
   * Number of selects and direct reads so far. The I/O thread compares it with its last value to learn whether a
   * borrower drives.
   */
  private volatile long rounds;
  /** True while the I/O thread waits for the borrower to hand the loop back. Written by the I/O thread only. */
  private volatile boolean resting;
  // Written by any thread, cleared by the owner at the start of a round.
  private volatile boolean signalled;
  private volatile boolean closed;

  private EventLoop(String name, Clock clock, IdleStrategy ioIdle, IdleStrategy waiterIdle) throws IOException {
    this.clock = clock;
    this.ioIdle = ioIdle;
    this.waiterIdle = waiterIdle;
    this.poller = new Poller(this);
    this.nowNanos = clock.nanoTime();
    this.idleSinceNanos = nowNanos;
    this.ioThread = Thread.ofPlatform().name(name).daemon(true).unstarted(this::runIoThread);
  }

  /**
   * Starts a loop whose threads sleep while they wait.
   *
   * @param name name of the I/O thread
   * @param clock time source
   * @return the running loop
   * @throws UncheckedIOException when no selector can be opened
   */
  public static EventLoop start(String name, Clock clock) {
    return start(name, clock, IdleStrategy.block(), IdleStrategy.block());
  }

  /**
   * Opens a selector and starts the I/O thread.
   *
   * @param name name of the I/O thread
   * @param clock time source
   * @param ioIdle how the I/O thread waits for the network while it drives
   * @param waiterIdle how a thread that borrows the loop waits for the network
   * @return the running loop
   * @throws UncheckedIOException when no selector can be opened
   */
  public static EventLoop start(String name, Clock clock, IdleStrategy ioIdle, IdleStrategy waiterIdle) {
    EventLoop loop = open(name, clock, ioIdle, waiterIdle);
    loop.ioThread.start();
    return loop;
  }

  /**
   * Opens a selector for a loop without a thread of its own. The loop makes progress only while a thread borrows it or
   * calls {@link #doWork()}.
   *
   * @param name name of the loop, for errors
   * @param clock time source
   * @throws UncheckedIOException when no selector can be opened
   */
  public static EventLoop withoutThread(String name, Clock clock) {
    return open(name, clock, IdleStrategy.block(), IdleStrategy.block());
  }

  private static EventLoop open(String name, Clock clock, IdleStrategy ioIdle, IdleStrategy waiterIdle) {
    try {
      return new EventLoop(name, clock, ioIdle, waiterIdle);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot open a selector for the event loop " + name, e);
    }
  }

  /** Returns the clock that was given at start. */
  public Clock clock() {
    return clock;
  }

  /**
   * Returns the time of the current round, in nanoseconds of the monotonic clock. The loop reads it when the round
   * begins, and again after a wait. Owner only.
   */
  public long nowNanos() {
    return nowNanos;
  }

  /** Returns how long the loop waits and works; its {@link LoopTimes#start} begins the measurement. */
  public LoopTimes times() {
    return times;
  }

  /**
   * Runs a task on the owner, soon. Any thread. Tasks run in order; one that throws is logged, and the tasks behind it
   * still run.
   *
   * @param task must not block
   */
  public void execute(Runnable task) {
    tasks.add(task);
    signal();
  }

  /**
   * Announces work: the owner runs another round soon, and the I/O thread becomes the owner if the loop has none. Any
   * thread; cheap.
   */
  public void signal() {
    signalled = true;
    // No wake-up is lost. Either the owner reads `signalled` after it fell asleep and sees our write, or we see here
    // that it sleeps. `mode` works in the same way: a borrower that leaves sets it to VACANT before it reads
    // `signalled`.
    if (inlineRuns.ownerSleeps()) {
      poller.wakeup();
    } else if (mode == VACANT) {
      LockSupport.unpark(ioThread);
    }
  }

  /**
   * Adds an agent. Owner only.
   *
   * @param agent called once per round until it is removed
   */
  public void add(Agent agent) {
    agents.add(agent);
  }

  /** Removes an agent. Owner only, and not from within the agent. */
  public void remove(Agent agent) {
    agents.remove(agent);
  }

  /**
   * Schedules a timer, or moves one that is scheduled already. Owner only.
   *
   * @param deadlineNanos when to fire, in monotonic nanoseconds
   */
  public void schedule(Timer timer, long deadlineNanos) {
    timers.schedule(timer, deadlineNanos);
  }

  /** Cancels a timer. A timer that is not scheduled is left as it is. Owner only. */
  public void cancel(Timer timer) {
    timers.cancel(timer);
  }

  /**
   * Unparks a thread at the end of the round, together with all others of the round. Owner only.
   *
   * @param thread a thread that waits for something that this round has done
   */
  @SuppressWarnings("ReferenceEquality") // the very thread
  public void unparkAfterRound(Thread thread) {
    int size = unparks.size();
    if (size == 0 || unparks.get(size - 1) != thread) { // mostly one thread waits for several results of a round
      unparks.add(thread);
    }
  }

  /** Returns true if the calling thread owns the loop now. */
  public boolean isOwner() {
    return ownership.isHeld() || inlineRuns.isRunner();
  }

  /**
   * Runs a task at once on the calling thread, if the owner sleeps in its wait for the network. The owner continues to
   * sleep, and the caller saves the hand-off to another thread. If the task throws, the failure is logged and the owner
   * runs a round.
   *
   * <p>Any platform thread may call this. Virtual threads are refused: a virtual thread could lose its carrier during
   * the task. An owner that wakes up meanwhile would then wait until the thread has a carrier again.
   *
   * @param task does little, and does not block
   * @return false if the owner is awake, another thread runs inline, or this is a virtual thread. The task did
   *     not run then, and the caller announces its work with {@link #signal()}
   */
  public boolean tryRunInline(Runnable task) {
    if (closed || Thread.currentThread().isVirtual() || !inlineRuns.begin()) {
      return false;
    }
    boolean ownerIsWanted = true;
    try {
      nowNanos = clock.nanoTime();
      task.run();
      flushUnparks();
      ownerIsWanted = timers.nanosUntilNext(nowNanos) < sleepEndNanos - nowNanos;
    } catch (Throwable e) { // thrown at the caller, it once made an accepted record seem refused
      logFailure("an inline task of the event loop failed", e);
    } finally {
      inlineRuns.end();
    }
    if (ownerIsWanted) {
      signal();
    }
    return true;
  }

  /**
   * Runs a task at once on the calling thread, if the owner sleeps in its wait for the network ({@link #tryRunInline})
   * or no thread drives. In the second case the caller owns the loop until the task ends. Any platform thread. If the
   * task throws, the failure is logged.
   *
   * @param task does little, and does not block
   * @return false if another thread drives, or this is a virtual thread. The task did not run then, and the caller
   *     announces its work with {@link #signal()}
   */
  public boolean tryRun(Runnable task) {
    if (tryRunInline(task)) {
      return true;
    }
    if (mode != VACANT || closed || Thread.currentThread().isVirtual() || !tryBorrow()) {
      return false;
    }
    try {
      nowNanos = clock.nanoTime();
      task.run();
      flushUnparks();
    } catch (Throwable e) { // logged, not thrown: the caller is no user of the task
      logFailure("a task of the event loop failed", e);
    } finally {
      handBack();
    }
    return true;
  }

  /** Returns true if the calling thread runs a task of {@link #tryRunInline} now. Any thread. */
  public boolean isInlineRun() {
    return inlineRuns.isRunner();
  }

  /**
   * Begins to watch a channel. Owner only.
   *
   * @param channel in non-blocking mode
   * @param operations of {@link java.nio.channels.SelectionKey}, OR-ed
   * @param listener called when the channel is ready for one of them
   * @return the watched channel, which changes the operations and closes the channel
   * @throws IOException if the channel is closed
   */
  public WatchedChannel watch(SelectableChannel channel, int operations, ReadyListener listener) throws IOException {
    WatchedChannel added = poller.watch(channel, operations, listener);
    channelsChanged();
    return added;
  }

  void unwatch(WatchedChannel channel) {
    poller.unwatch(channel);
    channelsChanged();
  }

  /**
   * Makes a sleeping owner select again, because a selector reads the operations of its channels only when a select
   * begins. Owner only.
   */
  void channelsChanged() {
    if (isInlineRun()) {
      poller.wakeup();
    }
  }

  /**
   * Returns true if some thread runs rounds now, or waits for the network within one. The result may be out of date at
   * once. Any thread.
   */
  public boolean isDriven() {
    return mode != VACANT;
  }

  /**
   * Borrows the loop and drives it until the condition holds. For platform threads only. For a virtual thread, or while
   * another thread borrows the loop, the method returns at once and the caller {@linkplain #parkUntil parks}.
   *
   * @param done evaluated before each round, on the calling thread
   * @param deadlineNanos when the wait expires, in monotonic nanoseconds
   * @return true if the condition held when the call ended. False if the deadline has passed (after at least
   *     one round, if the thread borrowed the loop), or if the thread could not borrow
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
      if (waiterIdle.spinNanos() > 0) {
        idleSinceNanos = clock.nanoTime();
      }
      do { // one round even after the deadline: a caller that polls with 0 ms keeps the I/O thread away
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
   * Runs one round without waiting for the network: the duty cycle of a loop {@linkplain #withoutThread without a
   * thread}, for the thread that drives it. For platform threads only.
   *
   * @return the amount of work done; 0 if there was none, or if another thread drives
   */
  public int doWork() {
    if (closed || Thread.currentThread().isVirtual() || !tryBorrow()) {
      return 0;
    }
    try {
      return round(EventLoop::never, nowNanos);
    } finally {
      handBack();
    }
  }

  private boolean tryBorrow() {
    if (!ownership.claim()) {
      return false;
    }
    boolean taken = ownership.tryLock();
    becomeBorrower(taken);
    return taken;
  }

  /** Takes ownership, from the I/O thread if necessary. */
  private boolean borrow(long deadlineNanos) throws InterruptedException {
    if (!ownership.claim()) {
      return false;
    }
    boolean taken = false;
    try {
      taken = ownership.tryLock() || takeFromIoThread(deadlineNanos);
    } finally {
      becomeBorrower(taken);
    }
    return taken;
  }

  private void becomeBorrower(boolean taken) {
    if (taken) {
      mode = BORROWER_DRIVES;
    } else {
      ownership.disclaim();
      LockSupport.unpark(ioThread); // it may have stopped driving for our claim already
    }
  }

  private boolean takeFromIoThread(long deadlineNanos) throws InterruptedException {
    if (deadlineNanos - clock.nanoTime() <= 0) {
      return false;
    }
    // Either the I/O thread sees our claim after it fell asleep, or we see here that it sleeps.
    if (inlineRuns.ownerSleeps()) {
      poller.wakeup();
    }
    return ownership.awaitLock(clock, deadlineNanos);
  }

  private void handBack() {
    times.rests(clock);
    mode = VACANT;
    ownership.disclaim();
    ownership.release();
    // A thread that signals or parks after these reads finds VACANT and unparks the I/O thread itself.
    if (signalled || parkedWaits.any() || resting) {
      LockSupport.unpark(ioThread);
    }
  }

  /**
   * Announces that the calling thread is about to park for something that this loop does. Must be called before it
   * parks, so that some thread drives the loop meanwhile. Any thread.
   */
  public void beginParkedWait() {
    parkedWaits.begin();
    if (mode == VACANT) {
      signal();
    }
  }

  /** Ends the wait that {@link #beginParkedWait()} announced. Any thread. */
  public void endParkedWait() {
    parkedWaits.end();
  }

  /**
   * Parks until the condition holds, for a thread that could not {@linkplain #driveUntil drive}; another thread drives
   * meanwhile. The thread that makes the condition hold must unpark the caller afterwards, so the caller must be known
   * to that thread before this call. Any thread but the owner.
   *
   * @param done cheap, and safe to call from the waiting thread
   * @param deadlineNanos when the wait expires, in monotonic nanoseconds
   * @return false if the deadline has passed
   * @throws InterruptedException if the thread was interrupted
   */
  public boolean parkUntil(BooleanSupplier done, long deadlineNanos) throws InterruptedException {
    beginParkedWait();
    try {
      // If the condition changes after this check, the thread that changed it unparks us and the park below returns at
      // once.
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

  private void runIoThread() {
    while (!closed) {
      if (!ownership.isClaimed() && ownership.tryLock()) {
        driveFromIoThread();
      }
      standBy();
    }
    closeSelector();
  }

  private void driveFromIoThread() {
    try {
      mode = IO_THREAD_DRIVES;
      while (!closed && !ownership.isClaimed()) {
        Thread.interrupted(); // an interrupted thread cannot select, and no code of ours interrupts this one
        try {
          round(EventLoop::never, Long.MAX_VALUE);
        } catch (Throwable e) { // an OutOfMemoryError once ended this thread, and all connections with it
          logFailure("a round of the event loop failed", e);
        }
      }
    } finally {
      times.rests(clock);
      mode = VACANT;
      ownership.release();
    }
  }

  private static boolean never() {
    return false;
  }

  /** Sleeps while threads borrow the loop again and again; returns when the I/O thread has to drive. */
  private void standBy() {
    while (!closed) {
      long seen = rounds;
      LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(STANDBY_MILLIS));
      boolean nobodyBorrows = mode == VACANT && !ownership.isClaimed();
      if (nobodyBorrows && (signalled || parkedWaits.any() || rounds == seen)) {
        return;
      }
      if (rounds == seen) {
        restWhileBorrowed();
      }
    }
  }

  /**
   * Parks until the borrower hands the loop back, because the borrower itself waits for a long time. Without this, the
   * I/O thread of an idle consumer would wake up 100 times a second for nothing.
   */
  private void restWhileBorrowed() {
    resting = true;
    // Either we see here that the loop was handed back, or the borrower that hands it back sees `resting` and unparks
    // us.
    if (mode == BORROWER_DRIVES && !closed) {
      LockSupport.park(this);
    }
    resting = false;
  }

  /**
   * Runs one round, the duty cycle: tasks, due timers, agents, then the network. It waits for the network only if there
   * was nothing else to do. Returns how much was done.
   */
  private int round(BooleanSupplier done, long deadlineNanos) {
    signalled = false;
    nowNanos = clock.nanoTime();
    times.runs(nowNanos);
    int work = 0;
    try {
      work = runTasks(MAX_TASKS_PER_ROUND) + fireTimers() + runAgents();
      if (work > 0) {
        idleSinceNanos = nowNanos;
      }
      if (!done.getAsBoolean()) {
        work += awaitNetwork(deadlineNanos);
      }
    } finally {
      flushUnparks();
    }
    return work;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // `rounds` is written by the owner only
  private int awaitNetwork(long deadlineNanos) {
    long waitNanos = Math.min(MAX_WAIT_NANOS, timers.nanosUntilNext(nowNanos));
    if (deadlineNanos != Long.MAX_VALUE) {
      waitNanos = Math.min(waitNanos, deadlineNanos - nowNanos);
    }
    if (agentFailed) {
      agentFailed = false;
      waitNanos = Math.min(waitNanos, TimeUnit.MILLISECONDS.toNanos(STANDBY_MILLIS));
    }
    flushUnparks();
    long sleepAfterNanos = maySpin ? (mode == BORROWER_DRIVES ? waiterIdle : ioIdle).spinNanos() : 0;
    int work = 0;
    try {
      long beganNanos = nowNanos;
      long spinNanos = Math.min(waitNanos, sleepAfterNanos - (beganNanos - idleSinceNanos));
      boolean spins = sleepAfterNanos > 0 && spinNanos > 0;
      if (spins) {
        work = spin(beganNanos + spinNanos);
        waitNanos -= nowNanos - beganNanos;
      }
      if (!spins || (work == 0 && waitNanos > 0 && sleepAfterNanos < Long.MAX_VALUE)) {
        work = sleep(waitNanos);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the selector of the event loop failed", e);
    } catch (ClosedSelectorException e) {
      closed = true;
    } finally {
      inlineRuns.wakeUp();
      rounds++;
      times.polled();
    }
    if (work > 0) {
      idleSinceNanos = nowNanos;
    }
    return work;
  }

  /** Polls the network until there is work; the time of the round advances meanwhile. */
  private int spin(long endNanos) throws IOException {
    int work;
    do { // polls at least once, even if other work waits
      Thread.onSpinWait();
      work = poller.spinOnce();
      nowNanos = clock.nanoTime();
    } while (work == 0 && endNanos - nowNanos > 0 && !isWanted());
    return work;
  }

  /** Sleeps until the network has something to do. If other work waits, it polls the network without sleeping. */
  private int sleep(long waitNanos) throws IOException {
    timeIsStale = true;
    sleepEndNanos = nowNanos + waitNanos;
    if (waitNanos > 0 && fallsAsleep()) {
      times.rests(clock);
      return poller.select(waitNanos / 1_000_000 + 1);
    }
    return poller.selectNow();
  }

  private boolean fallsAsleep() {
    if (!isWanted()) {
      inlineRuns.fallAsleep();
      if (!isWanted()) {
        return true;
      }
      inlineRuns.wakeUp();
    }
    return false;
  }

  private boolean isWanted() {
    return signalled || closed || (mode == IO_THREAD_DRIVES && ownership.isClaimed());
  }

  /**
   * Ends the owner's sleep: waits for an inline run to end, and reads the clock again, because handlers set deadlines
   * by it. Called by the poller before the first listener.
   */
  void awake() {
    inlineRuns.wakeUp();
    if (timeIsStale) {
      timeIsStale = false;
      nowNanos = clock.nanoTime();
      times.runs(nowNanos);
    }
  }

  // Tasks, timers and agents belong to many users and run on the thread of any of them. A failure is logged, affects no
  // other user, and is never thrown at the thread that drives.

  private int runTasks(int atMost) {
    for (int i = 0; i < atMost; i++) {
      Runnable task = tasks.poll();
      if (task == null) {
        return i;
      }
      try {
        task.run();
      } catch (Throwable e) {
        logFailure("a task of the event loop failed", e);
      }
    }
    signalled = true; // there may be more, so this round must not sleep
    return atMost;
  }

  private int fireTimers() {
    try {
      return timers.fire(nowNanos);
    } catch (Throwable e) { // other due timers fire in the next round, which follows at once
      logFailure("a timer of the event loop failed", e);
      return 1;
    }
  }

  private int runAgents() {
    int work = 0;
    for (int i = 0; i < agents.size(); i++) {
      try {
        work += agents.get(i).doWork();
      } catch (Throwable e) {
        agentFailed = true; // it may have scheduled no timer: without this, it would run again after a minute only
        logFailure("an agent of the event loop failed", e);
      }
    }
    return work;
  }

  /**
   * Logs a failure, and never throws. A logger that throws, or finds no memory, costs only the message: one that threw
   * once ended the I/O thread. Any thread.
   *
   * @param what the operation that failed, as a clause
   * @param failure the exception or error
   */
  public static void logFailure(String what, Throwable failure) {
    try {
      Log.LOGGER.log(System.Logger.Level.ERROR, what, failure);
    } catch (Throwable e) {
      // The logger is broken, so there is no place left to report this to.
    }
  }

  private void flushUnparks() {
    for (int i = 0; i < unparks.size(); i++) {
      LockSupport.unpark(unparks.get(i));
    }
    unparks.clear();
  }

  /**
   * Ends the loop: the I/O thread runs the tasks that are queued, then stops. Any thread but the owner. Waits at most
   * five seconds for the I/O thread.
   */
  @Override
  public void close() {
    closed = true;
    poller.wakeup();
    LockSupport.unpark(ioThread);
    if (ioThread.getState() == Thread.State.NEW) {
      closeSelector();
      return;
    }
    boolean interrupted = false;
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
    boolean waits = true;
    while (waits) { // also if interrupted: after this call others free memory that the I/O thread still uses
      try {
        long left = deadline - System.nanoTime();
        waits = left > 0 && !ioThread.join(Duration.ofNanos(left));
      } catch (InterruptedException e) {
        interrupted = true;
      }
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
      poller.close();
    } catch (IOException e) {
      Log.LOGGER.log(System.Logger.Level.WARNING, "the selector of the event loop could not be closed", e);
    } finally {
      ownership.release(); // this unparks a thread that waits to borrow; it would sleep until its deadline
    }
  }
}
