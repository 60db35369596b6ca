package dev.decant.fix.settings;

import dev.decant.fix.dictionary.Dictionary;
import dev.decant.fix.dictionary.ValidationSettings;
import dev.decant.fix.schedule.SessionSchedule;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Sets the rules of a session. Not thread-safe. */
public final class SessionSettingsBuilder {
  private static final int MAX_BYTES = 1 << 30;
  private static final int DEFAULT_RING_BYTES = 1 << 20;
  private static final int DEFAULT_OUTPUT_BYTES = 1 << 18;

  final SessionId id;
  @Nullable
  Dictionary dictionary;
  final Map<String, Dictionary> applicationDictionaries = new LinkedHashMap<>();
  Duration heartbeatInterval = Duration.ofSeconds(30);
  Duration logonTimeout = Duration.ofSeconds(10);
  Duration logoutTimeout = Duration.ofSeconds(2);
  Duration sendTimeout = Duration.ofSeconds(10);
  Duration slowAfter = Duration.ofSeconds(1);
  Duration slowTimeout = Duration.ZERO;
  boolean resetOnLogon;
  boolean resetOnLogout;
  boolean resetOnDisconnect;
  boolean checkCompIds = true;
  boolean checkSubIds;
  AddressRules addressRules = AddressRules.all();
  Duration maxLatency = Duration.ofMinutes(2);
  boolean checkLatency = true;
  boolean weakTimestamps;
  boolean validateCheckSum = true;
  boolean rejectGarbled;
  boolean requireOrigSendingTime = true;
  boolean rejectInvalid = true;
  boolean closedResendRange;
  int resendRequestChunk;
  boolean redundantResendRequests;
  int resendLimit = Integer.MAX_VALUE;
  int gapQueueBytes = 1 << 20;
  boolean nextExpectedMsgSeqNum;
  boolean lastMsgSeqNumProcessed;
  TimestampPrecision timestampPrecision = TimestampPrecision.MILLIS;
  String defaultApplVerId = "7";
  ValidationSettings validation = ValidationSettings.defaults();
  BackPressure backPressure = BackPressure.WAIT;
  boolean sendWhileLoggedOut;
  SessionSchedule schedule = SessionSchedule.nonStop();
  WhileClosed whileClosed = WhileClosed.REFUSE;
  /** 0 for the default, which depends on the longest message. */
  int ringBytes;
  int outputBytes;
  int maxMessageBytes = 1 << 16;

  SessionSettingsBuilder(SessionId id) {
    this.id = id;
    if (id.beginString().compareTo("FIX.4.2") < 0) {
      timestampPrecision = TimestampPrecision.SECONDS;
    }
  }

  /**
   * Sets {@link SessionSettings#heartbeatInterval()}.
   *
   * @param value the setting
   * @return this
   * @throws IllegalArgumentException if it is out of bounds
   */
  public SessionSettingsBuilder heartbeatInterval(Duration value) {
    heartbeatInterval = requireDuration("heartbeatInterval", value);
    return this;
  }

  /**
   * Sets {@link SessionSettings#logonTimeout()}.
   *
   * @param value the setting
   * @return this
   * @throws IllegalArgumentException if it is out of bounds
   */
  public SessionSettingsBuilder logonTimeout(Duration value) {
    logonTimeout = requireDuration("logonTimeout", value);
    return this;
  }

  /**
   * Sets {@link SessionSettings#logoutTimeout()}.
   *
   * @param value the setting
   * @return this
   * @throws IllegalArgumentException if it is out of bounds
   */
  public SessionSettingsBuilder logoutTimeout(Duration value) {
    logoutTimeout = requireDuration("logoutTimeout", value);
    return this;
  }

  /**
   * Sets {@link SessionSettings#sendTimeout()}.
   *
   * @param value the setting
   * @return this
   * @throws IllegalArgumentException if it is out of bounds
   */
  public SessionSettingsBuilder sendTimeout(Duration value) {
    sendTimeout = requireDuration("sendTimeout", value);
    return this;
  }

