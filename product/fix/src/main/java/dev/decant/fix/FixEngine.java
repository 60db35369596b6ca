package dev.decant.fix;

import dev.decant.event.Registration;
import dev.decant.fix.dictionary.Dictionary;
import dev.decant.fix.event.SessionEvents;
import dev.decant.fix.event.SessionListener;
import dev.decant.fix.log.MessageLog;
import dev.decant.fix.session.UserFailure;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.idle.IdleStrategy;
import dev.decant.loop.EventLoop;
import dev.decant.time.Clock;
import dev.decant.time.Timeouts;
import dev.decant.tls.TlsContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * FIX sessions on one event loop, or on several: any number of initiators and acceptors.
 *
 * <pre>
 * try (FixEngine engine = FixEngine.builder().start()) {
 *   FixSession session = engine.initiator(settings, application).host("localhost", 9876).open();
 *   ...
 * }
 * </pre>
 *
 * <p>Threads: an engine has one thread for each loop. A platform thread that waits ({@link #waitUntil} with one loop,
 * {@link FixSession#awaitLogon}) drives the loop in its place meanwhile. A thread that sends writes to the socket
 * itself when no thread drives. All methods: any thread.
 */
public final class FixEngine implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(FixEngine.class.getName());
  private static final int MAX_LOOPS = 256;
  private static final long MIN_TLS_BYTES = 1 << 20;
  private static final Duration WATCH_INTERVAL = Duration.ofMinutes(1);

  /** Makes engines. Not thread-safe. */
  public static final class Builder {
    private String name = "fix";
    private MessageLog log = MessageLog.none();
    private IdleStrategy ioIdle = IdleStrategy.block();
    private IdleStrategy waiterIdle = IdleStrategy.block();
    private Clock clock = Clock.system();
    private long tlsMemory = 64L << 20;
    private @Nullable Path control;
    private boolean jmx;
    private int loops = 1;
    private ToIntFunction<SessionId> loopOf = session -> -1;
    private @Nullable Duration shutdownDeadline;
    private Consumer<ClosingReport> shutdownReport = report -> {};

    private Builder() {}

    /**
     * Names the engine's thread. Default {@code fix}.
     *
     * @param value the name
     * @return this
     */
    public Builder name(String value) {
      name = value;
      return this;
    }

    /**
     * Where messages and events are written down. Default: nowhere. The engine closes it.
     *
     * @param value the log
     * @return this
     */
    public Builder log(MessageLog value) {
      log = value;
      return this;
    }

    /**
     * How the engine's thread waits for the network. Default {@link IdleStrategy#block()}.
     *
     * @param value the strategy
     * @return this
     */
    public Builder ioIdle(IdleStrategy value) {
      ioIdle = value;
      return this;
    }

    /**
     * How a thread that drives the loop while it waits does so. Default {@link IdleStrategy#block()}.
     *
     * @param value the strategy
     * @return this
     */
    public Builder waiterIdle(IdleStrategy value) {
      waiterIdle = value;
      return this;
    }

    /**
     * Where time comes from. Default: the machine.
     *
     * @param value the clock
     * @return this
     */
    public Builder clock(Clock value) {
      clock = value;
      return this;
    }

    /**
     * Bounds the direct memory for encrypted connections; 64 MiB by default. Each takes 64 KiB while it is open, and up
     * to twice as much more while much is read or written. A connection that finds none waits for its handshake.
     *
     * @param bytes at least 1 MiB
     * @return this
     * @throws IllegalArgumentException if it is less
     */
    public Builder tlsMemory(long bytes) {
      if (bytes < MIN_TLS_BYTES) {
        throw new IllegalArgumentException("tlsMemory: " + bytes + " is less than 1 MiB");
      }
      tlsMemory = bytes;
      return this;
    }

    /**
     * Opens a Unix domain socket by which operators of the same user see and steer the sessions:
     * {@code ./decant fix sessions --control PATH}. Default: none. Only the user of this process can connect. A file
     * {@code PATH.lock} beside it is locked meanwhile.
     *
     * @param path of the socket, about 90 characters at most; its folder exists
     * @return this
     */
    public Builder control(Path path) {
      control = path;
      return this;
    }

    /**
     * Sets the number of event loops, each with a thread of its own. A session stays on one of them: new sessions go
     * where the fewest are. An accepted connection goes to the loop of its session when its Logon(A) was read. Default
     * 1.
     *
     * <p>With several loops, callbacks of an {@link Application}, an {@link Authenticator} and a listener may run at
     * the same time for different sessions; those of one session never do.
     *
     * @param value from 1 to 256; more than there are processors is of no use
     * @return this
     * @throws IllegalArgumentException if it is out of these bounds
     */
    public Builder loops(int value) {
      if (value < 1 || value > MAX_LOOPS) {
        throw new IllegalArgumentException("loops: " + value + " is not from 1 to " + MAX_LOOPS);
      }
      loops = value;
      return this;
    }

    /**
     * Registers engine and sessions as MXBeans of the platform, see {@link dev.decant.fix.jmx}. Default false: whoever
     * may connect to a JMX port of the process could log sessions out and send messages.
     *
     * @param value true to register them
     * @return this
     */
    public Builder jmx(boolean value) {
      jmx = value;
      return this;
    }

    /**
     * Pins sessions to loops. Called once for each session, when it is opened.
     *
     * @param index the number of a session's loop, from 0 on; negative to let the engine choose, as for all by default
     * @return this
     */
    public Builder loopOf(ToIntFunction<SessionId> index) {
      loopOf = index;
      return this;
    }

    /**
     * Closes the engine when the process is asked to end, by SIGTERM for example: logs out, waits for the
     * counterparties up to a deadline, and closes stores and log. Default: off. {@link FixEngine#close()} takes this
     * back.
     *
     * @param deadline how long to wait for the Logout(5) of the counterparties
     * @param report gets what is stored and unsent, on the thread of the shutdown hook
     * @return this
     */
    public Builder closeOnShutdown(Duration deadline, Consumer<ClosingReport> report) {
      shutdownDeadline = deadline;
      shutdownReport = report;
      return this;
    }

    /**
     * Starts the engine's threads.
     *
     * @return the engine, without sessions
     * @throws java.io.UncheckedIOException if the control socket cannot be opened
     * @throws IllegalStateException if the engine cannot be registered with JMX
     */
    public FixEngine start() {
      FixEngine engine = new FixEngine(this);
      boolean isOpen = false;
      try {
        engine.operators = new EngineOperators(engine, name, control, jmx);
        Duration deadline = shutdownDeadline;
        if (deadline != null) {
          engine.closing.onShutdown(engine, deadline, shutdownReport);
        }
        isOpen = true;
        return engine;
      } finally {
        if (!isOpen) {
          engine.close();
        }
      }
    }
  }

  private final EngineLoop[] loops;
  private final ToIntFunction<SessionId> loopOf;
  private final MessageLog log;
  private final EngineClock clock;
  private final SessionEvents events = new SessionEvents();
  private final List<Registration> watches = new CopyOnWriteArrayList<>();
  private final Map<SessionId, SessionRunner> sessions = new ConcurrentHashMap<>();
  private final List<FixAcceptor> acceptors = new CopyOnWriteArrayList<>();
  /** Connections that no loop watches, since they are on their way from one to another. */
  private final Set<Handover> handovers = ConcurrentHashMap.newKeySet();
  private final AtomicInteger acceptorsOpened = new AtomicInteger();
  /** For threads that wait for callbacks of any loop; null if there is one. */
  private final @Nullable Progress wideProgress;
  private final OperatorActions operatorActions = new OperatorActions();
  private final RenewedDictionaries renewedDictionaries = new RenewedDictionaries();
  /** Guards the step from an engine that takes acceptors to one that closes: a port is bound before it, or never. */
  private final ReentrantLock opening = new ReentrantLock();
  private volatile boolean closed;
  /** No loop runs any more, unless a callback keeps it from its end. */
  private volatile boolean ended;
  /** Set once, before the engine is handed out. */
  private @Nullable EngineOperators operators;
  private final EngineClosing closing = new EngineClosing();

  private FixEngine(Builder builder) {
    int count = builder.loops;
    log = count == 1 || builder.log.equals(MessageLog.none()) ? builder.log : new SharedLog(builder.log);
    clock = new EngineClock(builder.clock);
    loopOf = builder.loopOf;
    EventLoop[] started = new EventLoop[count];
    loops = new EngineLoop[count];
    for (int i = 0; i < count; i++) {
      started[i] = EventLoop.start(count == 1 ? builder.name : builder.name + '-' + i, builder.clock, builder.ioIdle,
          builder.waiterIdle);
    }
    wideProgress = count == 1 ? null : new Progress(started);
    for (int i = 0; i < count; i++) {
      loops[i] = new EngineLoop(this, started[i], Math.max(MIN_TLS_BYTES, builder.tlsMemory / count));
    }
  }

  /**
   * Begins an engine.
   *
   * @return a builder with the defaults
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Begins an initiator: a session that connects to its counterparty.
   *
   * @param settings its rules
   * @param application gets its messages
   * @return a builder
   */
  public InitiatorBuilder initiator(SessionSettings settings, Application application) {
    return new InitiatorBuilder(this, settings, application);
  }

  /**
   * Begins an acceptor: a port for counterparties that connect.
   *
   * @param address where to listen; port 0 takes a free one
   * @param application gets the messages of its sessions
   * @return a builder
   */
  public AcceptorBuilder acceptor(InetSocketAddress address, Application application) {
    return new AcceptorBuilder(this, address, application);
  }

  /**
   * The sessions of the engine: of initiators, of acceptors, and those that were made at a logon.
   *
   * @return a copy, in the order of their identities
   */
  public List<FixSession> sessions() {
    return sessions.values().stream().map(SessionRunner::session)
        .sorted(Comparator.comparing(session -> session.id().toString())).toList();
  }

  /**
   * Adds a listener to the events of all sessions.
   *
   * @param listener gets the events whose methods it overrides
   * @return removes it
   * @throws IllegalArgumentException if it overrides no method
   */
  public Registration listen(SessionListener listener) {
    return events.add(listener);
  }

  /**
   * Loads a dictionary's file again. Each session with a dictionary of this file goes by the new one from its next
   * message on, as do sessions that are opened later. The file is read on the calling thread, by a lenient loader.
   *
   * @param file the file of dictionaries that sessions have
   * @return how many sessions have it, when it counts in all of them. It fails with an IllegalArgumentException if it
   *     has another BeginString or no header: the present dictionaries stay. It fails with an IllegalStateException if
   *     the engine is closed before
   * @throws dev.decant.fix.dictionary.DictionaryException if the file cannot be read, or is no dictionary; the present
   *     dictionaries stay
   */
  public CompletableFuture<Integer> reloadDictionary(Path file) {
    return reloadDictionary(Dictionary.load(file));
  }

  /**
   * As {@link #reloadDictionary(Path)}, for a dictionary that was loaded already, for example by a strict loader.
   *
   * @param dictionary of a file
   * @return as {@link #reloadDictionary(Path)}
   * @throws IllegalArgumentException if the dictionary was not loaded from a file
   */
  public CompletableFuture<Integer> reloadDictionary(Dictionary dictionary) {
    if (dictionary.file() == null) {
      throw new IllegalArgumentException("dictionary " + dictionary + " is of no file; use FixSession.dictionary");
    }
    return renewedDictionaries.renew(dictionary, sessions.values());
  }

  /**
   * Waits for something that the application's callbacks bring about. A platform thread drives the loop meanwhile if no
   * other thread waits. Callbacks then run on it, and received messages reach it without a hand-off between threads.
   *
   * <p>With several loops, their own threads run all callbacks, and wake this one after each round that has run some.
   *
   * @param done tells whether it is there; called by this thread
   * @param timeout how long to wait
   * @return false if it is not there by then
   * @throws InterruptedException if the thread is interrupted
   * @throws IllegalStateException if called from a callback
   */
  public boolean waitUntil(BooleanSupplier done, Duration timeout) throws InterruptedException {
    return waitUntil(wideProgress == null ? loops[0].progress() : wideProgress, done, Timeouts.nanos(timeout));
  }

  /** As {@link #waitUntil(BooleanSupplier, Duration)}, for callbacks of the loops of a progress. */
  boolean waitUntil(Progress progress, BooleanSupplier done, long timeoutNanos) throws InterruptedException {
    requireNoCallback();
    return progress.waitUntil(done, timeoutNanos);
  }

  private void requireNoCallback() {
    for (EngineLoop home : loops) {
      if (home.loop().isOwner()) {
        throw new IllegalStateException("a callback of the engine cannot wait for the engine");
      }
    }
  }

  /** The loop that the session of an identity is or will be on. Any thread. */
  private EngineLoop loopFor(SessionId id) {
    if (loops.length == 1) {
      return loops[0];
    }
    int pinned = loopOf.applyAsInt(id);
    if (pinned >= loops.length) {
      throw new IllegalArgumentException("session " + id + " is pinned to loop " + pinned + "; the engine has "
          + loops.length + ", from 0 on");
    }
    if (pinned >= 0) {
      return loops[pinned];
    }
    EngineLoop idlest = loops[0];
    for (EngineLoop other : loops) {
      idlest = other.sessions().get() < idlest.sessions().get() ? other : idlest;
    }
    return idlest;
  }

  /** The loop of the next acceptor: they take turns. */
  EngineLoop loopForAcceptor() {
    return loops[Math.floorMod(acceptorsOpened.getAndIncrement(), loops.length)];
  }

  /** The loops, one at least. */
  EngineLoop[] loops() {
    return loops;
  }

  MessageLog log() {
    return log;
  }

  SessionEvents events() {
    return events;
  }

  /** Has the files of keys looked at until the engine is closed; it logs keys that cannot be used. */
  void watch(TlsContext keys) {
    Registration watch = keys.watchFiles(WATCH_INTERVAL);
    watches.add(watch);
    if (closed) { // who closes may have passed already; it sees what was added before it
      watch.close();
    }
  }

  Map<SessionId, SessionRunner> runners() {
    return sessions;
  }

  Set<Handover> handovers() {
    return handovers;
  }

  /** Whether sessions are logged out, or were. Any thread. */
  boolean isClosed() {
    return closed;
  }

  /** Whether no loop takes anything any more. Any thread. */
  boolean hasEnded() {
    return ended;
  }

  OperatorActions operatorActions() {
    return operatorActions;
  }

  /** Nanoseconds since the epoch at a time of the monotonic clock. Any thread. */
  long epochNanos(long nowNanos) {
    return clock.epochNanos(nowNanos);
  }

  /** The time of now. Any thread. */
  long epochNanos() {
    return clock.epochNanos(loops[0].loop().clock().nanoTime());
  }

  /** Callbacks have run on one of several loops. */
  void signalWaiting() {
    Progress all = wideProgress;
    if (all != null) {
      all.signal();
    }
  }

  /** Tells log and listeners. The owner of the session's loop only. */
  void notice(EngineLoop home, SessionId session, String text) {
    log.event(session, clock.epochNanos(home.loop().nowNanos()), text);
    tell(events.notice.listeners(), session, listener -> listener.onNotice(session, text));
  }

  private static void tell(SessionListener @Nullable [] listeners, SessionId session, Consumer<SessionListener> call) {
    if (listeners != null) {
      for (SessionListener listener : listeners) {
        try {
          call.accept(listener);
        } catch (Throwable e) {
          UserFailure.survive("a listener of session " + session + " failed", e);
        }
      }
    }
  }

  SessionRunner openSession(SessionOpening opening, InitiatorBuilder.@Nullable Connecting connecting,
      @Nullable FixAcceptor acceptor) throws IOException {
    SessionRunner made = makeSession(opening, connecting, acceptor);
    boolean done = false;
    try {
      addSession(made);
      done = true;
      return made;
    } finally {
      if (!done) {
        discard(made);
      }
    }
  }

  /** Opens the store of a session that nobody sees yet. */
  private SessionRunner makeSession(SessionOpening opening, InitiatorBuilder.@Nullable Connecting connecting,
      @Nullable FixAcceptor acceptor) throws IOException {
    SessionId id = opening.settings().id();
    if (closed || sessions.containsKey(id)) {
      throw new IllegalStateException(closed ? "the engine is closed" : "the engine has a session " + id + " already");
    }
    EngineLoop home = loopFor(id);
    Reconnector reconnector = connecting == null ? null : connecting.on(home);
    home.sessions().incrementAndGet();
    boolean done = false;
    try {
      SessionRunner made = new SessionRunner(this, home, opening, reconnector, acceptor);
      done = true;
      return made;
    } finally {
      if (!done) {
        home.sessions().decrementAndGet();
      }
    }
  }

  /** Closes a session that was made in vain. One that others see already is closed on its loop. */
  private void discard(SessionRunner made) {
    if (sessions.containsValue(made)) {
      made.home().loop().execute(() -> {
        ClosingReport.Session unused = made.close(true, "not opened");
        forget(made);
      });
    } else {
      made.home().sessions().decrementAndGet();
      made.closeStore();
    }
  }

  /** Has others see a session, and begins it. */
  private void addSession(SessionRunner runner) {
    SessionId id = runner.id();
    EngineLoop home = runner.home();
    if (sessions.putIfAbsent(id, runner) != null) {
      throw new IllegalStateException("the engine has a session " + id + " already");
    }
    if (closed) { // while the store was opened: who closes sees the session, or it is seen here that the engine closes
      sessions.remove(id, runner);
      throw new IllegalStateException("the engine is closed");
    }
    renewedDictionaries.renew(runner);
    EngineOperators reached = operators;
    if (reached != null) {
      reached.opened(runner.session());
    }
    home.loop().execute(() -> {
      tell(events.opened.listeners(), id, listener -> listener.onOpened(id));
      runner.begin();
    });
  }

  /** A session was closed that an acceptor had made at a logon: tells operators and listeners. Any thread. */
  void forget(SessionRunner session) {
    if (sessions.remove(session.id(), session)) {
      session.home().sessions().decrementAndGet();
      EngineOperators reached = operators;
      if (reached != null) {
        reached.forgotten(session.session());
      }
      tell(events.forgotten.listeners(), session.id(), listener -> listener.onForgotten(session.id()));
      session.home().signalWaiting(); // no callback of the session follows: a thread that counts sessions would miss it
    }
  }

  FixSession openInitiator(SessionOpening opening, InitiatorBuilder.Connecting connecting) throws IOException {
    return openSession(opening, connecting, null).session();
  }

  FixAcceptor openAcceptor(AcceptorBuilder settings) throws IOException {
    if (closed) {
      throw new IllegalStateException("the engine is closed");
    }
    FixAcceptor acceptor = new FixAcceptor(this, settings);
    List<SessionRunner> made = new ArrayList<>();
    boolean done = false;
    try {
      for (SessionSettings session : settings.sessions().values()) {
        made.add(makeSession(acceptor.opening(session), null, acceptor));
      }
      bind(acceptor, made);
      done = true;
      return acceptor;
    } finally {
      if (!done) {
        acceptor.close();
        made.forEach(this::discard);
      }
    }
  }

  /** Binds the port of an acceptor whose stores are open, and lets counterparties in. */
  private void bind(FixAcceptor acceptor, List<SessionRunner> made) throws IOException {
    opening.lock();
    try {
      if (closed) { // while stores were opened: the loop would not close the port
        throw new IllegalStateException("the engine is closed");
      }
      acceptor.bind();
      acceptors.add(acceptor); // first: a listener of beans may close the engine
      made.forEach(this::addSession);
    } finally {
      opening.unlock();
    }
    acceptor.accept(); // a counterparty that was faster than its session would have been told that there is none
  }

  /**
   * Stops listening, logs all sessions out, waits for their counterparties up to the longest logout time-out, and ends.
   * No session logs on meanwhile. Stores and log are closed: what they accepted is in their files. Closing again does
   * nothing.
   */
  @Override
  public void close() {
    if (closing.begin()) {
      long waitNanos = 0;
      for (SessionRunner session : sessions.values()) {
        waitNanos = Math.max(waitNanos, Timeouts.nanos(session.settings().logoutTimeout()));
      }
      closeWithin(waitNanos);
    }
  }

  /**
   * As {@link #close()}, with a deadline, and tells what is left. If another thread closes the engine already, this
   * waits for it.
   *
   * @param deadline how long to wait for the Logout(5) of the counterparties; connections that are left are cut then
   * @return what is stored, and what of it was not sent
   * @throws IllegalStateException if called from a callback of the engine
   */
  public ClosingReport close(Duration deadline) {
    requireNoCallback();
    return closing.begin() ? closeWithin(Timeouts.nanos(deadline)) : closing.await();
  }

  private ClosingReport closeWithin(long waitNanos) {
    opening.lock();
    try {
      closed = true;
    } finally {
      opening.unlock();
    }
    closing.forgetHook();
    EngineOperators reached = operators;
    if (reached != null) {
      reached.close();
    }
    watches.forEach(Registration::close);
    acceptors.forEach(FixAcceptor::close); // first: a counterparty that is logged out would log on again
    sessions.values().forEach(closing::logout);
    try {
      Progress progress = wideProgress == null ? loops[0].progress() : wideProgress;
      if (!progress.waitUntil(this::allLoggedOut, waitNanos)) {
        LOG.log(System.Logger.Level.DEBUG, "not every counterparty has answered the logout");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    try {
      for (SessionRunner session : sessions.values()) {
        session.home().loop().execute(() -> closing.close(session));
      }
      for (EngineLoop home : loops) {
        home.loop().close();
      }
      ended = true; // first: one that leaves later is dropped by the loop that it leaves
      handovers.forEach(Handover::drop); // the loop that one was on its way to has ended before it came
      operatorActions.close();
      log.close();
      for (EngineLoop home : loops) {
        home.close();
      }
    } finally {
      closing.end();
    }
    return closing.await();
  }

  private boolean allLoggedOut() {
    for (SessionRunner session : sessions.values()) {
      if (session.isConnected()) {
        return false;
      }
    }
    return true;
  }
}
