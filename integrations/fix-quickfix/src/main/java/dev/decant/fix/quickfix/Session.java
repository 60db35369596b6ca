package dev.decant.fix.quickfix;

import dev.decant.fix.FixSession;
import dev.decant.fix.quickfix.settings.QuickFixSession;
import dev.decant.fix.settings.SessionSettings;
import java.io.IOException;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import quickfix.DataDictionary;
import quickfix.DataDictionaryProvider;
import quickfix.FieldNotFound;
import quickfix.Log;
import quickfix.Message;
import quickfix.MessageFactory;
import quickfix.SessionID;
import quickfix.SessionNotFound;
import quickfix.ValidationSettings;
import quickfix.field.ApplVerID;
import quickfix.field.BeginString;
import quickfix.field.SenderCompID;
import quickfix.field.TargetCompID;

/**
 * A session of a {@link SocketInitiator} or {@link SocketAcceptor}, in place of {@code quickfix.Session}: the same
 * static and instance methods, for those that applications call. Any thread.
 *
 * <p>{@link #reset}, {@link #setNextSenderMsgSeqNum} and {@link #setNextTargetMsgSeqNum} wait until the store has the
 * change. Within a callback of the application they return at once, and the change follows the callback.
 */
public final class Session {
  private static final ConcurrentMap<SessionID, Session> SESSIONS = new ConcurrentHashMap<>();
  /** Beyond the logout timeout, within which the counterparty may answer. */
  private static final long PATIENCE_SECONDS = 10;

  private final SessionID id;
  private final QuickFixSession section;
  private final SessionSettings settings;
  private final ConnectorParts parts;
  private final Log log;
  private final MessageConversion conversion;
  private final SessionSender sender;
  private volatile @Nullable FixSession decant;
  private volatile @Nullable Supplier<FixSession> later;
  private volatile boolean enabled = true;
  /** The application knows of the session: it may log on. */
  private volatile boolean created;
  /** The application was asked about the Logon(A) that comes next. The loop of the acceptor may set it, too. */
  private volatile boolean admitted;

  /** What the settings say of a session. */
  record Rules(QuickFixSession section, SessionSettings settings, MessageConversion conversion) {}

  Session(SessionID id, Rules rules, Log log, ConnectorParts parts) {
    this.id = id;
    this.section = rules.section();
    this.settings = rules.settings();
    this.conversion = rules.conversion();
    this.parts = parts;
    this.log = log;
    this.sender = new SessionSender(this, parts.application());
  }

  /**
   * Sends a message to the session that its header names.
   *
   * @param message with BeginString(8), SenderCompID(49) and TargetCompID(56)
   * @return as {@link #send(Message)}
   * @throws SessionNotFound if there is no such session, or a field is missing
   */
  public static boolean sendToTarget(Message message) throws SessionNotFound {
    return sendToTarget(message, "");
  }

  /**
   * Sends a message to the session that its header and a qualifier name.
   *
   * @param message with BeginString(8), SenderCompID(49) and TargetCompID(56)
   * @param qualifier SessionQualifier
   * @return as {@link #send(Message)}
   * @throws SessionNotFound if there is no such session, or a field is missing
   */
  public static boolean sendToTarget(Message message, String qualifier) throws SessionNotFound {
    return sendToTarget(message, header(message, SenderCompID.FIELD), header(message, TargetCompID.FIELD), qualifier);
  }

  /**
   * Sends a message to the session between two ends.
   *
   * @param message with BeginString(8)
   * @param senderCompID of this end
   * @param targetCompID of the counterparty
   * @return as {@link #send(Message)}
   * @throws SessionNotFound if there is no such session
   */
  public static boolean sendToTarget(Message message, String senderCompID, String targetCompID)
      throws SessionNotFound {
    return sendToTarget(message, senderCompID, targetCompID, "");
  }

  /**
   * Sends a message to the session between two ends.
   *
   * @param message with BeginString(8)
   * @param senderCompID of this end
   * @param targetCompID of the counterparty
   * @param qualifier SessionQualifier
   * @return as {@link #send(Message)}
   * @throws SessionNotFound if there is no such session
   */
  public static boolean sendToTarget(Message message, String senderCompID, String targetCompID, String qualifier)
      throws SessionNotFound {
    return sendToTarget(message,
        new SessionID(header(message, BeginString.FIELD), senderCompID, targetCompID, qualifier));
  }