  /**
   * Sets {@link SessionSettings#slowAfter()}.
   *
   * @param value the setting
   * @return this
   * @throws IllegalArgumentException if it is out of bounds
   */
  public SessionSettingsBuilder slowAfter(Duration value) {
    slowAfter = requireDuration("slowAfter", value);
    return this;
  }

  /**
   * Sets {@link SessionSettings#slowTimeout()}.
   *
   * @param value the setting
   * @return this
   * @throws IllegalArgumentException if it is out of bounds
   */
  public SessionSettingsBuilder slowTimeout(Duration value) {
    slowTimeout = requireDuration("slowTimeout", value);
    return this;
  }

  /**
   * Sets {@link SessionSettings#resetOnLogon()}.
   *
   * @param value the setting
   * @return this
   */
  public SessionSettingsBuilder resetOnLogon(boolean value) {
    resetOnLogon = value;
    return this;
  }

  /**
   * Sets {@link SessionSettings#resetOnLogout()}.
   *
   * @param value the setting
   * @return this
   */
  public SessionSettingsBuilder resetOnLogout(boolean value) {
    resetOnLogout = value;
    return this;
  }

  /**
   * Sets {@link SessionSettings#resetOnDisconnect()}.
   *
   * @param value the setting
   * @return this
   */
  public SessionSettingsBuilder resetOnDisconnect(boolean value) {
    resetOnDisconnect = value;
    return this;
  }

  /**
   * Sets {@link SessionSettings#checkCompIds()}.
   *
   * @param value the setting
   * @return this
   */
  public SessionSettingsBuilder checkCompIds(boolean value) {
    checkCompIds = value;
    return this;
  }

  /**
   * Sets {@link SessionSettings#checkSubIds()}.
   *
   * @param value the setting
   * @return this
   */
  public SessionSettingsBuilder checkSubIds(boolean value) {
    checkSubIds = value;
    return this;
  }

  /**
   * Sets {@link SessionSettings#addressRules()}.
   *
   * @param value the setting
   * @return this
   */
  public SessionSettingsBuilder addressRules(AddressRules value) {
    addressRules = value;
    return this;
  }

  /**
   * Sets {@link SessionSettings#maxLatency()}.
   *
   * @param value the setting
   * @return this
   * @throws IllegalArgumentException if it is out of bounds
   */
  public SessionSettingsBuilder maxLatency(Duration value) {
    maxLatency = requireDuration("maxLatency", value);
    return this;
  }

  /**
   * Sets {@link SessionSettings#checkLatency()}.
   *
   * @param value the setting
   * @return this
   */
  public SessionSettingsBuilder checkLatency(boolean value) {
    checkLatency = value;
    return this;
  }

  /**
   * Sets {@link SessionSettings#weakTimestamps()}.
   *
   * @param value the setting
   * @return this
   */
  public SessionSettingsBuilder weakTimestamps(boolean value) {
    weakTimestamps = value;
    return this;
  }

  /**
   * Sets {@link SessionSettings#validateCheckSum()}.
   *
   * @param value the setting
   * @return this
   */
  public SessionSettingsBuilder validateCheckSum(boolean value) {
    validateCheckSum = value;
    return this;
  }

  /**
   * Sets {@link SessionSettings#rejectGarbled()}.
   *
   * @param value the setting
   * @return this
   */
  public SessionSettingsBuilder rejectGarbled(boolean value) {
    rejectGarbled = value;
    return this;
  }

  /**
   * Sets {@link SessionSettings#requireOrigSendingTime()}.
   *
   * @param value the setting
   * @return this
   */
  public SessionSettingsBuilder requireOrigSendingTime(boolean value) {
    requireOrigSendingTime = value;
    return this;
  }

  /**
   * Sets {@link SessionSettings#rejectInvalid()}.
   *
   * @param value the setting
   * @return this
   */
  public SessionSettingsBuilder rejectInvalid(boolean value) {
    rejectInvalid = value;
    return this;
  }

  /**
   * Sets {@link SessionSettings#closedResendRange()}.
   *
   * @param value the setting
   * @return this
   */
  public SessionSettingsBuilder closedResendRange(boolean value) {
    closedResendRange = value;
    return this;
  }

