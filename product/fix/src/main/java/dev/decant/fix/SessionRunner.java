package dev.decant.fix;

import dev.decant.fix.dictionary.Dictionary;
import dev.decant.fix.event.ToleratedCounts;
import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.session.OutboundMessages;
import dev.decant.fix.session.OutputRest;
import dev.decant.fix.session.SessionOutput;
import dev.decant.fix.session.SessionProtocol;
import dev.decant.fix.session.SessionUser;
import dev.decant.fix.session.UnsentMessages;
import dev.decant.fix.session.UserFailure;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import dev.decant.net.Connection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Connects a session with its connection, its senders and its application.
 *
 * <pre>
 *   senders              application
 *   | number, store      | callbacks
 *   protocol: output     protocol   &lt;- frames - connection
 *   | pump, as owner
 *   connection
 * </pre>
 *
 * <p>Only the owner of the loop calls these methods, unless a comment says "any thread".
 */
final class SessionRunner extends PendingOutput implements SessionUser {
  private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(2);
  /** Delay before the next write after the store could not commit. */
  private static final long STORE_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  /** Messages that follow each other within this time leave in one write, if more than one waits already. */
  private static final long GATHER_GAP_NANOS = 1_000;
  /** The longest time for which later messages delay an earlier one. */
  private static final long GATHER_NANOS = 100_000;
  /** The most slices that one pump writes before other sessions have their turns. */
  private static final int SLICES_PER_PUMP = 32;

  private final EngineParts parts;
  private final EngineLoop home;
  private final EventLoop loop;
  private final Application application;
  private final Authenticator authenticator;
  private final SessionSettings settings;
  private final SessionProtocol protocol;
  private final OutboundMessages out;
  private final SessionSender sender;
  private final SlowOutput slow;
  private final SessionHours hours;
  private final FixSession session;
  private final SessionActions actions;
  private final Timer timer = new Timer(this::onTimer);
  private final Timer storeRetry = new Timer(this::markPending);
  private final boolean wantsSent;
  private final boolean completesAdmin;
  private final @Nullable Reconnector reconnector;
  /** Called when a first logon fails; identifies the acceptor. Null for an initiator. */
  private final @Nullable Consumer<SessionRunner> logonFailed;

  // Owner only, except the volatile fields, which any thread may read.
  /** The present connection; null while there is none. */
  private volatile @Nullable SessionConnection connection;
  /** The last connection that has ended with output to write; null if there was none. */
  private @Nullable SessionConnection ending;
  /**
   * True from a logout by an operator or the engine until the next logon by an operator. The initiator must not connect
   * then.
   */
  private volatile boolean logoutWanted;
  /** True if the session has been logged on since it was made. */
  private boolean wasLoggedOn;
  /** True after the store is closed: the session accepts no connection any longer. */
  private volatile boolean isClosed;
  /** True after the engine has reported the session to listeners, and its schedule runs. */
  private volatile boolean hasBegun;
  private final AtomicBoolean storeIsClosed = new AtomicBoolean();
  /**
   * When the last connection ended, in nanoseconds of the monotonic clock. Before the first connection, when the
   * session was made.
   */
  private volatile long idleSinceNanos;
  /** A second logon that waits for the response of the present connection; null if there is none. */
  private @Nullable Takeover takeover;
  /** {@link OutboundMessages#sent} at the last pump. */
  private long seenSent;
  /** Outcomes of logouts, to be completed when the connection ends. */
  private final List<CompletableFuture<String>> logouts = new ArrayList<>();

  /** Written by the owner, read by any thread. */
  private volatile boolean loggedOn;
  /** Copy of the store's number for other threads. Written by the owner, read by any thread. */
  private volatile long nextInbound;
  /** Why the last connection or attempt ended. Written by the owner, read by any thread. */
  private volatile @Nullable String disconnectReason;

