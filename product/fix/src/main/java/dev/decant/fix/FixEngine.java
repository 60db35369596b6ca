package dev.decant.fix;

import dev.decant.event.Registration;
import dev.decant.fix.dictionary.Dictionary;
import dev.decant.fix.event.SessionEvents;
import dev.decant.fix.event.SessionListener;
import dev.decant.fix.log.MessageLog;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.idle.IdleStrategy;
import dev.decant.loop.EventLoop;
import dev.decant.time.Clock;
import dev.decant.time.Timeouts;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Runs FIX sessions on one or several event loops: any number of initiators and acceptors.
 *
 * <pre>
 * try (FixEngine engine = FixEngine.builder().start()) {
 *   FixSession session = engine.initiator(settings, application).host("localhost", 9876).open();
 *   ...
 * }
 * </pre>
 *
 * <p>Threads: an engine has one thread for each loop. A waiting platform thread drives the loop instead: in
 * {@link #waitUntil}, if the engine has one loop, and in {@link FixSession#awaitLogon}. A thread that sends a message
 * writes it to the socket itself if no other thread drives the loop. All methods are thread-safe.
 */
public final class FixEngine implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(FixEngine.class.getName());
  private static final int MAX_LOOPS = 256;

  /** Configures and starts an engine. Not thread-safe. */
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
     * Sets the name of the engine's thread. Default {@code fix}.
     *
     * @param value the name
     * @return this
     */
    public Builder name(String value) {
      name = value;
      return this;
    }

    /**
     * Sets the log of messages and events, which the engine closes. Default: no log.
     *
     * @param value the log
     * @return this
     */
    public Builder log(MessageLog value) {
      log = value;
      return this;
    }

    /**
     * Sets how the engine's thread waits for the network. Default {@link IdleStrategy#block()}.
     *
     * @param value the strategy
     * @return this
     */
    public Builder ioIdle(IdleStrategy value) {
      ioIdle = value;
      return this;
    }

    /**
     * Sets how an application thread waits while it drives the loop. Default {@link IdleStrategy#block()}.
     *
     * @param value the strategy
     * @return this
     */
    public Builder waiterIdle(IdleStrategy value) {
      waiterIdle = value;
      return this;
    }

    /**
     * Sets the source of time. Default: the clocks of the machine.
     *
     * @param value the clock
     * @return this
     */
    public Builder clock(Clock value) {
      clock = value;
      return this;
    }

    /**
     * Sets the limit of direct memory for encrypted connections. Default 64 MiB. Each open connection takes 64 KiB, and
     * up to 128 KiB more while it reads or writes much. A connection waits with its handshake while there is no memory.
     *
     * @param bytes at least 1 MiB
     * @return this
     * @throws IllegalArgumentException if it is less
     */
    public Builder tlsMemory(long bytes) {
      if (bytes < EngineLoops.MIN_TLS_BYTES) {
        throw new IllegalArgumentException("tlsMemory: " + bytes + " is less than 1 MiB");
      }
      tlsMemory = bytes;
      return this;
    }

    /**
     * Opens a Unix domain socket through which operators of the same user inspect and control the sessions:
     * {@code ./decant fix sessions --control PATH}. Default: none. Only the user of this process can connect. A file
     * {@code PATH.lock} beside it is locked while the socket is open.
     *
     * @param path the path of the socket, about 90 characters at most; its folder must exist
     * @return this
     */
    public Builder control(Path path) {
      control = path;
      return this;
    }

    /**
     * Sets the number of event loops, each with a thread of its own. Default 1. A session stays on one loop: the engine
     * assigns a new one to the loop with the fewest. An accepted connection moves to the loop of its session after its
     * Logon(A).
     *
     * <p>With several loops, callbacks of an {@link Application}, an {@link Authenticator} and a listener may run at
     * the same time for different sessions. Those of one session never do.
     *
     * @param value from 1 to 256; more loops than processors have no benefit
     * @return this
     * @throws IllegalArgumentException if it is outside of these bounds
     */
    public Builder loops(int value) {
      if (value < 1 || value > MAX_LOOPS) {
        throw new IllegalArgumentException("loops: " + value + " is not from 1 to " + MAX_LOOPS);
      }
      loops = value;
      return this;
    }

    /**
     * Registers the engine and its sessions as platform MXBeans, see {@link dev.decant.fix.jmx}. Default false, since
     * every user with access to a JMX port of the process could log sessions out and send messages.
     *
     * @param value true to register them
     * @return this
     */
    public Builder jmx(boolean value) {
      jmx = value;
      return this;
    }

    /**
     * Pins sessions to loops. The engine calls the function once for each session that it opens.
     *
     * @param index returns the number of a session's loop, from 0 on; a negative number lets the engine choose, which
     *     is the default
     * @return this
     */
    public Builder loopOf(ToIntFunction<SessionId> index) {
      loopOf = index;
      return this;
    }

    /**
     * Closes the engine when the process is asked to end, for example by SIGTERM. It logs out, waits for the
     * counterparties until the deadline, and closes stores and log. Default: off. {@link FixEngine#close()} removes the
     * shutdown hook.
     *
     * @param deadline how long to wait for the Logout(5) of the counterparties
     * @param report receives what is stored and unsent, on the thread of the shutdown hook
     * @return this
     */
    public Builder closeOnShutdown(Duration deadline, Consumer<ClosingReport> report) {
      shutdownDeadline = deadline;
      shutdownReport = report;
      return this;
    }

    /**
     * Starts the engine and its threads.
     *
     * @return the engine, without sessions
     * @throws java.io.UncheckedIOException if the control socket cannot be opened
     * @throws IllegalStateException if the engine cannot be registered with JMX
     */
    public FixEngine start() {
      FixEngine engine = new FixEngine(this);
      boolean isOpen = false;
      try {
        engine.sessions.operators(new EngineOperators(engine::sessions, name, control, jmx));
        Duration deadline = shutdownDeadline;
        if (deadline != null) {
          engine.closing.onShutdown(engine::close, deadline, shutdownReport);
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

  private final EngineState state = new EngineState();
  private final EngineParts parts;
  private final EngineSessions sessions;
  private final KeyWatches watches = new KeyWatches(state);
  private final EngineAcceptors acceptors;
  private final EngineClosing closing = new EngineClosing();

  private FixEngine(Builder builder) {
    int count = builder.loops;
    MessageLog log = count == 1 || builder.log.equals(MessageLog.none()) ? builder.log : new SharedLog(builder.log);
    EngineClock clock = new EngineClock(builder.clock);
    EventLoop[] started = new EventLoop[count];
    for (int i = 0; i < count; i++) {
      started[i] = EventLoop.start(count == 1 ? builder.name : builder.name + '-' + i, builder.clock, builder.ioIdle,
          builder.waiterIdle);
    }
    EngineLoops loops = new EngineLoops(started, clock, builder.tlsMemory, builder.loopOf);
    parts = new EngineParts(state, loops, clock, log, new SessionEvents(), new OperatorActions());
    sessions = new EngineSessions(parts);
    acceptors = new EngineAcceptors(sessions, watches);
  }

  /** Returns a builder with the default settings. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns a builder for an initiator: a session that connects to its counterparty.
   *
   * @param settings the rules of the session
   * @param application receives its messages
   * @return a builder
   */
  public InitiatorBuilder initiator(SessionSettings settings, Application application) {
    return new InitiatorBuilder(sessions, watches, settings, application);
  }

  /**
   * Returns a builder for an acceptor: a port to which counterparties connect.
   *
   * @param address where to listen; port 0 selects a free one
   * @param application receives the messages of its sessions
   * @return a builder
   */
  public AcceptorBuilder acceptor(InetSocketAddress address, Application application) {
    return new AcceptorBuilder(acceptors, address, application);
  }

  /**
   * Returns the sessions of the engine: those of initiators and acceptors, and those that a logon has created.
   *
   * @return a copy, in the order of their identities
   */
  public List<FixSession> sessions() {
    return sessions.sessions();
  }

  /**
   * Adds a listener for the events of all sessions.
   *
   * @param listener receives the events whose methods it overrides
   * @return a registration whose close removes the listener
   * @throws IllegalArgumentException if it overrides no method
   */
  public Registration listen(SessionListener listener) {
    return parts.events().add(listener);
  }

  /**
   * Loads the file of a dictionary again. Each session with a dictionary of this file uses the new one from its next
   * message on, and so do sessions opened later. A lenient loader reads the file on the calling thread.
   *
   * @param file the file that the dictionaries of sessions were loaded from
   * @return completes with the number of sessions that use the new dictionary, when all of them do. It fails with an
   *     IllegalArgumentException if the file has another BeginString or no header, and with an IllegalStateException if
   *     the engine is closed before. Then the present dictionaries stay
   * @throws dev.decant.fix.dictionary.DictionaryException if the file cannot be read, or is no dictionary; the present
   *     dictionaries stay
   */
  public CompletableFuture<Integer> reloadDictionary(Path file) {
    return reloadDictionary(Dictionary.load(file));
  }

  /**
   * Replaces dictionaries as {@link #reloadDictionary(Path)} does, by one that is loaded already, for example by a
   * strict loader.
   *
   * @param dictionary a dictionary that was loaded from a file
   * @return as {@link #reloadDictionary(Path)}
   * @throws IllegalArgumentException if the dictionary was not loaded from a file
   */
  public CompletableFuture<Integer> reloadDictionary(Dictionary dictionary) {
    if (dictionary.file() == null) {
      throw new IllegalArgumentException("dictionary " + dictionary + " is of no file; use FixSession.dictionary");
    }
    return sessions.renew(dictionary);
  }

  /**
   * Waits for a condition that callbacks of the application fulfil. With one loop, a platform thread drives the loop
   * meanwhile, if no other thread waits. Then callbacks run on it, and received messages need no hand-off between
   * threads.
   *
   * <p>With several loops, their own threads run all callbacks, and wake this thread after each round with a callback.
   *
   * @param done returns true when the condition is fulfilled; the calling thread calls it
   * @param timeout the longest wait
   * @return false if the condition is not fulfilled in time
   * @throws InterruptedException if the thread is interrupted
   * @throws IllegalStateException if called from a callback
   */
  public boolean waitUntil(BooleanSupplier done, Duration timeout) throws InterruptedException {
    return parts.loops().waitUntil(parts.loops().progress(), done, Timeouts.nanos(timeout));
  }

  /** Returns the loops of the engine, at least one. */
  EngineLoop[] loops() {
    return parts.loops().all();
  }

  Map<SessionId, SessionRunner> runners() {
    return sessions.runners();
  }

  Set<Handover> handovers() {
    return acceptors.handovers();
  }

  /**
   * Stops listening, logs all sessions out, waits for their counterparties up to the longest logout timeout, and closes
   * stores and log. No session logs on meanwhile. All messages that were accepted are then in their files. Further
   * calls have no effect.
   */
  @Override
  public void close() {
    if (closing.begin()) {
      long waitNanos = 0;
      for (SessionRunner session : sessions.runners().values()) {
        waitNanos = Math.max(waitNanos, Timeouts.nanos(session.settings().logoutTimeout()));
      }
      closeWithin(waitNanos);
    }
  }

  /**
   * Closes the engine as {@link #close()} does, within a deadline, and reports what is unsent. If another thread closes
   * the engine already, this method waits for it.
   *
   * @param deadline how long to wait for the Logout(5) of the counterparties; then connections that are left are cut
   * @return what is stored, and what of it was not sent
   * @throws IllegalStateException if called from a callback of the engine
   */
  public ClosingReport close(Duration deadline) {
    parts.loops().requireNoCallback();
    return closing.begin() ? closeWithin(Timeouts.nanos(deadline)) : closing.await();
  }

  private ClosingReport closeWithin(long waitNanos) {
    state.close();
    closing.forgetHook();
    sessions.closeOperators();
    watches.close();
    // Ports are closed before the logouts. A counterparty that is logged out would log on again, and be cut off at the
    // deadline.
    acceptors.close();
    sessions.runners().values().forEach(closing::logout);
    try {
      if (!parts.loops().progress().waitUntil(sessions::areAllDisconnected, waitNanos)) {
        LOG.log(System.Logger.Level.DEBUG, "not every counterparty has answered the logout");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    try {
      for (SessionRunner session : sessions.runners().values()) {
        session.home().loop().execute(() -> closing.close(session));
      }
      parts.loops().end();
      state.end(); // A connection that leaves its loop from now on sees the flag, and is closed there.
      acceptors.dropHandovers(); // A connection whose new loop has ended before it arrived has no owner.
      parts.operatorActions().close();
      parts.log().close();
      parts.loops().close();
    } finally {
      closing.end();
    }
    return closing.await();
  }
}
