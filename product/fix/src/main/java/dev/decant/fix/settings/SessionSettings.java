package dev.decant.fix.settings;

import dev.decant.fix.dictionary.Dictionary;
import dev.decant.fix.dictionary.ValidationSettings;
import dev.decant.fix.message.DataFields;
import dev.decant.fix.schedule.SessionSchedule;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The rules of one session. Immutable; made by a {@link SessionSettingsBuilder}, which checks each value where it is
 * set.
 *
 * <p>Names follow QuickFIX where it has the setting.
 */
public final class SessionSettings {
  private final SessionId id;
  private final @Nullable Dictionary dictionary;
  private final Map<String, Dictionary> applicationDictionaries;
  private final DataFields dataFields;
  private final Duration heartbeatInterval;
  private final Duration logonTimeout;
  private final Duration logoutTimeout;
  private final Duration sendTimeout;
  private final Duration slowAfter;
  private final Duration slowTimeout;
  private final boolean resetOnLogon;
  private final boolean resetOnLogout;
  private final boolean resetOnDisconnect;
  private final boolean checkCompIds;
  private final boolean checkSubIds;
  private final AddressRules addressRules;
  private final Duration maxLatency;
  private final boolean checkLatency;
  private final boolean weakTimestamps;
  private final boolean validateCheckSum;
  private final boolean rejectGarbled;
  private final boolean requireOrigSendingTime;
  private final boolean rejectInvalid;
  private final boolean closedResendRange;
  private final int resendRequestChunk;
  private final boolean redundantResendRequests;
  private final int resendLimit;
  private final int gapQueueBytes;
  private final boolean nextExpectedMsgSeqNum;
  private final boolean lastMsgSeqNumProcessed;
  private final TimestampPrecision timestampPrecision;
  private final String defaultApplVerId;
  private final ValidationSettings validation;
  private final BackPressure backPressure;
  private final boolean sendWhileLoggedOut;
  private final SessionSchedule schedule;
  private final WhileClosed whileClosed;
  private final int ringBytes;
  private final int outputBytes;
  private final int maxMessageBytes;

  SessionSettings(SessionSettingsBuilder builder) {
    id = builder.id;
    dictionary = builder.dictionary;
    applicationDictionaries = Map.copyOf(builder.applicationDictionaries);
    dataFields = dataFields(builder);
    heartbeatInterval = builder.heartbeatInterval;
    logonTimeout = builder.logonTimeout;
    logoutTimeout = builder.logoutTimeout;
    sendTimeout = builder.sendTimeout;
    slowAfter = builder.slowAfter;
    slowTimeout = builder.slowTimeout;
    resetOnLogon = builder.resetOnLogon;
    resetOnLogout = builder.resetOnLogout;
    resetOnDisconnect = builder.resetOnDisconnect;
    checkCompIds = builder.checkCompIds;
    checkSubIds = builder.checkSubIds;
    addressRules = builder.addressRules;
    maxLatency = builder.maxLatency;
    checkLatency = builder.checkLatency;
    weakTimestamps = builder.weakTimestamps;
    validateCheckSum = builder.validateCheckSum;
    rejectGarbled = builder.rejectGarbled;
    requireOrigSendingTime = builder.requireOrigSendingTime;
    rejectInvalid = builder.rejectInvalid;
    closedResendRange = builder.closedResendRange;
    resendRequestChunk = builder.resendRequestChunk;
    redundantResendRequests = builder.redundantResendRequests;
    resendLimit = builder.resendLimit;
    gapQueueBytes = builder.gapQueueBytes;
    nextExpectedMsgSeqNum = builder.nextExpectedMsgSeqNum;
    lastMsgSeqNumProcessed = builder.lastMsgSeqNumProcessed;
    timestampPrecision = builder.timestampPrecision;
    defaultApplVerId = builder.defaultApplVerId;
    validation = builder.validation;
    backPressure = builder.backPressure;
    sendWhileLoggedOut = builder.sendWhileLoggedOut;
    schedule = builder.schedule;
    whileClosed = builder.whileClosed;
    ringBytes = builder.ringBytes();
    outputBytes = builder.outputBytes();
    maxMessageBytes = builder.maxMessageBytes;
  }

  /** The dictionary of {@link #defaultApplVerId()} comes last, so its fields count where dictionaries differ. */
  private static DataFields dataFields(SessionSettingsBuilder builder) {
    DataFields all = DataFields.standard();
    for (Dictionary application : new TreeMap<>(builder.applicationDictionaries).values()) {
      all = all.with(application.dataFields());
    }
    Dictionary session = builder.dictionary;
    if (session != null) {
      all = all.with(session.dataFields());
    }
    Dictionary main = builder.applicationDictionaries.get(builder.defaultApplVerId);
    return main == null ? all : all.with(main.dataFields());
  }