  SessionRunner(EngineParts parts, EngineLoop home, SessionOpening opening, @Nullable Reconnector reconnector)
      throws IOException {
    this.parts = parts;
    this.home = home;
    this.loop = home.loop();
    this.application = opening.application();
    this.authenticator = opening.authenticator();
    this.settings = opening.settings();
    this.hours = new SessionHours(parts.clock(), home, settings, reconnector, this, this::opened);
    this.protocol = opening.protocol(parts, home, this, hours);
    hours.attach(protocol);
    this.out = protocol.out();
    this.wantsSent = overrides(application, "onMessageSent", FixSession.class, MessageView.class);
    this.completesAdmin = overrides(application, "onSessionMessageToBeSent", FixSession.class, String.class,
        FieldWriter.class);
    this.sender = new SessionSender(parts.clock(), home, settings, protocol, this, this::abandon);
    this.slow = new SlowOutput(parts, home, protocol, settings, this::abandon);
    this.session = new FixSession(this);
    this.actions = new SessionActions(this);
    this.reconnector = reconnector;
    this.logoutWanted = reconnector != null && reconnector.startsLoggedOut();
    this.logonFailed = opening.logonFailed();
    this.idleSinceNanos = home.nowNanos();
    publishState();
  }

  /**
   * Returns true if the application overrides a callback. Nothing is prepared for a callback that is not overridden.
   */
  private static boolean overrides(Application application, String method, Class<?>... parameters) {
    try {
      return !application.getClass().getMethod(method, parameters).getDeclaringClass().equals(Application.class);
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("an Application without " + method, e);
    }
  }

  // Any thread.

  EngineParts parts() {
    return parts;
  }

  /** Returns the loop that the session stays on. */
  EngineLoop home() {
    return home;
  }

  SessionId id() {
    return settings.id();
  }

  SessionSettings settings() {
    return settings;
  }

  FixSession session() {
    return session;
  }

  SessionActions actions() {
    return actions;
  }

  SessionProtocol protocol() {
    return protocol;
  }

  @Nullable
  SessionConnection connection() {
    return connection;
  }

  boolean isConnected() {
    return connection != null;
  }

  boolean isInitiator() {
    return reconnector != null;
  }

  boolean isLogoutWanted() {
    return logoutWanted;
  }

  /** Returns why the last connection or attempt to connect ended; null before the first. */
  @Nullable
  String disconnectReason() {
    return disconnectReason;
  }

  boolean isClosed() {
    return isClosed;
  }

  boolean hasBegun() {
    return hasBegun;
  }

  /**
   * Closes the store, once. Called by the owner, or by the thread that made a session which the engine then refused.
   */
  void closeStore() {
    if (storeIsClosed.compareAndSet(false, true)) {
      protocol.close();
    }
  }

  long idleSinceNanos() {
    return idleSinceNanos;
  }

  boolean isLoggedOn() {
    return loggedOn;
  }

  long nextOutbound() {
    return protocol.store().nextOutbound();
  }

  long nextInbound() {
    return nextInbound;
  }

  Instant storeCreated() {
    return Instant.ofEpochSecond(0, protocol.store().createdEpochNanos());
  }

  SessionSender sender() {
    return sender;
  }

  private void markPending() {
    home.pendingSessions().mark(this);
  }

  CompletableFuture<String> logout(String text) {
    return parts.operatorActions().execute(loop, outcome -> logout(text, outcome));
  }

  /** Owner only. */
  void logout(String text, CompletableFuture<String> outcome) {
    logoutWanted = true;
    if (reconnector != null) {
      reconnector.stop();
    }
    actions.logoutWanted();
    touchTime();
    boolean isConnected = connection != null;
    if (isConnected) {
      logouts.add(outcome);
    }
    protocol.logout(text);
    pump();
    if (!isConnected) {
      outcome.complete("not connected");
    }
  }

