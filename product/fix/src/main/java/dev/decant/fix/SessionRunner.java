package dev.decant.fix;

import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.session.MessageRing;
import dev.decant.fix.session.OutputBuffer;
import dev.decant.fix.session.SessionProtocol;
import dev.decant.fix.session.SessionUser;
import dev.decant.fix.session.UserFailure;
import dev.decant.fix.settings.BackPressure;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import dev.decant.net.Connection;
import dev.decant.time.Timeouts;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Brings a session together with its connection, its senders and its application.
 *
 * <pre>
 *   senders           application
 *   | ring            | callbacks
 *   pump, as owner -> protocol -> output -> connection
 *                     protocol   &lt;- frames - connection
 * </pre>
 *
 * <p>Methods are the owner's, unless they say "any thread".
 */
final class SessionRunner implements SessionUser {
  private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(2);
  /** How long the store is left alone after it took nothing. */
  private static final long STORE_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  /** Bounds what one session does before others have their turn. */
  private static final int MESSAGES_PER_PUMP = 4_096;

  private final FixEngine engine;
  private final EventLoop loop;
  private final Application application;
  private final Authenticator authenticator;
  private final SessionSettings settings;
  private final SessionProtocol protocol;
  private final MessageRing ring;
  private final RingSpace space;
  private final FixSession session;
  private final Timer timer = new Timer(this::onTimer);
  private final Timer storeRetry = new Timer(this::markPending);
  private final @Nullable Reconnector reconnector;
  private final @Nullable FixAcceptor acceptor;

  // Owner only.
  /** Read by any thread. */
  private volatile @Nullable SessionConnection connection;
  private boolean logoutWanted;
  /** A second logon, which waits for whether this connection answers. */
  private @Nullable Takeover takeover;

  /** Written by the owner, read by any thread. */
  private volatile boolean loggedOn;
  private volatile long nextOutbound;
  private volatile long nextInbound;

  // See PendingSessions.
  final AtomicBoolean pending = new AtomicBoolean();
  @Nullable
  SessionRunner nextPending;

  SessionRunner(FixEngine engine, SessionOpening opening, @Nullable Reconnector reconnector,
      @Nullable FixAcceptor acceptor) throws IOException {
    this.engine = engine;
    this.loop = engine.loop();
    this.application = opening.application();
    this.authenticator = opening.authenticator();
    this.settings = opening.settings();
    this.protocol = opening.protocol(engine, this);
    this.ring = new MessageRing(settings.ringBytes());
    this.space = new RingSpace(loop);
    this.session = new FixSession(this);
    this.reconnector = reconnector;
    this.acceptor = acceptor;
    publishNumbers();
  }

  // Any thread.