  /**
   * Sends a message.
   *
   * @param message its header becomes that of the session
   * @param sessionID the session
   * @return as {@link #send(Message)}
   * @throws SessionNotFound if there is no such session
   */
  public static boolean sendToTarget(Message message, SessionID sessionID) throws SessionNotFound {
    Session session = lookupSession(sessionID);
    if (session == null) {
      throw new SessionNotFound("there is no session " + sessionID);
    }
    return session.send(message);
  }

  private static String header(Message message, int tag) throws SessionNotFound {
    try {
      return message.getHeader().getString(tag);
    } catch (FieldNotFound e) {
      throw new SessionNotFound("the header of the message has no field " + tag);
    }
  }

  /**
   * Finds a session.
   *
   * @param sessionID its identity
   * @return null if no initiator or acceptor that is started has it
   */
  public static @Nullable Session lookupSession(SessionID sessionID) {
    return SESSIONS.get(sessionID);
  }

  /**
   * Tells whether there is a session.
   *
   * @param sessionID its identity
   * @return false if no initiator or acceptor that is started has it
   */
  public static boolean doesSessionExist(SessionID sessionID) {
    return SESSIONS.containsKey(sessionID);
  }

  /**
   * How many sessions there are.
   *
   * @return those of all initiators and acceptors that are started
   */
  public static int numSessions() {
    return SESSIONS.size();
  }

  void register() {
    Session other = SESSIONS.putIfAbsent(id, this);
    if (other != null) {
      throw new IllegalStateException("another initiator or acceptor has the session " + id + " already");
    }
  }

  void unregister() {
    SESSIONS.remove(id, this);
  }

  /** The engine is about to open the session, which is found when it is needed. */
  void bindLater(Supplier<FixSession> finder) {
    later = finder;
  }

  /** The engine has opened the session. */
  void bind(FixSession opened) {
    decant = opened;
  }

  /** Tells the application of the session. */
  void create() {
    parts.application().onCreate(id);
    created = true;
  }

  boolean isCreated() {
    return created;
  }

  void admit() {
    admitted = true;
  }

  /** Whether the application was asked about the Logon(A) that has come; false for the next one. */
  boolean takeAdmitted() {
    boolean was = admitted;
    admitted = false;
    return was;
  }

  QuickFixSession section() {
    return section;
  }

  SessionSettings settings() {
    return settings;
  }

  MessageConversion conversion() {
    return conversion;
  }

  /**
   * The session of Decant's engine, for what this class does not have.
   *
   * @return the session
   * @throws IllegalStateException before the session is opened, and after its connector is stopped
   */
  public FixSession decant() {
    FixSession opened = decant;
    Supplier<FixSession> finder = later;
    if (opened == null && finder != null) {
      opened = finder.get();
      decant = opened;
    }
    if (opened == null) {
      throw new IllegalStateException("the session " + id + " is not open yet");
    }
    return opened;
  }

  /**
   * Sends a message: calls {@code toApp}, then numbers, stores and writes it on this thread. The header of the message
   * becomes that of the session, with the number that was used.
   *
   * @param message the message; PossDupFlag(43) and OrigSendingTime(122) are removed, unless AllowPosDup=Y
   * @return true if it goes to the counterparty now. False if {@code toApp} throws DoNotSend, or the session is logged
   *     out: the message is numbered and stored then, unless a reset is due, and the counterparty requests it
   * @throws IllegalStateException if it is not accepted, because the store fails or the counterparty reads too slowly
   */
  public boolean send(Message message) {
    return send(message, "Y".equals(section.value("AllowPosDup")));
  }

  /**
   * Sends a message as {@link #send(Message)}.
   *
   * @param message the message
   * @param allowPosDup whether PossDupFlag(43) and OrigSendingTime(122) stay in the message
   * @return as {@link #send(Message)}
   */
  public boolean send(Message message, boolean allowPosDup) {
    return sender.send(decant(), message, allowPosDup);
  }

  /** Lets an initiator connect and log on. */
  public void logon() {
    enabled = true;
    Future<?> unused = decant().logon();
  }

  /** Logs out; an initiator does not connect until {@link #logon}. */
  public void logout() {
    logout("");
  }

