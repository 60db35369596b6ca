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
 * Channels, timers, tasks and agents with exactly one owner at a time.
 *
 * <p>Ownership is a lock. By default the loop's own I/O thread has it. A platform thread that is about to wait may
 * <em>borrow</em> the loop with {@link #driveUntil} and do the I/O itself. Its result then reaches it without a
 * hand-off between threads (leader/followers). While the loop is borrowed again and again, the I/O thread stands by. It
 * steps in when no thread has driven for {@value #STANDBY_MILLIS} ms, when a timer is due, or when {@link #signal()}
 * finds no driver. While one borrower waits for long, it does not even look.
 *
 * <p>While the owner sleeps in its wait for the network, another thread may run a small task in its place with
 * {@link #tryRunInline}. That thread is the owner until the task ends, and the owner sleeps on.
 *
 * <p>The owner waits for the network as its {@link IdleStrategy} says: the I/O thread has one, borrowers have another.
 *
 * <p>Threads: methods say whether any thread may call them or only the owner. Everything reachable from the loop
 * (timers, channels) belongs to the owner.
 */
public final class EventLoop implements AutoCloseable {
  /** How long the I/O thread leaves the loop alone after it was borrowed, in milliseconds. */
  static final int STANDBY_MILLIS = 10;

  /** Asked for at the first failure: a JVM's first logger takes 70 ms, and a loop that works logs nothing. */
  private static final class Log {
    static final System.Logger LOGGER = System.getLogger(EventLoop.class.getName());
  }

  private static final int VACANT = 0;
  private static final int IO_THREAD_DRIVES = 1;
  private static final int BORROWER_DRIVES = 2;
  private static final long MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(60);
  /** Bounds a round in which tasks add tasks: timers and the network have their turn. */
  private static final int MAX_TASKS_PER_ROUND = 1_000;

  private final Clock clock;
  private final Poller poller;
  private final Thread ioThread;
  private final IdleStrategy ioIdle;
  private final IdleStrategy waiterIdle;
  /** With a single processor a spinning thread keeps it from the peer that it waits for. */
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
  /** When there was work last, or a borrower came. */
  private long idleSinceNanos;
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
   * Opens a selector for a loop without a thread of its own: nothing moves while nobody borrows it or calls
   * {@link #doWork()}.
   *
   * @param name of the loop
   * @param clock time source
   * @return the loop
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
   * How long the loop waits and works.
   *
   * @return measures once it is started
   */
  public LoopTimes times() {
    return times;
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
    // Either the owner's next look at `signalled` (after it fell asleep) sees our write, or we see here that it sleeps.
    // The same holds for `mode`: a leaving borrower sets it to VACANT before it looks at `signalled`.
    if (inlineRuns.ownerSleeps()) {
      poller.wakeup();
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
    return ownership.isHeld() || inlineRuns.isRunner();
  }

  /**
   * Runs a task at once, on the calling thread, if the owner sleeps in its wait for the network. The owner sleeps on,
   * and the caller saves the way to another thread. A failure of the task is logged, and the owner has a round.
   *
   * <p>Any platform thread. A virtual thread is refused: it could lose its carrier during the task. An owner that wakes
   * up would then wait until it has another one.
   *
   * @param task does little, and does not block
   * @return false if the owner is awake, another thread runs inline, or this is a virtual thread. Nothing was run
   *     then, and {@link #signal()} announces the work
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
    } catch (Throwable e) { // as for the I/O thread: what the task left undone is to be looked at
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
   * Runs a task at once, on the calling thread, if the owner sleeps in its wait for the network
   * ({@link #tryRunInline}). It also does so if no thread drives: the caller owns the loop until the task ends. Any
   * platform thread. A failure of the task is logged.
   *
   * @param task does little, and does not block
   * @return false if another thread drives, or this is a virtual thread. Nothing was run then, and {@link #signal()}
   *     announces the work
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
    } catch (Throwable e) { // as for a task of the loop
      logFailure("a task of the event loop failed", e);
    } finally {
      handBack();
    }
    return true;
  }

  /**
   * Tells whether the calling thread runs a task of {@link #tryRunInline}. Any thread.
   *
   * @return false for every other owner
   */
  public boolean isInlineRun() {
    return inlineRuns.isRunner();
  }

  /**
   * Begins to watch a channel. Owner only.
   *
   * @param channel in non-blocking mode
   * @param operations of {@link java.nio.channels.SelectionKey}, OR-ed
   * @param listener called when the channel is ready for one of them
   * @return to change the operations, and to close the channel
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

  /** Has the owner look again at what its channels wait for, which it does when it begins to sleep. Owner only. */
  void channelsChanged() {
    if (isInlineRun()) {
      poller.wakeup();
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
   * @return true if the condition held when the call ended. False at the deadline (after one round at least, if it
   *     borrowed), or if it could not borrow
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
   * Has one round, without waiting for the network: the duty cycle of a loop {@linkplain #withoutThread without a
   * thread}, for the thread that drives it. A platform thread only.
   *
   * @return how much was done; 0 if there was nothing to do, or if another thread drives
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

  /** Takes ownership, from the I/O thread if need be. */
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
      LockSupport.unpark(ioThread); // it may have left for us already
    }
  }

  private boolean takeFromIoThread(long deadlineNanos) throws InterruptedException {
    if (deadlineNanos - clock.nanoTime() <= 0) {
      return false;
    }
    // Either the I/O thread's look at the claim (after it left for its sleep) sees ours, or we see it asleep.
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
    // A thread that signals or parks after this look finds VACANT and unparks the I/O thread itself.
    if (signalled || parkedWaits.any() || resting) {
      LockSupport.unpark(ioThread);
    }
  }

  /**
   * Must be called before a thread parks for something that this loop does: it makes sure that somebody drives
   * meanwhile. Any thread.
   */
  public void beginParkedWait() {
    parkedWaits.begin();
    if (mode == VACANT) {
      signal();
    }
  }

  /** Ends what {@link #beginParkedWait()} began. Any thread. */
  public void endParkedWait() {
    parkedWaits.end();
  }

  /**
   * Parks until the condition holds, for a thread that could not {@linkplain #driveUntil drive}; somebody else drives
   * meanwhile. The thread that makes the condition hold unparks this one afterwards. This one must have announced
   * itself before. Any thread but the owner.
   *
   * @param done cheap and safe to call from the waiting thread
   * @param deadlineNanos when to give up, in monotonic nanoseconds
   * @return false at the deadline
   * @throws InterruptedException if the thread was interrupted
   */
  public boolean parkUntil(BooleanSupplier done, long deadlineNanos) throws InterruptedException {
    beginParkedWait();
    try {
      // A change after this look unparks us, and the next park returns at once.
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
        Thread.interrupted(); // nobody has a reason to interrupt us, and an interrupted thread cannot select
        try {
          round(EventLoop::never, Long.MAX_VALUE);
        } catch (Throwable e) { // whatever it is, without this thread everything of the loop would be dead
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

  /** Sleeps while the loop is borrowed again and again; returns when the I/O thread should drive. */
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

  /** The borrower itself waits for long: there is nothing to look after until it hands the loop back. */
  private void restWhileBorrowed() {
    resting = true;
    // Either we see here that it was handed back, or who hands it back sees `resting` and unparks us.
    if (mode == BORROWER_DRIVES && !closed) {
      LockSupport.park(this);
    }
    resting = false;
  }

  /**
   * One round, the duty cycle: tasks, due timers, agents, then the network, waiting for it only if there is nothing
   * else to do. Returns how much was done.
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
      times.looked();
    }
    if (work > 0) {
      idleSinceNanos = nowNanos;
    }
    return work;
  }

  /** Looks at the network until there is work; the time of the round advances meanwhile. */
  private int spin(long endNanos) throws IOException {
    int work;
    do { // one look at least, however much else there is to do
      Thread.onSpinWait();
      work = poller.spinOnce();
      nowNanos = clock.nanoTime();
    } while (work == 0 && endNanos - nowNanos > 0 && !isWanted());
    return work;
  }

  /** Sleeps until the network has something; only looks at it if there is something else to do. */
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

  /** The wait is over. It may have been long and handlers set deadlines; an inline run has to end first. */
  void awake() {
    inlineRuns.wakeUp();
    if (timeIsStale) {
      timeIsStale = false;
      nowNanos = clock.nanoTime();
      times.runs(nowNanos);
    }
  }

  // Tasks, timers and agents belong to many users and run on the thread of any of them. A failure is logged, harms no
  // other user, and is never thrown at the driving thread.

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
    } catch (Throwable e) { // others that are due fire in the next round, which comes at once
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
        agentFailed = true; // before it could say when it wants to run again
        logFailure("an agent of the event loop failed", e);
      }
    }
    return work;
  }

  /**
   * Logs what failed, and never throws. The logger may throw in its turn, or find no memory. That costs the message
   * only: the I/O thread continues, and so does the round. Any thread.
   *
   * @param what was being done
   * @param failure what it has thrown
   */
  public static void logFailure(String what, Throwable failure) {
    try {
      Log.LOGGER.log(System.Logger.Level.ERROR, what, failure);
    } catch (Throwable e) {
      // there is nobody left to tell
    }
  }

  private void flushUnparks() {
    for (int i = 0; i < unparks.size(); i++) {
      LockSupport.unpark(unparks.get(i));
    }
    unparks.clear();
  }

  /**
   * Ends the loop: the I/O thread runs the tasks it has already, then stops. Any thread but the owner; waits at most
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
    while (waits) { // also when interrupted: others free what the thread still uses after this
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
      ownership.release(); // a thread that wants to borrow must not sleep through the end
    }
  }
}
