package dev.decant.fix.session;

import dev.decant.fix.event.SessionEvents;
import dev.decant.fix.log.MessageLog;
import dev.decant.fix.message.DataFields;
import dev.decant.fix.message.FieldException;
import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.RejectReason;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.status.StoreStatus;
import dev.decant.fix.store.MessageStore;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The state machine of one session, over bytes. Its owner passes in messages, times and ends of connections. The
 * session responds by bytes in its {@link SessionOutput} and by calls of its {@link SessionUser}. It has no socket,
 * thread or clock.
 *
 * <pre>
 *   connected -> Logon both ways -> messages -> Logout both ways -> closeConnection -> disconnected
 *                receive            receive, send
 * </pre>
 *
 * <p>Before each call, the caller sets {@link #time()}. After each call, it writes {@link #output()} to the connection.
 * Only the owner of the session calls these methods. The exception is {@link #out}, which says what any thread may
 * call.
 */
public final class SessionProtocol {
  private static final long NO_NUMBER = -1;
  private static final String REJECT = "3";

  /** The parts that a session gets from its engine and its loop. */
  public record Parts(SessionSettings settings, MessageStore store, MessageLog log, SessionEvents events,
      SessionTime time, LoopMemory memory) {}

  private final SessionSettings settings;
  private final GuardedStore store;
  private final SessionTime time;
  private final SessionUser user;
  private final Callbacks callbacks;
  private final Validity validity;
  private final Departure departure;
  private final SessionOutput output;
  private final SessionReporter reporter;
  private final OutboundMessages out;
  private final SessionState state = new SessionState();
  private final MessageVerifier verifier;
  private final LogonExchange logons;
  private final GapRecovery gap;
  private final Resender resender;
  private final RejectMessages rejects;
  private final Heartbeats heartbeats;
  private final SessionMessages sessionMessages;
  private final SessionOperator operator;
  private final ResetExchange resets;
  private final FailedLogons failedLogons;
  private final LoopMemory memory;
  /**
   * The message being handled. The sessions of a loop share it, so it is valid until the next message of any of them.
   * {@link #changeDataFields} replaces it.
   */
  private MessageView view;
  private final String beginString;
  /** The longest message that is accepted: {@code maxMessageBytes} of body, with the longest header of this session. */
  private final int maxInboundBytes;
  /** MsgSeqNum(34) of the message being handled; {@link #NO_NUMBER} between messages. */
  private long currentNumber = NO_NUMBER;
  /** True if the end of the connection must reset both numbers. */
  private boolean resetAfterEnd;
  /**
   * True if the session ended with a reset while it handled the present message. The number of that message belongs to
   * the time before the reset, so it must not be counted.
   */
  private boolean resetAtEnd;

  /**
   * Creates a session without a connection.
   *
   * @param validation checks messages before they are accepted; null if the session has no dictionary
   */
  public SessionProtocol(Parts parts, SessionUser user, @Nullable Validation validation) {
    this.settings = parts.settings();
    this.time = parts.time();
    this.user = user;
    this.callbacks = new Callbacks(user, settings.id(), parts.memory().adminBodies());
    this.memory = parts.memory();
    this.view = memory.view(settings.dataFields(), settings.weakTimestamps());
    this.reporter = new SessionReporter(settings.id(), parts.log(), parts.events(), time);
    this.validity = new Validity(this, state, settings, validation);
    SessionLock lock = new SessionLock();
    this.store = new GuardedStore(lock, parts.store());
    this.out = new OutboundMessages(settings, lock, parts.store(), store, time, memory);
    this.departure = new Departure(out, reporter, callbacks, settings.dataFields());
    this.output = out.output(departure);
    this.maxInboundBytes = out.maxBytes(settings.maxMessageBytes());
    this.verifier = new MessageVerifier(this, state, settings);
    this.logons = new LogonExchange(this, state, settings);
    this.gap = new GapRecovery(this, settings);
    this.resender = new Resender(this, settings);
    this.rejects = new RejectMessages(this, settings);
    this.heartbeats = new Heartbeats(this, state, settings);
    this.sessionMessages = new SessionMessages(this, state, settings);
    this.operator = new SessionOperator(this, state);
    this.resets = new ResetExchange(this, state, settings);
    this.failedLogons = new FailedLogons(this, state);
    this.beginString = settings.id().beginString();
  }

  // Events of the connection.

  /**
   * Starts the session on a new connection.
   *
   * @param asInitiator true if this end has connected: it sends the first Logon(A)
   */
  public void connected(boolean asInitiator) {
    output.clear();
    out.connected();
    state.connect(asInitiator, time.nowNanos());
    if (asInitiator) {
      heartbeats.interval(settings.heartbeatInterval().toSeconds());
      logons.initiate();
    }
  }

  /**
   * Handles one frame, which is a message or garbled bytes.
   *
   * @param buffer holds the frame; it is read during the call only
   */
  public void receive(ByteBuffer buffer, int from, int to) {
    if (!state.isConnected()) {
      return;
    }
    reporter.inbound(buffer, from, to);
    int problem = view.parse(buffer, from, to, settings.validateCheckSum());
    if (problem != MessageView.OK) {
      garbled(problem);
      return;
    }
    state.received(time.nowNanos());
    process(view);
    takeQueued();
  }

  /** Ends the session, because its connection has ended. */
  public void disconnected(String reason) {
    end(reason);
  }

  /**
   * Notes that an ended connection writes no more of its output. Reports accepted messages that no socket was given, if
   * a reset has discarded them. Further calls have no effect.
   *
   * @param rest the messages that were not written when the session ended
   * @param bytesLeft how many bytes the connection has not written
   */
  public void restEnded(OutputRest rest, long bytesLeft) {
    if (rest.end()) {
      UnsentMessages lost = rest.unsent(bytesLeft);
      if (!lost.isEmpty() && out.restLost(rest, lost)) {
        reporter.discarded(lost);
      }
    }
  }

  /** Sends a TestRequest(1) to a counterparty that is logged on, before the silence requires one. */
  public void probe() {
    if (state.isLogonReceived()) {
      heartbeats.sendTestRequest();
    }
  }

  /** Returns the nanoseconds since the last message arrived, or since the connection began if none has. */
  public long silenceNanos() {
    return time.nowNanos() - state.lastReceivedNanos();
  }

  /** Returns the heartbeat interval of the Logon(A) in nanoseconds; 0 if there are no heartbeats. */
  public long heartbeatNanos() {
    return heartbeats.intervalNanos();
  }

  /** Runs the actions whose time has come. */
  public void onTime() {
    heartbeats.onTime(time.nowNanos());
    resets.onTime(time.nowNanos());
  }

  /**
   * Returns the next time at which {@link #onTime} has work, if no message is received or sent before. It is in
   * nanoseconds of the monotonic clock; {@link Long#MAX_VALUE} if there is none.
   */
  public long nextDeadlineNanos() {
    long beat = heartbeats.nextDeadline();
    long reset = resets.nextDeadline();
    return reset == Heartbeats.NEVER || (beat != Heartbeats.NEVER && beat - reset < 0) ? beat : reset;
  }

  /**
   * Resends further messages while the output has room. After the last of them, it releases the messages that were held
   * back during the replay. Returns true if there are more messages to resend.
   */
  public boolean resendMore() {
    boolean more = state.isConnected() && resender.doWork();
    releaseHeld();
    return more;
  }

  /** Releases the messages that a replay has held back, if all resent messages are written. */
  public void releaseHeld() {
    if (!resender.isActive()) {
      out.release();
    }
  }

  // Requests of the application.

  /** Reports to listeners and to the log that the store has refused the message of a thread. */
  public void reportSendFailure() {
    reporter.storeFailed(out.sendFailure());
  }

  /**
   * Sends Logout(5) and waits for the Logout(5) of the counterparty. Without a logon, it ends the connection at once.
   *
   * @param text Text(58) of the message; empty for none
   */
  public void logout(String text) {
    state.leaving();
    if (state.isLoggedOn() && !state.isLogoutSent()) {
      sendLogout(text);
    } else if (!state.isLogoutSent()) {
      end(text.isEmpty() ? "logged out" : "logged out: " + text);
    }
  }

  /**
   * Ends the session at once, and sends a Logout(5) before if there is room for it.
   *
   * @param reason Text(58) of the Logout(5)
   */
  public void abandon(String reason) {
    state.leaving();
    if (state.isLoggedOn()) {
      sendLogout(reason);
    }
    end(reason);
  }

  /**
   * Rejects an application message for the application, which returns normally from its callback.
   *
   * @param message the message being handled
   * @param reason a value of SessionRejectReason(373)
   * @param tag RefTagID(371), the field that is wrong; {@link Integer#MIN_VALUE} for none
   * @param text Text(58); null for the text of the specification
   */
  public void rejectFor(MessageView message, int reason, int tag, @Nullable String text) {
    rejects.reject(message, message.integer(Tag.MSG_SEQ_NUM), reason, tag, text);
  }

  /**
   * Rejects an application message for the application, by a BusinessMessageReject(j) where the version has one.
   *
   * @param message the message being handled
   * @param reason a value of BusinessRejectReason(380)
   * @param text Text(58); null for the text of the specification
   */
  public void rejectBusinessFor(MessageView message, int reason, @Nullable String text) {
    sendBusinessReject(message, message.integer(Tag.MSG_SEQ_NUM), reason, RejectMessages.NO_TAG, text);
  }

  private boolean sendBusinessReject(MessageView message, long number, int reason, int tag, @Nullable String text) {
    return rejects.hasBusinessReject()
        ? rejects.rejectBusiness(message, number, reason, tag, text)
        : rejects.reject(message, number, RejectMessages.NO_REASON, RejectMessages.NO_TAG,
            text == null ? RejectReason.businessText(reason) : text);
  }

  /** Closes the store when the engine closes. The session accepts no message after that. */
  public void close() {
    out.close();
  }

  // Parts and state of the session for the engine.

  /** Returns the messages that wait to be written to the connection. */
  public SessionOutput output() {
    return output;
  }

  /** Returns the part that numbers and stores messages of all threads. */
  public OutboundMessages out() {
    return out;
  }

  /** Returns the actions of operators, and the session's counters. */
  public SessionOperator operator() {
    return operator;
  }

  /** Returns the part that resets both sequence numbers when this end requests it. */
  public ResetExchange resets() {
    return resets;
  }

  /** Returns the time of the session, which the caller sets before each call. */
  public SessionTime time() {
    return time;
  }

  /** Returns true from the exchange of Logons until this end sends its Logout(5): messages can be sent. */
  public boolean isLoggedOn() {
    return state.isOpened() && !state.isLogoutSent();
  }

  public boolean isConnected() {
    return state.isConnected();
  }

  public SessionSettings settings() {
    return settings;
  }

  /** Returns how full the store is. Any thread. */
  public StoreStatus storeStatus() {
    return store.status();
  }

  public MessageStore store() {
    return store;
  }

  /** Returns the part that checks messages by the dictionaries. */
  public Validity validity() {
    return validity;
  }

  // Parts of the session, and what these parts call.

  /** Parses messages by these data fields, from the next message on. */
  void changeDataFields(DataFields dataFields) {
    view = memory.view(dataFields, settings.weakTimestamps());
    departure.dataFields(dataFields);
    resender.dataFields(dataFields);
  }

  SessionReporter reporter() {
    return reporter;
  }

  MessageVerifier verifier() {
    return verifier;
  }

  LogonExchange logons() {
    return logons;
  }

  GapRecovery gap() {
    return gap;
  }

  Resender resender() {
    return resender;
  }

  Heartbeats heartbeats() {
    return heartbeats;
  }

  Callbacks callbacks() {
    return callbacks;
  }

  SessionUser user() {
    return user;
  }

  /**
   * Sends the message that {@link OutboundMessages#beginAdmin} began. Returns false if it could not be sent; then the
   * session has ended.
   */
  boolean sendAdmin(int msgType) {
    return beginToSend(msgType) && (out.sendAdmin(msgType) || cannotSend(msgType));
  }

  boolean sendKept(int msgType) {
    return state.isConnected() && (out.sendKept(msgType) || cannotSend(msgType));
  }

  /**
   * Sends the Logon(A) that was begun. Returns false if it could not be sent; then the session has ended.
   *
   * @param resetFirst true to reset both numbers to 1 in the same step, so that no message of another thread comes
   *     between
   */
  boolean sendLogon(boolean resetFirst) {
    if (!beginToSend(MsgType.LOGON)) {
      return false;
    }
    return resetFirst
        ? afterReset(out.resetAndSendAdmin(MsgType.LOGON))
        : out.sendAdmin(MsgType.LOGON) || cannotSend(MsgType.LOGON);
  }

  /**
   * Sends the Logon(A) that was begun if its number is 1. Returns false if another thread has used number 1; then the
   * connection stays. It also returns false if the session has ended.
   */
  boolean sendFirstLogon() {
    if (!beginToSend(MsgType.LOGON)) {
      return false;
    }
    long number = out.sendAdminAs(MsgType.LOGON, 1);
    return number > 0 || (number != OutboundMessages.SHUT && cannotSend(MsgType.LOGON));
  }

  private boolean beginToSend(int msgType) {
    if (!state.isConnected()) {
      return false;
    }
    callbacks.completeAdmin(msgType, out.adminBody());
    out.lastProcessed(lastProcessed());
    // The application may have sent a message in its callback, on a broken connection: then the session has ended.
    return state.isConnected();
  }

  private boolean cannotSend(int msgType) {
    if (state.isConnected()) {
      String cause = store.failure() == null
          ? "the counterparty reads too slowly, the output is full"
          : "the store takes nothing: " + store.failure();
      end("MsgType " + MsgType.text(msgType) + " cannot be sent: " + cause);
    }
    return false;
  }

  /** Returns the number of the message being handled; between messages, the number of the last one that was handled. */
  long lastProcessed() {
    return currentNumber != NO_NUMBER ? currentNumber : store.nextInbound() - 1;
  }

  void sendLogout(String text) {
    FieldWriter logout = out.beginAdmin();
    if (!text.isEmpty()) {
      logout.text(Tag.TEXT, text);
    }
    boolean resetFollows = settings.resetOnLogout() || settings.resetOnDisconnect() || resetAfterEnd;
    if (beginToSend(MsgType.LOGOUT) && (out.sendLast(MsgType.LOGOUT, resetFollows) || cannotSend(MsgType.LOGOUT))) {
      state.logoutSent(time.nowNanos());
    }
  }

  boolean reject(MessageView message, long number, int reason, int tag, @Nullable String text) {
    int type = message.msgTypeKey();
    boolean sent = true;
    // A Reject is never rejected: two engines could reject each other's rejects without end.
    if (type == MsgType.REJECT) {
      reporter.notice("message " + number + ", a Reject, is invalid: "
          + (text == null ? RejectReason.sessionText(reason) : text) + ", field " + tag);
    } else {
      sent = rejects.reject(message, number, reason, tag, text);
    }
    boolean counts = type != MsgType.LOGON && type != MsgType.SEQUENCE_RESET;
    return sent && (!counts || advance(message, number));
  }

  /**
   * Rejects a message for a reason that this engine has found. A BusinessMessageReject is only logged, see
   * {@link #reject}.
   */
  void rejectBusiness(MessageView message, long number, int reason, int tag) {
    if (message.msgTypeKey() == MsgType.BUSINESS_MESSAGE_REJECT) {
      reporter.notice("message " + number + ", a BusinessMessageReject, was not handled: "
          + RejectReason.businessText(reason));
    } else if (!sendBusinessReject(message, number, reason, tag, null)) {
      // The reject was not sent, so the message does not count, and the counterparty sends it again. When it counted,
      // it was lost, and its sender did not hear of it.
      return;
    }
    advance(message, number);
  }

  void refuseLogon(String text) {
    sendLogout("Invalid Logon message: " + text);
    end("invalid Logon: " + text);
  }

  /**
   * Ends the connection of a counterparty that the authenticator refuses, and changes no number at either end. The
   * Logout(5) repeats the last number that was sent, as a possible duplicate. A new number would be used up at the
   * counterparty only. It would then find the response to its next valid logon too low.
   */
  void endUnadmitted(String reason) {
    reporter.notice("refused a logon: " + reason);
    out.lastProcessed(lastProcessed());
    out.beginAdmin().text(Tag.TEXT, SessionText.shown(reason));
    out.resendAdmin(store.nextOutbound() - 1, MsgType.LOGOUT);
    end("refused the logon: " + reason);
  }

  /** Resets both numbers to 1. Returns false if the store refused that; then the session has ended. */
  boolean reset() {
    return afterReset(out.reset());
  }

  private boolean afterReset(boolean isDone) {
    if (!isDone) {
      reporter.storeFailed(store.failure());
      user.onReset(false);
      end("the store cannot be reset");
      return false;
    }
    gap.clear();
    resender.clear();
    reporter.discarded(out.takeDiscarded());
    reporter.reset();
    user.onReset(true);
    return true;
  }

  /**
   * Counts a message as handled if its number is the expected one. Returns false if the store refused that; then the
   * session has ended.
   */
  boolean advance(MessageView message, long number) {
    if (number != store.nextInbound() || resetAtEnd) {
      return true;
    }
    if (isKept(message, number)) {
      gap.taken(number); // A message that was rejected before the check of its number counts here for the first time.
      return true;
    }
    storeRefused();
    return false;
  }

  /**
   * Counts a message, and stores it if the store keeps received messages. One that is too large for the store counts,
   * too: uncounted, it would come again at each logon, and end each connection.
   */
  private boolean isKept(MessageView message, long number) {
    try {
      return store.appendInbound(number, time.epochNanos(), message.buffer(), message.messageFrom(),
          message.messageTo());
    } catch (IllegalArgumentException e) {
      reporter.notice("message " + number + " counts, and is not kept: " + e.getMessage());
      return store.setNextInbound(number + 1, time.epochNanos());
    }
  }

  /** Ends the session, because the store has refused a change of the inbound number. */
  void storeRefused() {
    reporter.storeFailed(store.failure());
    end("the store takes nothing: " + store.failure());
  }

  /** Makes the end of the connection reset both numbers to 1. */
  void resetAtEnd() {
    resetAfterEnd = true;
  }

  void loggedOn() {
    state.opened();
    boolean lags = out.open();
    reporter.logon(heartbeats.intervalNanos());
    // Threads have stored messages since our Logon(A). Nothing else shows them to the counterparty: an order could wait
    // for a heartbeat interval, or for ever without heartbeats. The Heartbeat's number makes the counterparty request
    // them.
    if (lags && !resender.isActive() && !heartbeats.sendHeartbeat()) {
      return;
    }
    user.onLogon();
  }

  /**
   * Accepts messages of threads again, after a reset without a logout. A Heartbeat makes the counterparty request the
   * ones that were only stored meanwhile.
   */
  void resumeSending() {
    if (isLoggedOn() && out.open() && !resender.isActive()) {
      boolean unused = heartbeats.sendHeartbeat();
    }
  }

  /** Ends the use of the connection. Further calls have no effect. */
  void end(String reason) {
    if (!state.isConnected()) {
      return;
    }
    // A connection that is not admitted must not reset the numbers: anybody can connect.
    boolean counts = state.isAdmitted();
    failedLogons.connectionEnds(reason);
    state.disconnect();
    gap.clear();
    resender.clear();
    heartbeats.testRequests().disconnected();
    currentNumber = NO_NUMBER;
    if ((counts && settings.resetOnDisconnect()) || resetAfterEnd) {
      resetAfterEnd = false;
      resetAtEnd = afterReset(out.shutAndReset());
    } else {
      out.shut();
    }
    resets.ended(reason);
    reporter.disconnect(reason);
    user.closeConnection(reason);
    out.disconnected();
  }

  private void garbled(int problem) {
    String words = MessageView.problem(problem);
    long number = settings.rejectGarbled() && state.isLoggedOn() ? numberOfGarbled() : 0;
    if (number > 0 && !view.contentEquals(Tag.MSG_TYPE, REJECT)) {
      reject(view, number, RejectMessages.NO_REASON, RejectMessages.NO_TAG, "Message failed basic validity check");
      return;
    }
    reporter.garbled(words);
    if (!state.isLogonReceived()) {
      end("the first message is garbled: " + words);
    }
  }

  private long numberOfGarbled() {
    try {
      return view.integer(Tag.MSG_SEQ_NUM, 0);
    } catch (FieldException e) {
      return 0;
    }
  }

  private void takeQueued() {
    GapQueue queue = gap.queue();
    while (state.isConnected() && !queue.isEmpty() && queue.firstNumber() <= store.nextInbound()) {
      long number = queue.firstNumber();
      int problem = view.parse(queue.memory(), queue.firstFrom(), queue.firstTo(), settings.validateCheckSum());
      queue.removeFirst();
      int type = view.msgTypeKey();
      if (problem != MessageView.OK) {
        return;
      }
      if (number != store.nextInbound()) {
        if (gap.isSkipped(number)) {
          handleSkipped(view, number);
        }
      } else if (type == MsgType.LOGON || type == MsgType.RESEND_REQUEST) {
        // A Logon or ResendRequest was handled when it arrived, before its turn.
        advance(view, store.nextInbound());
      } else {
        process(view);
      }
    }
  }

  private void handleSkipped(MessageView message, long number) {
    try {
      sessionMessages.handleSkipped(message, number);
    } catch (FieldException e) {
      reporter.notice("message " + number + ", which a gap fill has replaced, is invalid: " + e.getMessage());
    }
  }

  private void process(MessageView message) {
    long number = numberOf(message);
    if (number < 0) {
      if (!state.isAdmitted()) {
        end("the first message has no MsgSeqNum");
        return;
      }
      sendLogout("Received message without MsgSeqNum");
      end("a message without MsgSeqNum came");
      return;
    }
    currentNumber = number;
    resetAtEnd = false;
    try {
      if (!message.valueEquals(message.firstField(), beginString)) {
        wrongVersion(message, number);
      } else if (message.messageTo() - message.messageFrom() > maxInboundBytes) {
        tooLarge(message, number);
      } else if (logons.admits(message) && validity.isValid(message, number)) {
        dispatch(message, number);
      }
    } catch (FieldException e) {
      badField(message, number, e);
    }
    validity.handled(message, number);
    currentNumber = NO_NUMBER;
  }

  private static long numberOf(MessageView message) {
    try {
      return message.integer(Tag.MSG_SEQ_NUM, NO_NUMBER);
    } catch (FieldException e) {
      return NO_NUMBER;
    }
  }

  /**
   * Rejects a message above the limit when its number is due, and counts it. Uncounted, the counterparty would send it
   * again after each logon, and the session would end each time.
   */
  private void tooLarge(MessageView message, long number) {
    int bytes = message.messageTo() - message.messageFrom();
    String text = "a message of " + bytes + " bytes; maxMessageBytes is " + settings.maxMessageBytes();
    if (message.msgTypeKey() == MsgType.LOGON) {
      tooLargeLogon(text);
    } else if (verifier.verify(message, number, true, true)
        && rejects.reject(message, number, RejectReason.OTHER, RejectMessages.NO_TAG, text)
        && number == store.nextInbound() && !store.setNextInbound(number + 1, time.epochNanos())) {
      reporter.storeFailed(store.failure()); // The body is not stored, because the store may have a limit of its own.
      end("the store takes nothing: " + store.failure());
    }
  }

  private void tooLargeLogon(String text) {
    if (state.isAdmitted()) {
      refuseLogon(text);
    } else {
      endUnadmitted(text); // The authenticator has not seen this Logon, which must not change a number.
    }
  }

  private void wrongVersion(MessageView message, long number) {
    if (message.msgTypeKey() == MsgType.LOGOUT) {
      sessionMessages.receive(MsgType.LOGOUT, message, number);
      return;
    }
    String text = "Incorrect BeginString, expecting " + beginString;
    sendLogout(text);
    advance(message, number);
    end(text);
  }

  private void badField(MessageView message, long number, FieldException e) {
    int type = message.msgTypeKey();
    if (!state.isConnected()) {
      return;
    }
    if (type == MsgType.LOGON) {
      if (e.reason() == RejectReason.REQUIRED_TAG_MISSING) {
        end("a required field is missing from the Logon: " + e.getMessage());
      } else {
        refuseLogon(String.valueOf(e.getMessage()));
      }
    } else if (!state.isLogonReceived()) {
      end("a message came before a Logon");
    } else if (e.reason() == RejectReason.REQUIRED_TAG_MISSING && !MsgType.isAdmin(type)
        && rejects.hasBusinessReject()) {
      rejectBusiness(message, number, RejectReason.BUSINESS_CONDITIONALLY_REQUIRED_FIELD_MISSING, e.tag());
    } else {
      reject(message, number, e.reason(), e.tag(), null);
    }
  }

  private void dispatch(MessageView message, long number) {
    int type = message.msgTypeKey();
    if (type == MsgType.LOGON) {
      logons.receive(message, number);
    } else if (MsgType.isAdmin(type)) {
      sessionMessages.receive(type, message, number);
    } else {
      receiveApplication(message, number);
    }
  }

  private void receiveApplication(MessageView message, long number) {
    if (!verifier.verify(message, number, true, true)) {
      return;
    }
    try {
      user.onMessage(message);
    } catch (FieldException e) {
      throw e;
    } catch (Throwable e) { // Errors are caught, too: without a reject, the message would come again at each logon.
      UserFailure.survive("the application failed over message " + number + " of " + settings.id(), e);
      reporter.notice("the application failed over message " + number + ": " + UserFailure.shown(e));
      rejectBusiness(message, number, RejectReason.BUSINESS_APPLICATION_NOT_AVAILABLE, RejectMessages.NO_TAG);
      return;
    }
    advance(message, number);
  }
}