  /** Makes an initiator connect. Returns false for a session of an acceptor. Owner only. */
  boolean beginLogon() {
    logoutWanted = false;
    if (reconnector == null) {
      return false;
    }
    if (!hours.isOpen()) {
      return true; // The session connects when the window opens.
    }
    if (connection == null) {
      reconnector.start(this);
    } else {
      reconnector.resume(); // A logout is in progress: the initiator connects again when it is complete.
    }
    return true;
  }

  CompletableFuture<Long> setNextOutbound(long number) {
    requireNumber(number);
    return parts.operatorActions().execute(loop, outcome -> {
      touchTime();
      complete(outcome, number, protocol.operator().setNextOutbound(number));
    });
  }

  CompletableFuture<Long> setNextInbound(long number) {
    requireNumber(number);
    return parts.operatorActions().execute(loop, outcome -> {
      touchTime();
      complete(outcome, number, protocol.operator().setNextInbound(number));
    });
  }

  CompletableFuture<Dictionary> dictionary(String applVerId, Dictionary value) {
    return parts.operatorActions().execute(loop, outcome -> {
      try {
        protocol.validity().replace(applVerId, value);
        outcome.complete(value);
      } catch (IllegalArgumentException e) {
        outcome.completeExceptionally(e);
      }
    });
  }

  /** Replaces each dictionary that the new one renews. The outcome is how many were replaced. */
  CompletableFuture<Integer> renewDictionaries(Dictionary value) {
    return parts.operatorActions().execute(loop, outcome -> {
      try {
        outcome.complete(protocol.validity().renew(value));
      } catch (IllegalArgumentException e) {
        outcome.completeExceptionally(e);
      }
    });
  }

  ToleratedCounts tolerated() {
    return protocol.validity().tolerated();
  }

  private void complete(CompletableFuture<Long> outcome, long number, boolean isDone) {
    publishNumber(); // The outcome wakes threads that read the number: they would still see the old one.
    if (isDone) {
      outcome.complete(number);
      return;
    }
    outcome.completeExceptionally(storeFailure());
  }

  /** Returns why the store has refused the last change. */
  IOException storeFailure() {
    IOException cause = protocol.store().failure();
    return cause != null ? cause : new IOException("the store of " + id() + " takes nothing");
  }

  static void requireNumber(long number) {
    if (number < 1) {
      throw new IllegalArgumentException("sequence number " + number + " is less than 1");
    }
  }

  /** Returns true for a session of the acceptor with this callback. */
  @SuppressWarnings("ReferenceEquality") // identity: the same acceptor
  boolean belongsTo(Consumer<SessionRunner> acceptor) {
    return logonFailed == acceptor;
  }

  SessionHours hours() {
    return hours;
  }

  // Owner of the session only.

  /** Starts the schedule, after the engine has added the session. An initiator connects if its window is open. */
  void begin() {
    hasBegun = true;
    hours.start();
    if (reconnector != null && hours.isOpen() && !logoutWanted) {
      reconnector.start(this);
    }
    pump();
  }

  /** Makes an initiator connect, because the window of its schedule has opened. */
  void opened() {
    if (reconnector == null || logoutWanted) {
      return;
    }
    if (connection == null) {
      reconnector.startSoon(this);
    } else {
      // The logout at the closing is in progress: the initiator connects again when it is complete.
      reconnector.resume();
    }
  }

  /** Reports a text to log and listeners. */
  void notice(String text) {
    parts.notice(home, id(), text);
  }

  void touchTime() {
    home.touchTime();
  }

  void reject(MessageView message, int reason, int tag, @Nullable String text) {
    protocol.rejectFor(message, reason, tag, text);
  }

  void rejectBusiness(MessageView message, int reason, @Nullable String text) {
    protocol.rejectBusinessFor(message, reason, text);
  }

  void connected(SessionConnection newConnection, boolean asInitiator) {
    hours.check(); // The window may have opened since the timer was set.
    connection = newConnection;
    touchTime();
    protocol.connected(asInitiator);
    scheduleTimer();
  }

