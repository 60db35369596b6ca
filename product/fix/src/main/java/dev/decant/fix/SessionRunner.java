package dev.decant.fix;

import dev.decant.fix.dictionary.Dictionary;
import dev.decant.fix.event.LetThrough;
import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.session.OutboundMessages;
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
import org.jspecify.annotations.Nullable;

/**
 * Brings a session together with its connection, its senders and its application.
 *
 * <pre>
 *   senders              application
 *   | number, store      | callbacks
 *   protocol: output     protocol   &lt;- frames - connection
 *   | pump, as owner
 *   connection
 * </pre>
 *
 * <p>Methods are the owner's, unless they say "any thread".
 */
final class SessionRunner implements SessionUser {
  private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(2);
  /** How long the store is left alone after it took nothing. */
  private static final long STORE_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  /** Messages that follow each other within this time leave in one write, if there are some already. */
  private static final long GATHER_GAP_NANOS = 1_000;
  /** The longest time for which a message is held up by those that follow it. */
  private static final long GATHER_NANOS = 100_000;
  /** Bounds what one session does before others have their turn. */
  private static final int SLICES_PER_PUMP = 32;

  private final FixEngine engine;
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
  private final @Nullable FixAcceptor acceptor;

  // Owner only.
  /** Read by any thread. */
  private volatile @Nullable SessionConnection connection;
  /** Read by any thread. */
  private volatile boolean logoutWanted;
  /** The session has been logged on since it was made. */
  private boolean wasLoggedOn;
  /** The store is closed: the session takes no connection any more. Read by any thread. */
  private volatile boolean isClosed;
  /** The engine has told of the session, and its hours run. Read by any thread. */
  private volatile boolean hasBegun;
  private final AtomicBoolean storeIsClosed = new AtomicBoolean();
  /** When the last connection ended; before the first one, when the session was made. Read by any thread. */
  private volatile long idleSinceNanos;
  /** A second logon, which waits for whether this connection answers. */
  private @Nullable Takeover takeover;
  /** Messages of threads that the last pump has seen. */
  private long seenSent;
  /** Operators that wait for the end of the connection. */
  private final List<CompletableFuture<String>> logouts = new ArrayList<>();

  /** Written by the owner, read by any thread. */
  private volatile boolean loggedOn;
  private volatile long nextInbound;
  private volatile @Nullable String lastEnd;

  // See PendingSessions.
  final AtomicBoolean pending = new AtomicBoolean();
  @Nullable
  SessionRunner nextPending;

  SessionRunner(FixEngine engine, EngineLoop home, SessionOpening opening, @Nullable Reconnector reconnector,
      @Nullable FixAcceptor acceptor) throws IOException {
    this.engine = engine;
    this.home = home;
    this.loop = home.loop();
    this.application = opening.application();
    this.authenticator = opening.authenticator();
    this.settings = opening.settings();
    this.hours = new SessionHours(engine, home, this, settings, reconnector);
    this.protocol = opening.protocol(engine, home, this, hours);
    hours.attach(protocol);
    this.out = protocol.out();
    this.wantsSent = overrides(application, "onMessageSent", FixSession.class, MessageView.class);
    this.completesAdmin = overrides(application, "onSessionMessageToBeSent", FixSession.class, String.class,
        FieldWriter.class);
    this.sender = new SessionSender(this, out);
    this.slow = new SlowOutput(engine, this, loop, settings);
    this.session = new FixSession(this);
    this.actions = new SessionActions(this);
    this.reconnector = reconnector;
    this.logoutWanted = reconnector != null && reconnector.startsLoggedOut();
    this.acceptor = acceptor;
    this.idleSinceNanos = home.nowNanos();
    publishState();
  }

  /** Whether an application has a callback of its own. What nobody looks at is not made. */
  private static boolean overrides(Application application, String method, Class<?>... parameters) {
    try {
      return !application.getClass().getMethod(method, parameters).getDeclaringClass().equals(Application.class);
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("an Application without " + method, e);
    }
  }

  // Any thread.

  FixEngine engine() {
    return engine;
  }

  /** The loop that the session is on, for life. */
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

  /** Why the last connection or attempt ended. */
  @Nullable
  String lastEnd() {
    return lastEnd;
  }

  boolean isClosed() {
    return isClosed;
  }

  boolean hasBegun() {
    return hasBegun;
  }

