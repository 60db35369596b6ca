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
 * A session of a {@link SocketInitiator} or {@link SocketAcceptor}, instead of {@code quickfix.Session}. It has the
 * same static and instance methods, as far as applications call them. Any thread.
 *
 * <p>{@link #reset}, {@link #setNextSenderMsgSeqNum} and {@link #setNextTargetMsgSeqNum} wait until the store has the
 * change. Within a callback of the application they return at once, and the change follows the callback.
 */
public final class Session {
  private static final ConcurrentMap<SessionID, Session> SESSIONS = new ConcurrentHashMap<>();
  /** How long to wait for the engine, in addition to the logout timeout of the counterparty. */
  private static final long EXTRA_WAIT_SECONDS = 10;

  private final SessionID id;
  private final QuickFixSession section;
  private final SessionSettings settings;
  private final ConnectorParts parts;
  private final Log log;
  private final MessageConversion conversion;
  private final SessionSender sender;
  /** The session of the engine; null before it is opened. Read by any thread. */
  private volatile @Nullable FixSession decant;
  /** Finds the session of the engine, which is about to open it; null otherwise. */
  private volatile @Nullable Supplier<FixSession> later;
  /** False from a logout of the application until its logon. */
  private volatile boolean enabled = true;
  /** True when the application knows the session, which may then log on. Written once, read by any thread. */
  private volatile boolean created;
  /**
   * True if the application has accepted the next Logon(A). Written by the owner of the session's loop, or of the
   * acceptor's loop.
   */
  private volatile boolean admitted;
  /**
   * True from the Logon(A) that this end has sent or accepted until the end of the connection. Owner of the session's
   * loop.
   */
  private boolean hasLogon;

  /** The settings of a session. */
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
   * @param message has BeginString(8), SenderCompID(49) and TargetCompID(56)
   * @return as {@link #send(Message)}
   * @throws SessionNotFound if there is no such session, or a field is missing
   */
  public static boolean sendToTarget(Message message) throws SessionNotFound {
    return sendToTarget(message, "");
  }

  /**
   * Sends a message to the session that its header and a qualifier name.
   *
   * @param message has BeginString(8), SenderCompID(49) and TargetCompID(56)
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
   * @param message has BeginString(8)
   * @param senderCompID the identifier of this end
   * @param targetCompID the identifier of the counterparty
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
   * @param message has BeginString(8)
   * @param senderCompID the identifier of this end
   * @param targetCompID the identifier of the counterparty
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
   * Sends a message to a session.
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
   * @param sessionID the identity of the session
   * @return null if no started initiator or acceptor has it
   */
  public static @Nullable Session lookupSession(SessionID sessionID) {
    return SESSIONS.get(sessionID);
  }

  /**
   * Returns true if there is a session.
   *
   * @param sessionID the identity of the session
   * @return false if no started initiator or acceptor has it
   */
  public static boolean doesSessionExist(SessionID sessionID) {
    return SESSIONS.containsKey(sessionID);
  }

  /**
   * Returns how many sessions there are.
   *
   * @return the number of sessions of all started initiators and acceptors
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

  /** Sets a finder for the session of the engine, which is about to open it. */
  void bindLater(Supplier<FixSession> finder) {
    later = finder;
  }

  /** Sets the session that the engine has opened. */
  void bind(FixSession opened) {
    decant = opened;
  }

  /** Reports the session to the application. */
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

  /** Returns true if the application has accepted the present Logon(A), and clears that for the next one. */
  boolean takeAdmitted() {
    boolean was = admitted;
    admitted = false;
    return was;
  }

  /** Notes a Logon(A) that was sent or accepted. */
  void logonExchanged() {
    hasLogon = true;
  }

  /** Returns true if the connection that has ended had a Logon(A), and clears that for the next one. */
  boolean takeLogon() {
    boolean had = hasLogon;
    hasLogon = false;
    return had;
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
   * Returns the session of Decant's engine, for actions that this class does not have.
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
   * Sends a message: calls {@code toApp}, then numbers, stores and writes the message on this thread. The header of the
   * message becomes that of the session, with the number that was used.
   *
   * @param message the message; PossDupFlag(43) and OrigSendingTime(122) are removed, unless AllowPosDup=Y
   * @return true if the message goes to the counterparty now. False if {@code toApp} throws DoNotSend, or the session
   *     is logged out. In the latter case the message is stored, unless a reset is due, and the counterparty requests
   *     it
   * @throws IllegalStateException if the message is not accepted, because the store fails or the counterparty reads too
   *     slowly
   */
  public boolean send(Message message) {
    return send(message, "Y".equals(section.value("AllowPosDup")));
  }

  /**
   * Sends a message as {@link #send(Message)} does.
   *
   * @param message the message
   * @param allowPosDup true to keep PossDupFlag(43) and OrigSendingTime(122) in the message
   * @return as {@link #send(Message)}
   */
  public boolean send(Message message, boolean allowPosDup) {
    return sender.send(decant(), message, allowPosDup);
  }

  /** Makes an initiator connect and log on. */
  public void logon() {
    enabled = true;
    Future<?> unused = decant().logon();
  }

  /** Logs out. An initiator does not connect until {@link #logon}. */
  public void logout() {
    logout("");
  }

  /**
   * Logs out. An initiator does not connect until {@link #logon}.
   *
   * @param reason Text(58) of the Logout(5)
   */
  public void logout(@Nullable String reason) {
    enabled = false;
    CompletableFuture<String> unused = decant().logout(reason == null ? "" : reason);
  }

  /**
   * Logs out if there is a connection, and resets both sequence numbers to 1.
   *
   * @throws IOException if the store refuses that
   */
  public void reset() throws IOException {
    await(decant().resetSequenceNumbers());
  }

  /**
   * Sets the number of the next message to be sent.
   *
   * @param num at least 1
   * @throws IOException if the store refuses it
   */
  public void setNextSenderMsgSeqNum(int num) throws IOException {
    await(decant().setNextOutbound(num));
  }

  /**
   * Sets the number of the next message expected.
   *
   * @param num at least 1
   * @throws IOException if the store refuses it
   */
  public void setNextTargetMsgSeqNum(int num) throws IOException {
    await(decant().setNextInbound(num));
  }

  private void await(CompletableFuture<?> outcome) throws IOException {
    if (parts.callbacks().isWithin()) {
      return; // This thread itself makes the change after the callback, so a wait would never end.
    }
    try {
      outcome.get(settings.logoutTimeout().toSeconds() + EXTRA_WAIT_SECONDS, TimeUnit.SECONDS);
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
   * Returns the number of the next message to be sent.
   *
   * @return at least 1
   */
  public int getExpectedSenderNum() {
    return Math.toIntExact(decant().nextOutbound());
  }

  /**
   * Returns the number of the next message expected.
   *
   * @return at least 1
   */
  public int getExpectedTargetNum() {
    return Math.toIntExact(decant().nextInbound());
  }

  /**
   * Returns true if messages go to the counterparty.
   *
   * @return true after the exchange of Logons
   */
  public boolean isLoggedOn() {
    return decant().isLoggedOn();
  }

  boolean isOpenAndLoggedOn() {
    FixSession opened = decant;
    return opened != null && opened.isLoggedOn();
  }

  /**
   * Returns true if the session may log on.
   *
   * @return false after {@link #logout}, until {@link #logon}
   */
  public boolean isEnabled() {
    return enabled;
  }

  /**
   * Returns true if the session is open by its schedule.
   *
   * @return true from StartTime to EndTime, and always without them
   */
  public boolean isSessionTime() {
    return settings.schedule().isOpen(Instant.now());
  }

  /**
   * Returns true if there is a connection.
   *
   * @return true while there is one
   */
  public boolean hasResponder() {
    return decant().isConnected();
  }

  /**
   * Returns the log of the session, which the connector's log factory has created.
   *
   * @return the log
   */
  public Log getLog() {
    return log;
  }

  /**
   * Returns the identity of the session.
   *
   * @return the identity
   */
  public SessionID getSessionID() {
    return id;
  }

  /**
   * Returns the factory that creates received messages.
   *
   * @return the factory of the connector
   */
  public MessageFactory getMessageFactory() {
    return parts.messages();
  }

  /**
   * Returns the dictionaries by which QuickFIX/J reads messages.
   *
   * @return null with UseDataDictionary=N
   */
  public @Nullable DataDictionaryProvider getDataDictionaryProvider() {
    return conversion.dictionaries();
  }

  /**
   * Returns the dictionary of BeginString.
   *
   * @return null with UseDataDictionary=N
   */
  public @Nullable DataDictionary getDataDictionary() {
    DataDictionaryProvider all = conversion.dictionaries();
    return all == null ? null : all.getSessionDataDictionary(id.getBeginString());
  }

  /**
   * Returns the checks by dictionaries.
   *
   * @return the settings of the session
   */
  public ValidationSettings getValidationSettings() {
    return conversion.validation();
  }

  /**
   * Returns the version of messages that this end sends in a FIXT.1.1 session.
   *
   * @return null in other sessions
   */
  public @Nullable ApplVerID getSenderDefaultApplicationVersionID() {
    return id.isFIXT() ? new ApplVerID(settings.defaultApplVerId()) : null;
  }

  /**
   * Returns the version of messages that the counterparty's Logon has announced.
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