  void receive(ByteBuffer buffer, int from, int to) {
    touchTime();
    Takeover waiting = takeover;
    if (waiting != null) {
      takeover = null;
      waiting.responded();
    }
    protocol.receive(buffer, from, to);
  }

  /** Ends the session's use of a connection that is gone. */
  void disconnected(String reason) {
    SessionConnection broken = connection;
    connection = null;
    touchTime();
    out.connectionBroken(broken == null ? 0 : broken.bytesLeft());
    protocol.disconnected(reason);
    protocol.output().clear(); // Threads that number and store messages from now on need the room.
    afterDisconnect(reason);
  }

  private void afterDisconnect(String reason) {
    loop.cancel(timer);
    slow.disconnected();
    loggedOn = false;
    disconnectReason = reason;
    idleSinceNanos = loop.nowNanos();
    publishState();
    sender.roomIsFree();
    actions.ended(reason);
    List<CompletableFuture<String>> ended = List.copyOf(logouts);
    logouts.clear();
    call(() -> application.onLogout(session, reason));
    ended.forEach(outcome -> outcome.complete(reason));
    // No frame wakes the waiting threads after a timeout. Once, an engine of several loops waited for its whole
    // deadline.
    home.signalWaiting();
    if (reconnector != null && !logoutWanted && hours.isOpen()) {
      reconnector.schedule(this);
    }
    if (hours.isScheduled()) {
      // Actions of the schedule may have waited for the end of the connection. They run after this method, which is
      // part of that end.
      loop.execute(hours::check);
    }
    Takeover waiting = takeover;
    if (waiting != null) {
      takeover = null;
      waiting.firstEnded();
    } else if (logonFailed != null && !wasLoggedOn) {
      logonFailed.accept(this);
    }
  }

  /** Notes that an attempt to connect has failed. */
  void notConnected(String reason) {
    disconnectReason = reason;
    actions.ended(reason);
  }

  /** Closes a session without a connection. Returns false if it has one, or is not reported to listeners yet. */
  boolean forget() {
    // Listeners hear of a session before it is forgotten. Once, its schedule ran for ever when the order was reversed.
    if (connection == null && !isClosed && hasBegun) {
      notice("forgotten, since it is not logged on; its store is closed");
      ClosingReport.Session unused = close(true, "forgotten");
    }
    return isClosed;
  }

  /**
   * Returns true if a second logon may take over, should the present connection not respond. That connection must have
   * been silent, no other logon may wait, and the authenticator must accept the Logon(A). The authenticator's consent
   * is kept, since one that accepts a token once would refuse the same Logon later.
   */
  boolean mayBeTakenOver(SessionConnection second, ByteBuffer buffer, int from, int to) {
    touchTime();
    if (takeover != null || !Takeover.isDoubtful(protocol.silenceNanos(), protocol.heartbeatNanos())) {
      return false;
    }
    MessageView logon = new MessageView(settings.dataFields());
    if (logon.parse(buffer, from, to, settings.validateCheckSum()) != MessageView.OK) {
      return false;
    }
    try {
      if (second.admission().isFor(id()) || authenticator.refuse(id(), logon, second.peer()) == null) {
        second.admission().give(id());
        return true;
      }
      return false;
    } catch (Throwable e) {
      UserFailure.survive("the authenticator failed over a second Logon of " + id(), e);
      return false;
    }
  }

  void beginTakeover(Takeover begun) {
    begun.begin(protocol.heartbeatNanos());
  }

  /** Sends a TestRequest(1) on the present connection. Without a response, the second logon takes the session over. */
  void probe(Takeover asking) {
    takeover = asking;
    notice("a second logon came, asked the first connection for a sign of life");
    protocol.probe();
    pump();
  }

  void takeoverCancelled() {
    takeover = null;
  }

