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
 * One session: a state machine over bytes. It is given messages, time and ends of connections, and responds by messages
 * in its {@link OutputBuffer} and by calls of its {@link SessionUser}. It knows no socket, no thread and no clock.
 *
 * <pre>
 *   connected -> Logon both ways -> messages -> Logout both ways -> closeConnection -> disconnected
 *                receive            receive, send
 * </pre>
 *
 * <p>Whoever calls it sets {@link #time()} first, and writes {@link #output()} to the connection afterwards. Owner of
 * the session only, but for {@link #out} where it says so: any thread.
 */
public final class SessionProtocol {
  private static final long NO_NUMBER = -1;
  private static final String REJECT = "3";

  /** What a session works with. */
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
  /** Of the loop: valid until the next message of any of its sessions. Another one after {@link #changeDataFields}. */
  private MessageView view;
  private final String beginString;
  /** What a counterparty of the same settings can send. */
  private final int maxInboundBytes;
  /** The number of the message being handled. */
  private long inHand = NO_NUMBER;
  private boolean resetAfterEnd;
  /** Whether the session has ended with a reset over the message being handled, which does not count any more then. */
  private boolean resetAtEnd;

  /**
   * Makes a session that is not connected.
   *
   * @param parts what it works with
   * @param user the application and the connection
   * @param validation looks at messages before they are taken; null for nobody
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

  // What the connection says.

  /**
   * A connection is there.
   *
   * @param asInitiator whether this end has connected, and sends the first Logon(A)
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
   * A frame has arrived: a message, or bytes that are none.
   *
   * @param buffer holds it, valid during the call
   * @param from index of its first byte
   * @param to index after its last byte
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

  /**
   * The connection has ended.
   *
   * @param reason why
   */
  public void disconnected(String reason) {
    end(reason);
  }

  /**
   * Asks a counterparty that is logged on for a sign of life, by a TestRequest(1), out of turn.
   */
  public void probe() {
    if (state.isLogonReceived()) {
      heartbeats.sendTestRequest();
    }
  }

  /**
   * How long the counterparty has been silent.
   *
   * @return nanoseconds since something has come, or since the connection was there
   */
  public long silenceNanos() {
    return time.nowNanos() - state.lastReceivedNanos();
  }

  /**
   * The heartbeat interval that the Logon(A) has set.
   *
   * @return nanoseconds; 0 for no heartbeats
   */
  public long heartbeatNanos() {
    return heartbeats.intervalNanos();
  }

  /** Does what is due by the time. */
  public void onTime() {
    heartbeats.onTime(time.nowNanos());
    resets.onTime(time.nowNanos());
  }

  /**
   * When {@link #onTime} is to be called, if nothing comes and nothing is sent.
   *
   * @return nanoseconds of the monotonic clock; {@link Long#MAX_VALUE} for never
   */
  public long nextDeadlineNanos() {
    long beat = heartbeats.nextDeadline();
    long reset = resets.nextDeadline();
    return reset == Heartbeats.NEVER || (beat != Heartbeats.NEVER && beat - reset < 0) ? beat : reset;
  }

  /**
   * Goes on with messages that are to be sent again, as far as the output has room. When they are all written, those
   * follow that were held back meanwhile.
   *
   * @return whether there are more
   */
  public boolean resendMore() {
    boolean more = state.isConnected() && resender.doWork();
    releaseHeld();
    return more;
  }

  /** Lets what was held back follow the messages that were sent again, if these are all written. */
  public void releaseHeld() {
    if (!resender.isActive()) {
      out.release();
    }
  }

  // What the application wants.

  /** Tells listeners and the log that the store has refused the message of a thread. */
  public void reportSendFailure() {
    reporter.storeFailed(out.sendFailure());
  }

  /**
   * Begins to log out: sends Logout(5) and waits for the counterparty's.
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
   * Ends the session at once, with a Logout(5) if there is room for it.
   *
   * @param reason goes into the message
   */
  public void abandon(String reason) {
    state.leaving();
    if (state.isLoggedOn()) {
      sendLogout(reason);
    }
    end(reason);
  }

  /**
   * Rejects an application message on behalf of the application, which then returns normally.
   *
   * @param message the message being handled
   * @param reason a value of SessionRejectReason(373)
   * @param tag the field, RefTagID(371); {@link Integer#MIN_VALUE} for none
   * @param text Text(58); null for the specification's
   */
  public void rejectFor(MessageView message, int reason, int tag, @Nullable String text) {
    rejects.reject(message, message.integer(Tag.MSG_SEQ_NUM), reason, tag, text);
  }

  /**
   * Rejects an application message on behalf of the application, for a reason of its business.
   *
   * @param message the message being handled
   * @param reason a value of BusinessRejectReason(380)
   * @param text Text(58); null for the specification's
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

  /** The engine ends: no message is taken any more, and the store is closed. */
  public void close() {
    out.close();
  }

  // What others may look at.

  /**
   * The messages to be written to the connection.
   *
   * @return the buffer
   */
  public SessionOutput output() {
    return output;
  }

  /**
   * What threads send.
   *
   * @return the messages
   */
  public OutboundMessages out() {
    return out;
  }

  /**
   * What an operator asks of the session.
   *
   * @return its actions, and what it counts
   */
  public SessionOperator operator() {
    return operator;
  }

  /**
   * Resets of both sequence numbers that this end wants.
   *
   * @return its actions
   */
  public ResetExchange resets() {
    return resets;
  }

  /**
   * The time that the session goes by, to be set before each call.
   *
   * @return the time
   */
  public SessionTime time() {
    return time;
  }

  /**
   * Tells whether messages can be sent.
   *
   * @return true after logons both ways, until a logout was sent
   */
  public boolean isLoggedOn() {
    return state.isOpened() && !state.isLogoutSent();
  }

  /**
   * Tells whether there is a connection.
   *
   * @return false before one, and after its end
   */
  public boolean isConnected() {
    return state.isConnected();
  }

  /**
   * The rules.
   *
   * @return the settings
   */
  public SessionSettings settings() {
    return settings;
  }

  /**
   * How full the store is. Any thread.
   *
   * @return the store's word
   */
  public StoreStatus storeStatus() {
    return store.status();
  }

  /**
   * Numbers and kept messages.
   *
   * @return the store
   */
  public MessageStore store() {
    return store;
  }

  /**
   * What decides by the dictionaries.
   *
   * @return the validity of messages
   */
  public Validity validity() {
    return validity;
  }

  // What the parts of the session use.

  /** Other dictionaries count from the next message on. */
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

  /** Sends what was begun by {@link OutboundMessages#beginAdmin}; false if it could not, and the session has ended. */
  boolean sendAdmin(int msgType) {
    return beginToSend(msgType) && (out.sendAdmin(msgType) || cannotSend(msgType));
  }

  boolean sendKept(int msgType) {
    return state.isConnected() && (out.sendKept(msgType) || cannotSend(msgType));
  }

  /**
   * Sends the Logon(A) that was begun; false if it could not, and the session has ended.
   *
   * @param resetFirst whether to begin with number 1 both ways: no message of another thread comes between
   */
  boolean sendLogon(boolean resetFirst) {
    if (!beginToSend(MsgType.LOGON)) {
      return false;
    }
    return resetFirst
        ? afterReset(out.resetAndSendAdmin(MsgType.LOGON))
        : out.sendAdmin(MsgType.LOGON) || cannotSend(MsgType.LOGON);
  }

  /** As {@link #sendLogon}, under number 1. False, and still connected, if another thread has taken that number. */
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
    return state.isConnected(); // the application may have sent, and its connection may be broken
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

  /** The number of the message being handled; of the last one before that otherwise. */
  long lastProcessed() {
    return inHand != NO_NUMBER ? inHand : store.nextInbound() - 1;
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
    if (type == MsgType.REJECT) { // rejects of rejects could go back and forth without end
      reporter.notice("message " + number + ", a Reject, is invalid: "
          + (text == null ? RejectReason.sessionText(reason) : text) + ", field " + tag);
    } else {
      sent = rejects.reject(message, number, reason, tag, text);
    }
    boolean counts = type != MsgType.LOGON && type != MsgType.SEQUENCE_RESET;
    return sent && (!counts || advance(message, number));
  }

  /** Rejects for a reason that this engine has found; a reject of the counterparty's is only noted, as above. */
  void rejectBusiness(MessageView message, long number, int reason, int tag) {
    if (message.msgTypeKey() == MsgType.BUSINESS_MESSAGE_REJECT) {
      reporter.notice("message " + number + ", a BusinessMessageReject, was not handled: "
          + RejectReason.businessText(reason));
    } else if (!sendBusinessReject(message, number, reason, tag, null)) {
      return; // nobody has handled it: it is to come again
    }
    advance(message, number);
  }

  void refuseLogon(String text) {
    sendLogout("Invalid Logon message: " + text);
    end("invalid Logon: " + text);
  }

  /**
   * Ends the connection of a counterparty that the application does not admit, and changes no number at either end. The
   * Logout(5) has the number of the last message that was sent, as a possible duplicate. With the next number, which is
   * not used up, the counterparty would find the number of its accepted logon's response too low.
   */
  void turnAway(String reason) {
    reporter.notice("refused a logon: " + reason);
    out.lastProcessed(lastProcessed());
    out.beginAdmin().text(Tag.TEXT, SessionText.shown(reason));
    out.resendAdmin(store.nextOutbound() - 1, MsgType.LOGOUT);
    end("refused the logon: " + reason);
  }

  /** Begins with number 1 both ways; false if the store did not take that, and the session has ended. */
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

  /** A message of this number is done with: if its turn is now, the next one is expected. */
  boolean advance(MessageView message, long number) {
    if (number != store.nextInbound() || resetAtEnd) {
      return true;
    }
    if (store.appendInbound(number, time.epochNanos(), message.buffer(), message.messageFrom(), message.messageTo())) {
      return true;
    }
    storeRefused();
    return false;
  }

  /** Ends the session, since the store does not take a change of the counterparty's number. */
  void storeRefused() {
    reporter.storeFailed(store.failure());
    end("the store takes nothing: " + store.failure());
  }

  /** The end of the connection brings numbers from 1 on. */
  void resetAtEnd() {
    resetAfterEnd = true;
  }

  void loggedOn() {
    state.opened();
    boolean lags = out.open();
    reporter.logon(heartbeats.intervalNanos());
    if (lags && !resender.isActive() && !heartbeats.sendHeartbeat()) { // the counterparty asks for what it lacks then
      return;
    }
    user.onLogon();
  }

  /** Messages of threads are taken again. The counterparty asks for those that were stored meanwhile. */
  void resumeSending() {
    if (isLoggedOn() && out.open() && !resender.isActive()) {
      boolean unused = heartbeats.sendHeartbeat();
    }
  }

  /** Ends the use of the connection, once. */
  void end(String reason) {
    if (!state.isConnected()) {
      return;
    }
    boolean counts = state.isAdmitted(); // a stranger's connection leaves the numbers as they are
    failedLogons.connectionEnds(reason);
    state.disconnect();
    gap.clear();
    resender.clear();
    heartbeats.testRequests().disconnected();
    inHand = NO_NUMBER;
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
          obeySkipped(view, number);
        }
      } else if (type == MsgType.LOGON || type == MsgType.RESEND_REQUEST) { // done when it came
        advance(view, store.nextInbound());
      } else {
        process(view);
      }
    }
  }

  private void obeySkipped(MessageView message, long number) {
    try {
      sessionMessages.obeySkipped(message, number);
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
    inHand = number;
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
    inHand = NO_NUMBER;
  }

  private static long numberOf(MessageView message) {
    try {
      return message.integer(Tag.MSG_SEQ_NUM, NO_NUMBER);
    } catch (FieldException e) {
      return NO_NUMBER;
    }
  }

  /** It is rejected in its turn. Otherwise it would come again, and end the session again, at each logon. */
  private void tooLarge(MessageView message, long number) {
    int bytes = message.messageTo() - message.messageFrom();
    String text = "a message of " + bytes + " bytes; maxMessageBytes is " + settings.maxMessageBytes();
    if (message.msgTypeKey() == MsgType.LOGON) {
      refuseLogon(text);
    } else if (verifier.verify(message, number, true, true)
        && rejects.reject(message, number, RejectReason.OTHER, RejectMessages.NO_TAG, text)
        && number == store.nextInbound() && !store.setNextInbound(number + 1, time.epochNanos())) {
      reporter.storeFailed(store.failure()); // the body is not stored: the store may have a bound of its own
      end("the store takes nothing: " + store.failure());
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
    } catch (Throwable e) { // also an Error: without a reject, the message would come again at each logon
      UserFailure.survive("the application failed over message " + number + " of " + settings.id(), e);
      reporter.notice("the application failed over message " + number + ": " + UserFailure.shown(e));
      rejectBusiness(message, number, RejectReason.BUSINESS_APPLICATION_NOT_AVAILABLE, RejectMessages.NO_TAG);
      return;
    }
    advance(message, number);
  }
}
