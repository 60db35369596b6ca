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
 * The rules of one session. Immutable; created by a {@link SessionSettingsBuilder}, which checks each value where it is
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

  /**
   * Joins the data fields of all dictionaries. That of {@link #defaultApplVerId()} is last, so it decides where they
   * differ.
   */
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
   * Returns a builder with the default settings of a session.
   *
   * @param id the identity of the session
   * @return a builder
   */
  public static SessionSettingsBuilder of(SessionId id) {
    return new SessionSettingsBuilder(id);
  }

  /**
   * Returns the identity of the session.
   *
   * @return the identity
   */
  public SessionId id() {
    return id;
  }

  /**
   * Returns the dictionary that validates messages: that of the session's version, or of FIXT.1.1 for its session
   * messages. Default none: messages are not validated.
   *
   * @return null for none
   */
  public @Nullable Dictionary dictionary() {
    return dictionary;
  }

  /**
   * Returns the dictionaries that validate application messages of a FIXT.1.1 session. DefaultApplVerID(1137) of the
   * counterparty's Logon(A) selects one.
   *
   * @return by ApplVerID(1128), for example 9 for FIX.5.0SP2
   */
  public Map<String, Dictionary> applicationDictionaries() {
    return applicationDictionaries;
  }

  /**
   * Returns which fields of the session's messages hold data: bytes that may include the delimiter. All parts of the
   * session use these: received messages, resent messages, and messages that the application prepares.
   *
   * @return those of the specification and of all dictionaries of the session
   */
  public DataFields dataFields() {
    return dataFields;
  }

  /**
   * Returns the HeartBtInt(108) that an initiator requests; an acceptor uses that of its counterparty. Default 30 s.
   * Whole seconds; zero disables heartbeats.
   *
   * @return the setting
   */
  public Duration heartbeatInterval() {
    return heartbeatInterval;
  }

  /**
   * Returns how long a connection may be open without a Logon(A) from the counterparty. Default 10 s.
   *
   * @return the setting
   */
  public Duration logonTimeout() {
    return logonTimeout;
  }

  /**
   * Returns how long to wait for the counterparty's Logout(5) before the connection is closed. Default 2 s.
   *
   * @return the setting
   */
  public Duration logoutTimeout() {
    return logoutTimeout;
  }

  /**
   * Returns how long a sender waits for room in the output, with {@link BackPressure#WAIT}. Default 10 s.
   *
   * @return the setting
   */
  public Duration sendTimeout() {
    return sendTimeout;
  }

  /**
   * Returns how long messages may wait for a counterparty that reads slowly before listeners hear of it
   * ({@link dev.decant.fix.event.SessionListener#onSlowCounterparty}). Default 1 s; zero for never.
   *
   * @return the setting
   */
  public Duration slowAfter() {
    return slowAfter;
  }

  /**
   * Returns how long a counterparty may read nothing, although messages wait, before the session ends. Default zero:
   * the session does not end while the counterparty sends heartbeats.
   *
   * @return the setting
   */
  public Duration slowTimeout() {
    return slowTimeout;
  }

  /**
   * Returns true if numbers are reset to 1 at each logon. Default false.
   *
   * @return the setting
   */
  public boolean resetOnLogon() {
    return resetOnLogon;
  }

  /**
   * Returns true if numbers are reset to 1 after a regular logout. Default false.
   *
   * @return the setting
   */
  public boolean resetOnLogout() {
    return resetOnLogout;
  }

  /**
   * Returns true if numbers are reset to 1 after each end of the connection. Default false.
   *
   * @return the setting
   */
  public boolean resetOnDisconnect() {
    return resetOnDisconnect;
  }

  /**
   * Returns true if SenderCompID(49) and TargetCompID(56) of each message must be those of the session. Default true.
   *
   * @return the setting
   */
  public boolean checkCompIds() {
    return checkCompIds;
  }

  /**
   * Returns true if the SubIDs and LocationIDs of each message must be those of the session, where the
   * {@link SessionId} has them. Default false, since counterparties may name a desk or a trader by them in single
   * messages.
   *
   * @return the setting
   */
  public boolean checkSubIds() {
    return checkSubIds;
  }

  /**
   * Returns the addresses from which an acceptor's session may be logged on to. Default all.
   *
   * @return the setting
   */
  public AddressRules addressRules() {
    return addressRules;
  }

  /**
   * Returns how far SendingTime(52) may be from the present time. Default 120 s; zero disables the check.
   *
   * @return the setting
   */
  public Duration maxLatency() {
    return maxLatency;
  }

  /**
   * Returns true if a message is rejected if its SendingTime(52) is further from the present time than
   * {@link #maxLatency()}. Default true. Otherwise the message is accepted and counted.
   *
   * @return the setting
   */
  public boolean checkLatency() {
    return checkLatency;
  }

  /**
   * Returns true if timestamps, dates and times of received messages may have other formats than those of FIX, see
   * {@link dev.decant.fix.message.WeakTimestamps}. Default false.
   *
   * @return the setting
   */
  public boolean weakTimestamps() {
    return weakTimestamps;
  }

  /**
   * Returns true if CheckSum(10) must be right. Default true.
   *
   * @return the setting
   */
  public boolean validateCheckSum() {
    return validateCheckSum;
  }

  /**
   * Returns true if a garbled message that has a number is rejected. Default false: it is skipped, and the counterparty
   * is requested to send it again.
   *
   * @return the setting
   */
  public boolean rejectGarbled() {
    return rejectGarbled;
  }

  /**
   * Returns true if a possible duplicate must have OrigSendingTime(122). Default true.
   *
   * @return the setting
   */
  public boolean requireOrigSendingTime() {
    return requireOrigSendingTime;
  }

  /**
   * Returns true if a message is rejected if it is invalid by the dictionary. Default true. Otherwise that is an event,
   * and the application receives the message.
   *
   * @return the setting
   */
  public boolean rejectInvalid() {
    return rejectInvalid;
  }

  /**
   * Returns true if EndSeqNo(16) of a ResendRequest(2) is the last missing message. Default false: it is 0, which
   * requests all messages.
   *
   * @return the setting
   */
  public boolean closedResendRange() {
    return closedResendRange;
  }

  /**
   * Returns how many messages a ResendRequest(2) covers at most; the next request follows when they have arrived.
   * Default 0: one request covers all.
   *
   * @return the setting
   */
  public int resendRequestChunk() {
    return resendRequestChunk;
  }

  /**
   * Returns true if a gap is requested again at each message beyond it. Default false.
   *
   * @return the setting
   */
  public boolean redundantResendRequests() {
    return redundantResendRequests;
  }

  /**
   * Returns how many messages a ResendRequest(2) makes this end resend at most. Default no limit. A gap fill replaces
   * the oldest messages beyond the limit; 0 resends none.
   *
   * @return the setting
   */
  public int resendLimit() {
    return resendLimit;
  }

  /**
   * Returns how many bytes of messages beyond a gap are kept until it is filled. Default 1 MiB; 0 keeps none. Messages
   * that do not fit are requested again.
   *
   * @return the setting
   */
  public int gapQueueBytes() {
    return gapQueueBytes;
  }

  /**
   * Returns true if logons have NextExpectedMsgSeqNum(789), and that of the counterparty has effect (FIX.4.4 and
   * later). Default false.
   *
   * @return the setting
   */
  public boolean nextExpectedMsgSeqNum() {
    return nextExpectedMsgSeqNum;
  }

  /**
   * Returns true if each message has LastMsgSeqNumProcessed(369). Default false.
   *
   * @return the setting
   */
  public boolean lastMsgSeqNumProcessed() {
    return lastMsgSeqNumProcessed;
  }

  /**
   * Returns the precision of SendingTime(52) from FIX.4.2 on. Default milliseconds.
   *
   * @return the setting
   */
  public TimestampPrecision timestampPrecision() {
    return timestampPrecision;
  }

  /**
   * Returns DefaultApplVerID(1137) of a FIXT.1.1 session: 7 for FIX.5.0, 8 for SP1, 9 for SP2. Default 7.
   *
   * @return the setting
   */
  public String defaultApplVerId() {
    return defaultApplVerId;
  }

  /**
   * Returns the checks of messages by the dictionary. Default: those that QuickFIX makes by default.
   *
   * @return the setting
   */
  public ValidationSettings validation() {
    return validation;
  }

  /**
   * Returns the effect on a sender while the output is full. Default wait.
   *
   * @return the setting
   */
  public BackPressure backPressure() {
    return backPressure;
  }

  /**
   * Returns true if a message without a logon is numbered and stored, for the counterparty to request. Default false:
   * it is refused.
   *
   * @return the setting
   */
  public boolean sendWhileLoggedOut() {
    return sendWhileLoggedOut;
  }

  /**
   * Returns when the session is open, and when its sequence numbers are reset to 1. Default: always open, without
   * resets.
   *
   * @return the setting
   */
  public SessionSchedule schedule() {
    return schedule;
  }

  /**
   * Returns what happens to messages that are sent while the schedule's window is closed. Default refuse.
   *
   * @return the setting
   */
  public WhileClosed whileClosed() {
    return whileClosed;
  }

  /**
   * Returns the limit of messages that the socket has not taken yet, those of the application and of the session; a
   * power of two. Default 1 MiB, or twice {@link #maxMessageBytes} if that is more. A message that does not fit is not
   * accepted. Memory is used only while messages wait.
   *
   * @return the setting
   */
  public int ringBytes() {
    return ringBytes;
  }

  /**
   * Returns the limit of resent messages that the socket has not taken yet. Default 256 KiB, or twice
   * {@link #maxMessageBytes} if that is more. Memory is used only while messages wait.
   *
   * @return the setting
   */
  public int outputBytes() {
    return outputBytes;
  }

  /**
   * Returns the longest message that can be sent, without its header. Default 64 KiB. A longer one of the counterparty
   * is rejected by Reject(3).
   *
   * @return the setting
   */
  public int maxMessageBytes() {
    return maxMessageBytes;
  }
}