  void secondLogonRefused(SessionConnection second) {
    notice("a second logon, from " + second.remoteAddress() + ", was refused");
  }

  /** Ends the session's use of a broken connection. */
  void disconnect(String reason) {
    touchTime();
    protocol.disconnected(reason);
  }

  void abandon(String reason) {
    touchTime();
    protocol.abandon(reason);
    pump();
  }

  /** Closes the session when the engine closes. Returns its part of the report. */
  ClosingReport.Session close(boolean isLoggedOut, String end) {
    isClosed = true;
    Instant created = storeCreated();
    logoutWanted = true;
    if (reconnector != null) {
      reconnector.stop();
    }
    loop.cancel(timer);
    loop.cancel(storeRetry);
    hours.stop();
    SessionConnection open = connection;
    if (open != null) {
      out.connectionBroken(open.bytesLeft());
      open.connection().close(new IOException("the engine is closed"));
    }
    if (ending != null) { // What it does not write any longer belongs to the report.
      ending.connection().close(new IOException("the engine is closed"));
    }
    closeStore();
    UnsentMessages unsent = out.unsent();
    return new ClosingReport.Session(id(), isLoggedOut, end, nextOutbound(), nextInbound(), unsent.first(),
        unsent.last(), created);
  }

  /**
   * Waits until the burst of threads that send without a pause is over. The owner writes a message faster than a thread
   * makes the next one. Without the wait, a write for each message would cost more than all other work. A single
   * message does not wait.
   *
   * <p>The owner yields, because a sender or the counterparty may have no other processor. With two of them on two
   * processors, a spinning owner doubled the time of a message.
   *
   * @param isInARow true if threads send many messages without a pause. Then a single message waits, too, for as long
   *     as a sender needs to wake the owner
   */
  @Override
  @SuppressWarnings("ThreadPriorityCheck") // Thread.yield is a hint here: the wait ends without it, too.
  void gather(boolean isInARow) {
    long seen = out.sent();
    if ((seen - seenSent <= 1 && !isInARow) || !protocol.output().hasSlice()) {
      return;
    }
    long gapNanos = isInARow ? PendingSessions.ROW_NANOS : GATHER_GAP_NANOS;
    long begin = System.nanoTime();
    long last = begin;
    long now = begin;
    while (now - last < gapNanos && now - begin < GATHER_NANOS) {
      Thread.yield();
      long sent = out.sent();
      now = System.nanoTime();
      if (sent != seen) {
        seen = sent;
        last = now;
      }
    }
  }

  /**
   * Writes as much output as the connection accepts. A replay has one turn in each call, so that other sessions have
   * theirs. Returns how many messages threads have sent since the last call.
   */
  @Override
  int pump() {
    touchTime();
    boolean resends = protocol.resendMore();
    // The state is published before the write: a counterparty with the response may ask for what its request has
    // changed.
    publishState();
    boolean more = write();
    boolean isWritten = more;
    for (int i = 1; more && i < SLICES_PER_PUMP; i++) {
      protocol.releaseHeld();
      more = write();
    }
    more |= resends && protocol.output().isEmpty();
    if (isWritten) {
      sender.roomIsFree();
    }
    if (more) {
      markPending();
      loop.signal();
    }
    publishState();
    scheduleTimer();
    actions.written();
    long sent = out.sent();
    int sinceLast = (int) (sent - seenSent);
    seenSent = sent;
    return sinceLast;
  }

  /** Writes a slice. Returns true if the socket has taken all of it, so that there may be room for more. */
  private boolean write() {
    SessionConnection open = connection;
    SessionOutput output = protocol.output();
    if (open == null || !output.hasSlice()) {
      return false;
    }
    ByteBuffer slice = output.takeSlice();
    if (slice == null) {
      loop.schedule(storeRetry, loop.nowNanos() + STORE_RETRY_NANOS);
      return false;
    }
    Connection stream = open.connection();
    stream.queue(slice);
    stream.flush();
    if (open.bytesLeft() != 0) {
      if (open.equals(connection)) { // The write may have found the connection broken, and ended the session.
        slow.refused();
      }
      return false;
    }
    output.sliceWritten();
    slow.taken(output.isEmpty());
    return true;
  }