  /** Closes the store, once. The owner, or the thread that has made a session which the engine does not take. */
  void closeStore() {
    if (storeIsClosed.compareAndSet(false, true)) {
      protocol.close();
    }
  }

  /** How much waits for the socket. Owner only. */
  long waitingBytes() {
    return protocol.output().waitingBytes();
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

  int maxBodyBytes() {
    return settings.maxMessageBytes();
  }

  SessionSender sender() {
    return sender;
  }

  private void markPending() {
    home.pendingSessions().mark(this);
  }

  CompletableFuture<String> logout(String text) {
    return engine.operatorActions().execute(loop, outcome -> logout(text, outcome));
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

  /** Has an initiator connect; false for an acceptor's session. Owner only. */
  boolean beginLogon() {
    logoutWanted = false;
    if (reconnector == null) {
      return false;
    }
    if (!hours.isOpen()) {
      return true; // it connects when the window opens
    }
    if (connection == null) {
      reconnector.start(this);
    } else {
      reconnector.resume(); // a logout is under way: it connects again when that is over
    }
    return true;
  }

  CompletableFuture<Long> setNextOutbound(long number) {
    requireNumber(number);
    return engine.operatorActions().execute(loop, outcome -> {
      touchTime();
      complete(outcome, number, protocol.operator().setNextOutbound(number));
    });
  }

  CompletableFuture<Long> setNextInbound(long number) {
    requireNumber(number);
    return engine.operatorActions().execute(loop, outcome -> {
      touchTime();
      complete(outcome, number, protocol.operator().setNextInbound(number));
    });
  }

  CompletableFuture<Dictionary> dictionary(String applVerId, Dictionary value) {
    return engine.operatorActions().execute(loop, outcome -> {
      try {
        protocol.validity().replace(applVerId, value);
        outcome.complete(value);
      } catch (IllegalArgumentException e) {
        outcome.completeExceptionally(e);
      }
    });
  }

  /** Replaces dictionaries by those that were loaded from their files later; counts them. */
  CompletableFuture<Integer> renewDictionaries(Dictionary value) {
    return engine.operatorActions().execute(loop, outcome -> {
      try {
        outcome.complete(protocol.validity().renew(value));
      } catch (IllegalArgumentException e) {
        outcome.completeExceptionally(e);
      }
    });
  }

  LetThrough letThrough() {
    return protocol.validity().letThrough();
  }

  private void complete(CompletableFuture<Long> outcome, long number, boolean isDone) {
    publishNumber(); // first: the outcome wakes threads that read it
    if (isDone) {
      outcome.complete(number);
      return;
    }
    outcome.completeExceptionally(storeFailure());
  }

  /** Why the store has refused the last change. */
  IOException storeFailure() {
    IOException cause = protocol.store().failure();
    return cause != null ? cause : new IOException("the store of " + id() + " takes nothing");
  }

  static void requireNumber(long number) {
    if (number < 1) {
      throw new IllegalArgumentException("sequence number " + number + " is less than 1");
    }
  }

  @SuppressWarnings("ReferenceEquality") // the very acceptor
  boolean belongsTo(FixAcceptor other) {
    return acceptor == other;
  }

  SessionHours hours() {
    return hours;
  }

  // The owner.

  /** The engine has the session. */
  void begin() {
    hasBegun = true;
    hours.start();
    if (reconnector != null && hours.isOpen() && !logoutWanted) {
      reconnector.start(this);
    }
    pump();
  }

  /** The window of the schedule is open. */
  void opened() {
    if (reconnector == null || logoutWanted) {
      return;
    }
    if (connection == null) {
      reconnector.startSoon(this);
    } else {
      reconnector.resume(); // the logout of the closing is under way: it connects again when that is over
    }
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
    hours.look(); // the opening may have come since the timer was set
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
      waiting.answered();
    }
    protocol.receive(buffer, from, to);
  }

  /** The connection is gone. */
  void disconnected(String reason) {
    connection = null;
    touchTime();
    out.connectionBroken();
    protocol.disconnected(reason);
    protocol.output().clear(); // who numbers and stores messages from now on needs room
    afterDisconnect(reason);
  }

  private void afterDisconnect(String reason) {
    loop.cancel(timer);
    slow.disconnected();
    loggedOn = false;
    lastEnd = reason;
    idleSinceNanos = loop.nowNanos();
    publishState();
    sender.roomIsFree();
    actions.ended(reason);
    List<CompletableFuture<String>> ended = List.copyOf(logouts);
    logouts.clear();
    call(() -> application.onLogout(session, reason));
    ended.forEach(outcome -> outcome.complete(reason));
    home.signalWaiting(); // a time-out may have ended it: no frame does this then
    if (reconnector != null && !logoutWanted && hours.isOpen()) {
      reconnector.schedule(this);
    }
    if (hours.isScheduled()) {
      loop.execute(hours::look); // what was due may have waited for this end, which is still under way
    }
    Takeover waiting = takeover;
    if (waiting != null) {
      takeover = null;
      waiting.firstEnded();
    } else if (acceptor != null && !wasLoggedOn) {
      acceptor.logonFailed(this);
    }
  }

  /** An attempt to connect has failed. */
  void notConnected(String reason) {
    lastEnd = reason;
    actions.ended(reason);
  }

  /** Closes a session that nobody uses; false if it has a connection. */
  boolean forget() {
    if (connection == null && !isClosed && hasBegun) { // it is told of before it is forgotten
      engine.notice(home, id(), "forgotten, since it is not logged on; its store is closed");
      ClosingReport.Session unused = close(true, "forgotten");
    }
    return isClosed;
  }

  /**
   * Whether a second logon may take over if the connection of now does not answer: it has been silent, no other logon
   * waits, and the authenticator accepts the Logon(A).
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

  /** Asks the counterparty for a sign of life: if none comes, the session is taken over. */
  void probe(Takeover asking) {
    takeover = asking;
    engine.notice(home, id(), "a second logon came, asked the first connection for a sign of life");
    protocol.probe();
    pump();
  }

  void takeoverCancelled() {
    takeover = null;
  }

  void secondLogonRefused(SessionConnection second) {
    engine.notice(home, id(), "a second logon, from " + second.remoteAddress() + ", was refused");
  }

  /** Ends the use of a connection that is broken. */
  void disconnect(String reason) {
    touchTime();
    protocol.disconnected(reason);
  }

  void abandon(String reason) {
    touchTime();
    protocol.abandon(reason);
    pump();
  }

  /** Ends the session with the engine, and tells what is left of it. */
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
      out.connectionBroken();
      open.connection().close(new IOException("the engine is closed"));
    }
    closeStore();
    UnsentMessages unsent = out.unsent();
    return new ClosingReport.Session(id(), isLoggedOut, end, nextOutbound(), nextInbound(), unsent.first(),
        unsent.last(), created);
  }

  /**
   * Lets the messages of threads gather that send without a pause: a write for each would cost more than the rest. The
   * owner takes a message to the socket more quickly than a thread makes the next one. Does nothing for a message that
   * is alone.
   *
   * <p>The owner yields: while it waits, a sender or the counterparty may have no other processor. A stream with two of
   * them and the owner on two processors cost twice the time a message where the owner span.
   *
   * @param isInARow whether threads send many messages without a pause: then a single one is not alone either, and the
   *     next one may take as long as a sender needs to wake the owner
   */
  @SuppressWarnings("ThreadPriorityCheck") // Thread.yield is a hint here: the wait has a bound without it
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
   * Writes what there is to the connection, as long as that takes it. Messages that are sent again have one turn: other
   * sessions of the loop have theirs before the next one. Returns how many messages of senders went since the last
   * time.
   */
  int pump() {
    touchTime();
    boolean resends = protocol.resendMore();
    publishState(); // first: who has the response may ask for what its request has changed
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

  /** Writes a slice; true if the socket has taken all of it, so that there is room for more. */
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
    if (stream.bytesWritten() != stream.bytesQueued()) {
      slow.refused();
      return false;
    }
    output.sliceWritten();
    slow.taken(output.isEmpty());
    return true;
  }

  /** The socket has taken all of the slice that it was given. */
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
      loop.schedule(timer, due); // one that fires too early finds nothing to do, and looks anew
    }
  }

  private void onTimer() {
    touchTime();
    protocol.onTime();
    pump();
    protocol.output().shrink(); // a session that is busy takes memory again with its next message
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

  // What the protocol asks.

  @Override
  public @Nullable String refuseLogon(MessageView logon) {
    if (actions.isDisabled()) {
      return "the session is disabled";
    }
    if (engine.isClosed()) { // it would outlast the Logout
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
      output.takeRest().forEach(stream::queue);
      open.detach();
      stream.closeAfterOutput(new IOException(reason), CLOSE_NANOS);
      if (stream.bytesWritten() == stream.bytesQueued()) {
        output.clear();
      } else {
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
