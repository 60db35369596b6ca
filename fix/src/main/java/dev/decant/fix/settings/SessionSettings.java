package dev.decant.fix.settings;

import java.time.Duration;

/**
 * The rules of one session. Immutable; made by a {@link Builder}, which checks each value where it is set.
 *
 * <p>Names follow QuickFIX where it has the setting.
 */
public final class SessionSettings {
  private final SessionId id;
  private final Duration heartbeatInterval;
  private final Duration logonTimeout;
  private final Duration logoutTimeout;
  private final Duration sendTimeout;
  private final boolean resetOnLogon;
  private final boolean resetOnLogout;
  private final boolean resetOnDisconnect;
  private final boolean checkCompIds;
  private final Duration maxLatency;
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
  private final BackPressure backPressure;
  private final boolean sendWhileLoggedOut;
  private final int ringBytes;
  private final int outputBytes;
  private final int maxMessageBytes;

  private SessionSettings(Builder builder) {
    id = builder.id;
    heartbeatInterval = builder.heartbeatInterval;
    logonTimeout = builder.logonTimeout;
    logoutTimeout = builder.logoutTimeout;
    sendTimeout = builder.sendTimeout;
    resetOnLogon = builder.resetOnLogon;
    resetOnLogout = builder.resetOnLogout;
    resetOnDisconnect = builder.resetOnDisconnect;
    checkCompIds = builder.checkCompIds;
    maxLatency = builder.maxLatency;
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
    backPressure = builder.backPressure;
    sendWhileLoggedOut = builder.sendWhileLoggedOut;
    ringBytes = builder.ringBytes;
    outputBytes = builder.outputBytes;
    maxMessageBytes = builder.maxMessageBytes;
  }