  /**
   * Sets {@link SessionSettings#resendRequestChunk()}.
   *
   * @param value the setting
   * @return this
   * @throws IllegalArgumentException if it is out of bounds
   */
  public SessionSettingsBuilder resendRequestChunk(int value) {
    resendRequestChunk = requireRange("resendRequestChunk", value, 0, Integer.MAX_VALUE);
    return this;
  }

  /**
   * Sets {@link SessionSettings#redundantResendRequests()}.
   *
   * @param value the setting
   * @return this
   */
  public SessionSettingsBuilder redundantResendRequests(boolean value) {
    redundantResendRequests = value;
    return this;
  }

  /**
   * Sets {@link SessionSettings#resendLimit()}.
   *
   * @param value the setting
   * @return this
   * @throws IllegalArgumentException if it is out of bounds
   */
  public SessionSettingsBuilder resendLimit(int value) {
    resendLimit = requireRange("resendLimit", value, 0, Integer.MAX_VALUE);
    return this;
  }

  /**
   * Sets {@link SessionSettings#gapQueueBytes()}.
   *
   * @param value the setting
   * @return this
   * @throws IllegalArgumentException if it is out of bounds
   */
  public SessionSettingsBuilder gapQueueBytes(int value) {
    gapQueueBytes = requireRange("gapQueueBytes", value, 0, MAX_BYTES);
    return this;
  }

  /**
   * Sets {@link SessionSettings#nextExpectedMsgSeqNum()}.
   *
   * @param value the setting
   * @return this
   */
  public SessionSettingsBuilder nextExpectedMsgSeqNum(boolean value) {
    nextExpectedMsgSeqNum = value;
    return this;
  }

  /**
   * Sets {@link SessionSettings#lastMsgSeqNumProcessed()}.
   *
   * @param value the setting
   * @return this
   */
  public SessionSettingsBuilder lastMsgSeqNumProcessed(boolean value) {
    lastMsgSeqNumProcessed = value;
    return this;
  }

  /**
   * Sets {@link SessionSettings#timestampPrecision()}.
   *
   * @param value the setting
   * @return this
   */
  public SessionSettingsBuilder timestampPrecision(TimestampPrecision value) {
    timestampPrecision = value;
    return this;
  }

  /**
   * Sets {@link SessionSettings#defaultApplVerId()}.
   *
   * @param value the setting
   * @return this
   * @throws IllegalArgumentException if it is out of bounds
   */
  public SessionSettingsBuilder defaultApplVerId(String value) {
    if (value.isEmpty()) {
      throw new IllegalArgumentException("defaultApplVerId is empty");
    }
    defaultApplVerId = value;
    return this;
  }

  /**
   * Sets {@link SessionSettings#validation()}.
   *
   * @param value the setting
   * @return this
   */
  public SessionSettingsBuilder validation(ValidationSettings value) {
    validation = value;
    return this;
  }

  /**
   * Sets {@link SessionSettings#backPressure()}.
   *
   * @param value the setting
   * @return this
   */
  public SessionSettingsBuilder backPressure(BackPressure value) {
    backPressure = value;
    return this;
  }

  /**
   * Sets {@link SessionSettings#sendWhileLoggedOut()}.
   *
   * @param value the setting
   * @return this
   */
  public SessionSettingsBuilder sendWhileLoggedOut(boolean value) {
    sendWhileLoggedOut = value;
    return this;
  }

  /**
   * Sets {@link SessionSettings#schedule()}.
   *
   * @param value the setting
   * @return this
   */
  public SessionSettingsBuilder schedule(SessionSchedule value) {
    schedule = value;
    return this;
  }

  /**
   * Sets {@link SessionSettings#whileClosed()}.
   *
   * @param value the setting
   * @return this
   */
  public SessionSettingsBuilder whileClosed(WhileClosed value) {
    whileClosed = value;
    return this;
  }

  /**
   * Sets {@link SessionSettings#ringBytes()}.
   *
   * @param value the setting
   * @return this
   * @throws IllegalArgumentException if it is out of bounds
   */
  public SessionSettingsBuilder ringBytes(int value) {
    ringBytes = requireRange("ringBytes", value, 1 << 13, MAX_BYTES);
    return this;
  }