  FixEngine engine() {
    return engine;
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

  boolean isConnected() {
    return connection != null;
  }

  boolean isLoggedOn() {
    return loggedOn;
  }

  long nextOutbound() {
    return nextOutbound;
  }

  long nextInbound() {
    return nextInbound;
  }

  int maxBodyBytes() {
    return settings.maxMessageBytes();
  }

  /** Claims room for a message. Any thread. */
  SendStatus claim(OutboundMessage message, int maxBytes) {
    if (maxBytes < 0 || maxBytes > settings.maxMessageBytes()) {
      throw new IllegalArgumentException("a message of " + maxBytes + " bytes; maxMessageBytes is "
          + settings.maxMessageBytes());
    }
    if (!loggedOn && !settings.sendWhileLoggedOut()) {
      return SendStatus.LOGGED_OUT;
    }
    long at = ring.claim(maxBytes);
    if (at == MessageRing.NO_ROOM) {
      at = claimSlowPath(maxBytes);
      if (at == MessageRing.NO_ROOM) {
        return refusal();
      }
    }
    message.claimed(ring, at, maxBytes);
    return SendStatus.OK;
  }

  /** Why there was no room: a session may end while a sender waits. One that ends for want of room has none. */
  private SendStatus refusal() {
    return mayWait() || settings.backPressure() == BackPressure.DISCONNECT
        ? SendStatus.BACK_PRESSURE
        : SendStatus.LOGGED_OUT;
  }

  private long claimSlowPath(int maxBytes) {
    if (loop.isOwner()) {
      pump(); // who would make room is this thread
      long at = ring.claim(maxBytes);
      if (at != MessageRing.NO_ROOM || settings.backPressure() != BackPressure.DISCONNECT) {
        return at;
      }
    } else if (settings.backPressure() == BackPressure.WAIT) {
      return space.awaitClaim(this, ring, maxBytes, Timeouts.nanos(settings.sendTimeout()));
    }
    if (settings.backPressure() == BackPressure.DISCONNECT) {
      loop.execute(() -> abandon("the counterparty reads too slowly"));
    }
    return MessageRing.NO_ROOM;
  }

  /** Whether a sender that waits for room should go on waiting. Any thread. */
  boolean mayWait() {
    return loggedOn || settings.sendWhileLoggedOut();
  }

  /** Hands a message over. Any thread. */
  void commit(long position, int msgType, int bytes) {
    ring.commit(position, msgType, bytes);
    engine.pendingSessions().offer(this);
  }

  /** Gives a claim up; what was committed behind it can go. Any thread. */
  void abort(long position) {
    ring.abort(position);
    engine.pendingSessions().offer(this);
  }

  private void markPending() {
    engine.pendingSessions().mark(this);
  }

  void logout(String text) {
    loop.execute(() -> {
      logoutWanted = true;
      if (reconnector != null) {
        reconnector.stop();
      }
      touchTime();
      protocol.logout(text);
      pump();
    });
  }

  void logon() {
    loop.execute(() -> {
      logoutWanted = false;
      if (reconnector == null) {
        return;
      }
      if (connection == null) {
        reconnector.start(this);
      } else {
        reconnector.resume(); // a logout is under way: it connects again when that is over
      }
    });
  }

  void resetSequenceNumbers() {
    loop.execute(() -> {
      touchTime();
      if (!protocol.isConnected()) {
        protocol.resetNow(reconnector != null);
      } else {
        protocol.logoutAndReset();
      }
      pump();
    });
  }

  void setNextOutbound(long number) {
    requireNumber(number);
    loop.execute(() -> {
      touchTime();
      protocol.setNextOutbound(number);
      publishNumbers();
    });
  }

  void setNextInbound(long number) {
    requireNumber(number);
    loop.execute(() -> {
      touchTime();
      protocol.setNextInbound(number);
      publishNumbers();
    });
  }

  private static void requireNumber(long number) {
    if (number < 1) {
      throw new IllegalArgumentException("sequence number " + number + " is less than 1");
    }
  }

  @SuppressWarnings("ReferenceEquality") // the very acceptor
  boolean belongsTo(FixAcceptor other) {
    return acceptor == other;
  }

  // The owner.

  private void touchTime() {
    engine.touchTime();
  }

  void reject(MessageView message, int reason, int tag, @Nullable String text) {
    protocol.rejectFor(message, reason, tag, text);
  }

  void rejectBusiness(MessageView message, int reason, @Nullable String text) {
    protocol.rejectBusinessFor(message, reason, text);
  }

  void connected(SessionConnection newConnection, boolean asInitiator) {
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
    if (to - from > settings.maxMessageBytes()) {
      protocol.abandon("a message of " + (to - from) + " bytes came; maxMessageBytes is " + settings.maxMessageBytes());
      return;
    }
    protocol.receive(buffer, from, to);
  }

  /** The connection is gone. */
  void disconnected(String reason) {
    connection = null;
    touchTime();
    protocol.disconnected(reason);
    afterDisconnect(reason);
  }

  private void afterDisconnect(String reason) {
    loop.cancel(timer);
    loggedOn = false;
    publishNumbers();
    space.signal();
    call(() -> application.onLogout(session, reason));
    if (reconnector != null && !logoutWanted) {
      reconnector.schedule(this);
    }
    Takeover waiting = takeover;
    if (waiting != null) {
      takeover = null;
      waiting.firstEnded();
    }
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
      return authenticator.refuse(id(), logon, second.peer()) == null;
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
    engine.notice(id(), "a second logon came, asked the first connection for a sign of life");
    protocol.probe();
    pump();
  }

  void takeoverCancelled() {
    takeover = null;
  }

  void secondLogonRefused(SessionConnection second) {
    engine.notice(id(), "a second logon, from " + second.remoteAddress() + ", was refused");
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

  /** Ends the session with the engine. */
  void close() {
    logoutWanted = true;
    if (reconnector != null) {
      reconnector.stop();
    }
    loop.cancel(timer);
    loop.cancel(storeRetry);
    SessionConnection open = connection;
    if (open != null) {
      open.connection().close(new IOException("the engine is closed"));
    }
    protocol.store().close();
  }

  /**
   * Gives what senders have committed to the protocol, and what that wants sent to the connection, as long as both go
   * on. Messages that are sent again have one turn: other sessions of the loop have theirs before the next one. Returns
   * how many messages of senders went.
   */
  int pump() {
    touchTime();
    int sent = 0;
    boolean resends = protocol.resendMore();
    boolean written;
    int taken;
    do {
      taken = takeFromRing();
      sent += taken;
      written = write();
    } while (written && taken > 0 && sent < MESSAGES_PER_PUMP);
    boolean more = written && (resends || taken > 0);
    if (sent > 0) {
      space.signal();
    }
    if (more) {
      markPending();
      loop.signal();
    }
    publishNumbers();
    scheduleTimer();
    return sent;
  }

  private int takeFromRing() {
    int taken = 0;
    long at = ring.peek();
    while (at != MessageRing.NO_ROOM && taken < MESSAGES_PER_PUMP) {
      int from = ring.bodyOffset(at);
      if (!protocol.send(ring.msgType(at), ring.memory(), from, from + ring.bodyBytes(at))) {
        if (protocol.store().failure() != null) {
          loop.schedule(storeRetry, loop.nowNanos() + STORE_RETRY_NANOS);
        }
        return taken;
      }
      ring.release(at);
      taken++;
      at = ring.peek();
    }
    return taken;
  }

  /** Writes what there is; true if all of it went to the socket, so that there is room for more. */
  private boolean write() {
    SessionConnection open = connection;
    OutputBuffer output = protocol.output();
    if (open == null || !output.hasSlice()) {
      return output.isEmpty();
    }
    if (!protocol.store().commit()) {
      loop.schedule(storeRetry, loop.nowNanos() + STORE_RETRY_NANOS);
      return false;
    }
    Connection stream = open.connection();
    stream.queue(output.takeSlice());
    stream.flush();
    if (stream.bytesWritten() != stream.bytesQueued()) {
      return false;
    }
    output.sliceWritten();
    return output.isEmpty();
  }

  /** The socket has taken all of the slice that it was given. */
  void outputWritten() {
    protocol.output().sliceWritten();
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
  }

  private void publishNumbers() {
    long out = protocol.store().nextOutbound();
    long in = protocol.store().nextInbound();
    if (out != nextOutbound) {
      nextOutbound = out;
    }
    if (in != nextInbound) {
      nextInbound = in;
    }
    boolean on = protocol.isLoggedOn();
    if (on != loggedOn) {
      loggedOn = on;
    }
  }

  // What the protocol asks.

  @Override
  public @Nullable String refuseLogon(MessageView logon) {
    SessionConnection open = connection;
    return open == null ? null : authenticator.refuse(id(), logon, open.peer());
  }

  @Override
  public void completeLogon(FieldWriter logon) {
    application.onLogonToBeSent(session, logon);
  }

  @Override
  public void onLogon() {
    loggedOn = true;
    if (reconnector != null) {
      reconnector.succeeded();
    }
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
      OutputBuffer output = protocol.output();
      Connection stream = open.connection();
      if (protocol.store().commit()) {
        stream.queue(output.rest());
      }
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