  /**
   * Begins the settings of a session, with the default of each.
   *
   * @param id the two ends
   * @return a builder
   */
  public static SessionSettingsBuilder of(SessionId id) {
    return new SessionSettingsBuilder(id);
  }

  /**
   * The two ends.
   *
   * @return the identity
   */
  public SessionId id() {
    return id;
  }

  /**
   * What messages are validated by: the dictionary of the session's version, that of FIXT.1.1 for its messages of the
   * session layer. Default none: messages are not validated.
   *
   * @return null for none
   */
  public @Nullable Dictionary dictionary() {
    return dictionary;
  }

  /**
   * What application messages of a FIXT.1.1 session are validated by. The one that counts is that of the
   * DefaultApplVerID(1137) of the counterparty's Logon(A).
   *
   * @return by ApplVerID(1128), for example 9 for FIX.5.0SP2
   */
  public Map<String, Dictionary> applicationDictionaries() {
    return applicationDictionaries;
  }

  /**
   * Which fields of the session's messages hold data, bytes that may include the delimiter. All parts of the session go
   * by this: what it receives, what it sends again, and what the application prepares.
   *
   * @return those of the specification and of all dictionaries of the session
   */
  public DataFields dataFields() {
    return dataFields;
  }

  /**
   * HeartBtInt(108) that an initiator asks for; an acceptor takes what it is asked for. Whole seconds; zero sends no
   * heartbeats. Default 30 s.
   *
   * @return the setting
   */
  public Duration heartbeatInterval() {
    return heartbeatInterval;
  }

  /**
   * How long a connection may go without a Logon(A) from the counterparty. Default 10 s.
   *
   * @return the setting
   */
  public Duration logonTimeout() {
    return logonTimeout;
  }

  /**
   * How long to wait for the counterparty's Logout(5) before the connection is closed. Default 2 s.
   *
   * @return the setting
   */
  public Duration logoutTimeout() {
    return logoutTimeout;
  }

  /**
   * How long a sender waits for room in the outgoing buffer, with {@link BackPressure#WAIT}. Default 10 s.
   *
   * @return the setting
   */
  public Duration sendTimeout() {
    return sendTimeout;
  }

  /**
   * How long messages may wait for a counterparty that reads slowly before listeners hear of it
   * ({@link dev.decant.fix.event.SessionListener#onSlowCounterparty}). Default 1 s; zero for never.
   *
   * @return the setting
   */
  public Duration slowAfter() {
    return slowAfter;
  }

  /**
   * How long a counterparty may take nothing of what waits for it before the session ends. Default zero: for ever,
   * while it sends heartbeats.
   *
   * @return the setting
   */
  public Duration slowTimeout() {
    return slowTimeout;
  }

  /**
   * Whether numbers begin with 1 at each logon. Default false.
   *
   * @return the setting
   */
  public boolean resetOnLogon() {
    return resetOnLogon;
  }

  /**
   * Whether numbers begin with 1 after a logout in good order. Default false.
   *
   * @return the setting
   */
  public boolean resetOnLogout() {
    return resetOnLogout;
  }

  /**
   * Whether numbers begin with 1 after each end of the connection. Default false.
   *
   * @return the setting
   */
  public boolean resetOnDisconnect() {
    return resetOnDisconnect;
  }

  /**
   * Whether SenderCompID(49) and TargetCompID(56) of each message must be those of the session. Default true.
   *
   * @return the setting
   */
  public boolean checkCompIds() {
    return checkCompIds;
  }

  /**
   * Whether the SubIDs and LocationIDs of each message must be those of the session, where the {@link SessionId} has
   * them. Counterparties may name a desk or a trader by them in single messages. Default false.
   *
   * @return the setting
   */
  public boolean checkSubIds() {
    return checkSubIds;
  }

  /**
   * From which addresses an acceptor's session may be logged on to. Default all.
   *
   * @return the setting
   */
  public AddressRules addressRules() {
    return addressRules;
  }

  /**
   * How far SendingTime(52) may be from now; zero does not look at it. Default 120 s.
   *
   * @return the setting
   */
  public Duration maxLatency() {
    return maxLatency;
  }

  /**
   * Whether a message is rejected whose SendingTime(52) is further from now than {@link #maxLatency()}. Otherwise such
   * messages are let through and counted. Default true.
   *
   * @return the setting
   */
  public boolean checkLatency() {
    return checkLatency;
  }

  /**
   * Whether timestamps, dates and times of received messages may have other shapes than FIX has. The shapes are those
   * of {@link dev.decant.fix.message.WeakTimestamps}. Default false.
   *
   * @return the setting
   */
  public boolean weakTimestamps() {
    return weakTimestamps;
  }

  /**
   * Whether CheckSum(10) must be right. Default true.
   *
   * @return the setting
   */
  public boolean validateCheckSum() {
    return validateCheckSum;
  }