  /**
   * Begins the settings of a session, with the default of each.
   *
   * @param id the two ends
   * @return a builder
   */
  public static Builder of(SessionId id) {
    return new Builder(id);
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
   * How far SendingTime(52) may be from now; zero does not look at it. Default 120 s.
   *
   * @return the setting
   */
  public Duration maxLatency() {
    return maxLatency;
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
   * What happens to a sender while the outgoing buffer is full. Default wait.
   *
   * @return the setting
   */
  public BackPressure backPressure() {
    return backPressure;
  }

  /**
   * Whether a message that is sent while the session is not logged on gets a number and is kept, for the counterparty
   * to ask for; otherwise it is refused. Default false.
   *
   * @return the setting
   */
  public boolean sendWhileLoggedOut() {
    return sendWhileLoggedOut;
  }

  /**
   * Memory for messages on their way from senders to the socket; a power of two. Default 1 MiB.
   *
   * @return the setting
   */
  public int ringBytes() {
    return ringBytes;
  }

  /**
   * Memory for messages that the socket has not taken yet. Default 256 KiB.
   *
   * @return the setting
   */
  public int outputBytes() {
    return outputBytes;
  }

  /**
   * The longest message that is received or sent. Default 64 KiB.
   *
   * @return the setting
   */
  public int maxMessageBytes() {
    return maxMessageBytes;
  }

  /** Sets the rules of a session. Not thread-safe. */
  public static final class Builder {
    private static final int MAX_BYTES = 1 << 30;

    private final SessionId id;
    private Duration heartbeatInterval = Duration.ofSeconds(30);
    private Duration logonTimeout = Duration.ofSeconds(10);
    private Duration logoutTimeout = Duration.ofSeconds(2);
    private Duration sendTimeout = Duration.ofSeconds(10);
    private boolean resetOnLogon = false;
    private boolean resetOnLogout = false;
    private boolean resetOnDisconnect = false;
    private boolean checkCompIds = true;
    private Duration maxLatency = Duration.ofMinutes(2);
    private boolean validateCheckSum = true;
    private boolean rejectGarbled = false;
    private boolean requireOrigSendingTime = true;
    private boolean rejectInvalid = true;
    private boolean closedResendRange = false;
    private int resendRequestChunk = 0;
    private boolean redundantResendRequests = false;
    private int resendLimit = Integer.MAX_VALUE;
    private int gapQueueBytes = 1 << 20;
    private boolean nextExpectedMsgSeqNum = false;
    private boolean lastMsgSeqNumProcessed = false;
    private TimestampPrecision timestampPrecision = TimestampPrecision.MILLIS;
    private String defaultApplVerId = "7";
    private BackPressure backPressure = BackPressure.WAIT;
    private boolean sendWhileLoggedOut = false;
    private int ringBytes = 1 << 20;
    private int outputBytes = 1 << 18;
    private int maxMessageBytes = 1 << 16;

    private Builder(SessionId id) {
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
    public Builder heartbeatInterval(Duration value) {
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
    public Builder logonTimeout(Duration value) {
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
    public Builder logoutTimeout(Duration value) {
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
    public Builder sendTimeout(Duration value) {
      sendTimeout = requireDuration("sendTimeout", value);
      return this;
    }

    /**
     * Sets {@link SessionSettings#resetOnLogon()}.
     *
     * @param value the setting
     * @return this
     */
    public Builder resetOnLogon(boolean value) {
      resetOnLogon = value;
      return this;
    }

    /**
     * Sets {@link SessionSettings#resetOnLogout()}.
     *
     * @param value the setting
     * @return this
     */
    public Builder resetOnLogout(boolean value) {
      resetOnLogout = value;
      return this;
    }

    /**
     * Sets {@link SessionSettings#resetOnDisconnect()}.
     *
     * @param value the setting
     * @return this
     */
    public Builder resetOnDisconnect(boolean value) {
      resetOnDisconnect = value;
      return this;
    }

    /**
     * Sets {@link SessionSettings#checkCompIds()}.
     *
     * @param value the setting
     * @return this
     */
    public Builder checkCompIds(boolean value) {
      checkCompIds = value;
      return this;
    }

    /**
     * Sets {@link SessionSettings#maxLatency()}.
     *
     * @param value the setting
     * @return this
     * @throws IllegalArgumentException if it is out of bounds
     */
    public Builder maxLatency(Duration value) {
      maxLatency = requireDuration("maxLatency", value);
      return this;
    }

    /**
     * Sets {@link SessionSettings#validateCheckSum()}.
     *
     * @param value the setting
     * @return this
     */
    public Builder validateCheckSum(boolean value) {
      validateCheckSum = value;
      return this;
    }

    /**
     * Sets {@link SessionSettings#rejectGarbled()}.
     *
     * @param value the setting
     * @return this
     */
    public Builder rejectGarbled(boolean value) {
      rejectGarbled = value;
      return this;
    }

    /**
     * Sets {@link SessionSettings#requireOrigSendingTime()}.
     *
     * @param value the setting
     * @return this
     */
    public Builder requireOrigSendingTime(boolean value) {
      requireOrigSendingTime = value;
      return this;
    }

    /**
     * Sets {@link SessionSettings#rejectInvalid()}.
     *
     * @param value the setting
     * @return this
     */
    public Builder rejectInvalid(boolean value) {
      rejectInvalid = value;
      return this;
    }

    /**
     * Sets {@link SessionSettings#closedResendRange()}.
     *
     * @param value the setting
     * @return this
     */
    public Builder closedResendRange(boolean value) {
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
    public Builder resendRequestChunk(int value) {
      resendRequestChunk = requireRange("resendRequestChunk", value, 0, Integer.MAX_VALUE);
      return this;
    }

    /**
     * Sets {@link SessionSettings#redundantResendRequests()}.
     *
     * @param value the setting
     * @return this
     */
    public Builder redundantResendRequests(boolean value) {
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
    public Builder resendLimit(int value) {
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
    public Builder gapQueueBytes(int value) {
      gapQueueBytes = requireRange("gapQueueBytes", value, 0, MAX_BYTES);
      return this;
    }

    /**
     * Sets {@link SessionSettings#nextExpectedMsgSeqNum()}.
     *
     * @param value the setting
     * @return this
     */
    public Builder nextExpectedMsgSeqNum(boolean value) {
      nextExpectedMsgSeqNum = value;
      return this;
    }

    /**
     * Sets {@link SessionSettings#lastMsgSeqNumProcessed()}.
     *
     * @param value the setting
     * @return this
     */
    public Builder lastMsgSeqNumProcessed(boolean value) {
      lastMsgSeqNumProcessed = value;
      return this;
    }

    /**
     * Sets {@link SessionSettings#timestampPrecision()}.
     *
     * @param value the setting
     * @return this
     */
    public Builder timestampPrecision(TimestampPrecision value) {
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
    public Builder defaultApplVerId(String value) {
      if (value.isEmpty()) {
        throw new IllegalArgumentException("defaultApplVerId is empty");
      }
      defaultApplVerId = value;
      return this;
    }

    /**
     * Sets {@link SessionSettings#backPressure()}.
     *
     * @param value the setting
     * @return this
     */
    public Builder backPressure(BackPressure value) {
      backPressure = value;
      return this;
    }

    /**
     * Sets {@link SessionSettings#sendWhileLoggedOut()}.
     *
     * @param value the setting
     * @return this
     */
    public Builder sendWhileLoggedOut(boolean value) {
      sendWhileLoggedOut = value;
      return this;
    }

    /**
     * Sets {@link SessionSettings#ringBytes()}.
     *
     * @param value the setting
     * @return this
     * @throws IllegalArgumentException if it is out of bounds
     */
    public Builder ringBytes(int value) {
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
    public Builder outputBytes(int value) {
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
    public Builder maxMessageBytes(int value) {
      maxMessageBytes = requireRange("maxMessageBytes", value, 256, 1 << 24);
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
     * Ends the settings.
     *
     * @return what was set, and the defaults of the rest
     * @throws IllegalArgumentException if settings contradict each other; the message names them
     */
    public SessionSettings build() {
      if (Integer.bitCount(ringBytes) != 1) {
        throw new IllegalArgumentException("ringBytes: " + ringBytes + " is no power of two");
      }
      if (maxMessageBytes > ringBytes / 2 || maxMessageBytes > outputBytes / 2) {
        throw new IllegalArgumentException("maxMessageBytes: " + maxMessageBytes + " is more than half of ringBytes "
            + ringBytes + " or of outputBytes " + outputBytes);
      }
      if (heartbeatInterval.toNanosPart() != 0) {
        throw new IllegalArgumentException(
            "heartbeatInterval: " + heartbeatInterval + " is no whole number of seconds");
      }
      if (nextExpectedMsgSeqNum && id.beginString().compareTo("FIX.4.4") < 0) {
        throw new IllegalArgumentException("nextExpectedMsgSeqNum: " + id.beginString() + " has no such field");
      }
      return new SessionSettings(this);
    }
  }
}