  /**
   * Logs out; an initiator does not connect until {@link #logon}.
   *
   * @param reason Text(58) of the Logout(5)
   */
  public void logout(@Nullable String reason) {
    enabled = false;
    CompletableFuture<String> unused = decant().logout(reason == null ? "" : reason);
  }

  /**
   * Logs out if need be, and begins with number 1 both ways.
   *
   * @throws IOException if the store does not take that
   */
  public void reset() throws IOException {
    await(decant().resetSequenceNumbers());
  }

  /**
   * Sets the number of the next message to be sent.
   *
   * @param num at least 1
   * @throws IOException if the store does not take it
   */
  public void setNextSenderMsgSeqNum(int num) throws IOException {
    await(decant().setNextOutbound(num));
  }

  /**
   * Sets the number of the next message expected.
   *
   * @param num at least 1
   * @throws IOException if the store does not take it
   */
  public void setNextTargetMsgSeqNum(int num) throws IOException {
    await(decant().setNextInbound(num));
  }

  private void await(CompletableFuture<?> outcome) throws IOException {
    if (parts.callbacks().isWithin()) {
      return; // the thread that would do it is this one
    }
    try {
      outcome.get(settings.logoutTimeout().toSeconds() + PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted; the change of session " + id + " goes on", e);
    } catch (TimeoutException e) {
      throw new IOException("the engine of session " + id + " is busy; the change goes on", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getCause());
    }
  }

  /**
   * The number of the next message to be sent.
   *
   * @return at least 1
   */
  public int getExpectedSenderNum() {
    return Math.toIntExact(decant().nextOutbound());
  }

  /**
   * The number of the next message expected.
   *
   * @return at least 1
   */
  public int getExpectedTargetNum() {
    return Math.toIntExact(decant().nextInbound());
  }

  /**
   * Tells whether messages go to the counterparty.
   *
   * @return true after logons both ways
   */
  public boolean isLoggedOn() {
    return decant().isLoggedOn();
  }

  boolean isOpenAndLoggedOn() {
    FixSession opened = decant;
    return opened != null && opened.isLoggedOn();
  }

  /**
   * Tells whether the session may log on.
   *
   * @return false after {@link #logout}, until {@link #logon}
   */
  public boolean isEnabled() {
    return enabled;
  }

  /**
   * Tells whether the schedule of the session is open.
   *
   * @return true from StartTime to EndTime, and always without them
   */
  public boolean isSessionTime() {
    return settings.schedule().isOpen(Instant.now());
  }

  /**
   * Tells whether there is a connection.
   *
   * @return true while there is
   */
  public boolean hasResponder() {
    return decant().isConnected();
  }

  /**
   * The log that the connector's log factory has made.
   *
   * @return the log
   */
  public Log getLog() {
    return log;
  }

  /**
   * The two ends.
   *
   * @return the identity
   */
  public SessionID getSessionID() {
    return id;
  }

  /**
   * What makes messages of received bytes.
   *
   * @return the connector's factory
   */
  public MessageFactory getMessageFactory() {
    return parts.messages();
  }

  /**
   * The dictionaries by which messages are read.
   *
   * @return null with UseDataDictionary=N
   */
  public @Nullable DataDictionaryProvider getDataDictionaryProvider() {
    return conversion.dictionaries();
  }

  /**
   * The dictionary of BeginString.
   *
   * @return null with UseDataDictionary=N
   */
  public @Nullable DataDictionary getDataDictionary() {
    DataDictionaryProvider all = conversion.dictionaries();
    return all == null ? null : all.getSessionDataDictionary(id.getBeginString());
  }

  /**
   * The checks by dictionaries.
   *
   * @return what the settings say
   */
  public ValidationSettings getValidationSettings() {
    return conversion.validation();
  }

  /**
   * The version of messages that this end sends in a FIXT.1.1 session.
   *
   * @return null in other sessions
   */
  public @Nullable ApplVerID getSenderDefaultApplicationVersionID() {
    return id.isFIXT() ? new ApplVerID(settings.defaultApplVerId()) : null;
  }

  /**
   * The version of messages that the counterparty's Logon has announced.
   *
   * @return null before a Logon, and in sessions before FIXT.1.1
   */
  public @Nullable ApplVerID getTargetDefaultApplicationVersionID() {
    return conversion.targetVersion();
  }

  @Override
  public String toString() {
    return id.toString();
  }
}