  /**
   * Whether a garbled message that has a number is rejected; otherwise it is passed over, and the counterparty asked
   * to send it again. Default false.
   *
   * @return the setting
   */
  public boolean rejectGarbled() {
    return rejectGarbled;
  }

  /**
   * Whether a possible duplicate must carry OrigSendingTime(122). Default true.
   *
   * @return the setting
   */
  public boolean requireOrigSendingTime() {
    return requireOrigSendingTime;
  }

  /**
   * Whether a message that the dictionary finds invalid is rejected; otherwise that is an event and the application
   * gets it. Default true.
   *
   * @return the setting
   */
  public boolean rejectInvalid() {
    return rejectInvalid;
  }

  /**
   * Whether EndSeqNo(16) of a ResendRequest(2) names the last missing message; otherwise 0, all that there are.
   * Default false.
   *
   * @return the setting
   */
  public boolean closedResendRange() {
    return closedResendRange;
  }

  /**
   * How many messages a ResendRequest(2) asks for at most; the next one follows when they have come. 0 asks for all
   * at once, the default.
   *
   * @return the setting
   */
  public int resendRequestChunk() {
    return resendRequestChunk;
  }

  /**
   * Whether a gap that was asked for already is asked for again at each message beyond it. Default false.
   *
   * @return the setting
   */
  public boolean redundantResendRequests() {
    return redundantResendRequests;
  }

  /**
   * How many messages are sent again for a ResendRequest(2) at most: of more, the oldest are skipped with a gap fill.
   * 0 sends none again. Default no limit.
   *
   * @return the setting
   */
  public int resendLimit() {
    return resendLimit;
  }

  /**
   * How many bytes of messages beyond a gap are kept until it is filled; what does not fit is asked for again. 0
   * keeps none. Default 1 MiB.
   *
   * @return the setting
   */
  public int gapQueueBytes() {
    return gapQueueBytes;
  }

  /**
   * Whether logons carry NextExpectedMsgSeqNum(789), and that of the counterparty is obeyed (FIX.4.4 and later).
   * Default false.
   *
   * @return the setting
   */
  public boolean nextExpectedMsgSeqNum() {
    return nextExpectedMsgSeqNum;
  }

  /**
   * Whether each message carries LastMsgSeqNumProcessed(369). Default false.
   *
   * @return the setting
   */
  public boolean lastMsgSeqNumProcessed() {
    return lastMsgSeqNumProcessed;
  }

  /**
   * Digits of SendingTime(52) from FIX.4.2 on. Default milliseconds.
   *
   * @return the setting
   */
  public TimestampPrecision timestampPrecision() {
    return timestampPrecision;
  }

  /**
   * DefaultApplVerID(1137) of a FIXT.1.1 session: 7 for FIX.5.0, 8 for SP1, 9 for SP2. Default 7.
   *
   * @return the setting
   */
  public String defaultApplVerId() {
    return defaultApplVerId;
  }

  /**
   * Which checks a message has to pass if there is a dictionary. Default all that QuickFIX makes by default.
   *
   * @return the setting
   */
  public ValidationSettings validation() {
    return validation;
  }

  /**
   * The effect on a sender while the outgoing buffer is full. Default wait.
   *
   * @return the setting
   */
  public BackPressure backPressure() {
    return backPressure;
  }

  /**
   * Whether a message without a logon gets a number and is stored, for the counterparty to request. Otherwise it is
   * refused. Default false.
   *
   * @return the setting
   */
  public boolean sendWhileLoggedOut() {
    return sendWhileLoggedOut;
  }

  /**
   * When the session is open, and when its sequence numbers begin with 1. Default always open, without resets.
   *
   * @return the setting
   */
  public SessionSchedule schedule() {
    return schedule;
  }

  /**
   * What becomes of messages that are sent while the schedule's window is closed. Default refuse.
   *
   * @return the setting
   */
  public WhileClosed whileClosed() {
    return whileClosed;
  }

  /**
   * Bounds the messages that the socket has not taken yet, those of the application and of the session; a power of two.
   * A message that does not fit is not accepted. Memory is in use only while messages wait. Default 1 MiB, or twice
   * {@link #maxMessageBytes} if that is more.
   *
   * @return the setting
   */
  public int ringBytes() {
    return ringBytes;
  }

  /**
   * Bounds the messages that are sent again and that the socket has not taken yet. Memory is in use only while messages
   * wait. Default 256 KiB, or twice {@link #maxMessageBytes} if that is more.
   *
   * @return the setting
   */
  public int outputBytes() {
    return outputBytes;
  }

  /**
   * The longest message that is sent, without its header. A longer one that arrives is rejected by Reject(3). Default
   * 64 KiB.
   *
   * @return the setting
   */
  public int maxMessageBytes() {
    return maxMessageBytes;
  }
}