  /**
   * Sets {@link SessionSettings#outputBytes()}.
   *
   * @param value the setting
   * @return this
   * @throws IllegalArgumentException if it is out of bounds
   */
  public SessionSettingsBuilder outputBytes(int value) {
    outputBytes = requireRange("outputBytes", value, 1 << 13, MAX_BYTES);
    return this;
  }

  /**
   * Sets {@link SessionSettings#maxMessageBytes()}.
   *
   * @param value the setting
   * @return this
   * @throws IllegalArgumentException if it is out of bounds
   */
  public SessionSettingsBuilder maxMessageBytes(int value) {
    maxMessageBytes = requireRange("maxMessageBytes", value, 256, 1 << 24);
    return this;
  }

  /**
   * Sets {@link SessionSettings#dictionary()}.
   *
   * @param value the dictionary
   * @return this
   */
  public SessionSettingsBuilder dictionary(Dictionary value) {
    dictionary = value;
    return this;
  }

  /**
   * Adds to {@link SessionSettings#applicationDictionaries()}.
   *
   * @param applVerId a value of ApplVerID(1128)
   * @param value the dictionary
   * @return this
   */
  public SessionSettingsBuilder applicationDictionary(String applVerId, Dictionary value) {
    applicationDictionaries.put(applVerId, value);
    return this;
  }

  private static Duration requireDuration(String name, Duration value) {
    if (value.isNegative() || value.compareTo(Duration.ofDays(365)) > 0) {
      throw new IllegalArgumentException(name + ": " + value + " is not between 0 and 365 days");
    }
    return value;
  }

  private static int requireRange(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(name + ": " + value + " is not between " + least + " and " + most);
    }
    return value;
  }

  /**
   * Creates the settings.
   *
   * @return settings with these values, and the default of all others
   * @throws IllegalArgumentException if settings contradict each other; the message names them
   */
  public SessionSettings build() {
    Versions.require(id.beginString(), dictionary, applicationDictionaries);
    if (Integer.bitCount(ringBytes()) != 1) {
      throw new IllegalArgumentException("ringBytes: " + ringBytes + " is no power of two");
    }
    if (maxMessageBytes > ringBytes() / 2 || maxMessageBytes > outputBytes() / 2) {
      throw new IllegalArgumentException("maxMessageBytes: " + maxMessageBytes + " is more than half of ringBytes "
          + ringBytes() + " or of outputBytes " + outputBytes());
    }
    if (heartbeatInterval.toNanosPart() != 0) {
      throw new IllegalArgumentException("heartbeatInterval: " + heartbeatInterval + " is no whole number of seconds");
    }
    if (nextExpectedMsgSeqNum && id.beginString().compareTo("FIX.4.4") < 0) {
      throw new IllegalArgumentException("nextExpectedMsgSeqNum: " + id.beginString() + " has no such field");
    }
    if (!applicationDictionaries.isEmpty() && (dictionary == null || !id.beginString().startsWith("FIXT"))) {
      throw new IllegalArgumentException("applicationDictionary: only FIXT.1.1 sessions have one, beside dictionary");
    }
    if (whileClosed == WhileClosed.QUEUE
        && (resetOnLogon || schedule.announcesReset() || schedule.resetsWithoutLogout())) {
      throw new IllegalArgumentException("whileClosed QUEUE: a Logon with ResetSeqNumFlag(141) would discard what was"
          + " queued, so neither resetOnLogon nor announceReset or resetWithoutLogout of the schedule can be set");
    }
    return new SessionSettings(this);
  }

  /** Returns the value that was set, or the default. */
  int ringBytes() {
    return ringBytes == 0 ? Math.max(DEFAULT_RING_BYTES, twoMessages()) : ringBytes;
  }

  /** Returns the value that was set, or the default. */
  int outputBytes() {
    return outputBytes == 0 ? Math.max(DEFAULT_OUTPUT_BYTES, twoMessages()) : outputBytes;
  }

  /** Returns a power of two of at least twice the longest message. */
  private int twoMessages() {
    return Integer.highestOneBit(2 * maxMessageBytes - 1) << 1;
  }
}