  /** Continues after the socket has taken the whole slice. */
  void outputWritten() {
    protocol.output().sliceWritten();
    slow.taken(protocol.output().isEmpty());
    sender.roomIsFree();
    pump();
  }

  private void scheduleTimer() {
    long due = protocol.nextDeadlineNanos();
    if (due == Long.MAX_VALUE) {
      loop.cancel(timer);
    } else if (!timer.isScheduled() || due - timer.deadlineNanos() < 0) {
      loop.schedule(timer, due); // A timer that fires too early has nothing to do, and is set again.
    }
  }

  private void onTimer() {
    touchTime();
    protocol.onTime();
    pump();
    protocol.output().shrink(); // A busy session takes memory again with its next message.
  }

  void publishNumber() {
    long in = protocol.store().nextInbound();
    if (in != nextInbound) {
      nextInbound = in;
    }
  }

  private void publishState() {
    publishNumber();
    boolean on = protocol.isLoggedOn();
    if (on != loggedOn) {
      loggedOn = on;
    }
  }

  // Callbacks of the protocol.

  @Override
  public @Nullable String refuseLogon(MessageView logon) {
    if (actions.isDisabled()) {
      return "the session is disabled";
    }
    if (parts.state().isClosed()) { // A session that logs on now would outlast the Logout of the closing engine.
      return "the engine is closing";
    }
    String closed = hours.refusal();
    if (closed != null) {
      return closed;
    }
    SessionConnection open = connection;
    return open == null || open.admission().take(id()) ? null : authenticator.refuse(id(), logon, open.peer());
  }

  @Override
  public void completeLogon(FieldWriter logon) {
    application.onLogonToBeSent(session, logon);
  }

  @Override
  public void completeAdmin(int msgType, FieldWriter fields) {
    if (completesAdmin) {
      application.onSessionMessageToBeSent(session, MsgType.text(msgType), fields);
    }
  }

  @Override
  public void onAdmin(MessageView message) {
    application.onSessionMessage(session, message);
  }

  @Override
  public boolean wantsSent() {
    return wantsSent;
  }

  @Override
  public void onSent(MessageView message) {
    application.onMessageSent(session, message);
  }

  @Override
  public void onReset(boolean isDone) {
    actions.numbersReset(isDone);
  }

  @Override
  public void onLogon() {
    loggedOn = true;
    wasLoggedOn = true;
    if (reconnector != null) {
      reconnector.succeeded();
    }
    actions.loggedOn();
    call(() -> application.onLogon(session));
  }

  @Override
  public void onMessage(MessageView message) {
    application.onMessage(session, message);
  }

  @Override
  public boolean mayResend(MessageView message) {
    return application.mayResend(session, message);
  }

  @Override
  public void closeConnection(String reason) {
    loggedOn = false;
    SessionConnection open = connection;
    if (open != null) {
      connection = null;
      SessionOutput output = protocol.output();
      Connection stream = open.connection();
      OutputRest rest = output.rest();
      output.take(rest).forEach(stream::queue);
      open.detach(bytesLeft -> {
        touchTime();
        protocol.restEnded(rest, bytesLeft);
      });
      stream.closeAfterOutput(new IOException(reason), CLOSE_NANOS);
      if (open.bytesLeft() == 0) {
        protocol.restEnded(rest, 0);
        output.clear();
      } else {
        ending = open;
        output.renew();
      }
      afterDisconnect(reason);
    }
  }

  private void call(Runnable callback) {
    try {
      callback.run();
    } catch (Throwable e) {
      UserFailure.survive("the application failed in a callback of session " + id(), e);
    }
  }
}
