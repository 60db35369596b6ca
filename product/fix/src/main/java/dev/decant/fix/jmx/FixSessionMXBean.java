package dev.decant.fix.jmx;

import java.util.Map;

/**
 * A session for JMX clients. Attributes do not wait for the loop. An operation waits up to 30 s for its outcome and
 * returns it, or fails with a sentence.
 */
public interface FixSessionMXBean {
  /**
   * Returns the identity of the session.
   *
   * @return the identity
   */
  String getId();

  /**
   * Returns the state of the session.
   *
   * @return a constant of {@link dev.decant.fix.status.SessionStatus.State}
   */
  String getState();

  /**
   * Returns true if messages can be sent.
   *
   * @return true while the session is logged on
   */
  boolean isUp();

  /**
   * Returns why the session is up or down.
   *
   * @return the reason
   */
  String getReason();

  /**
   * Returns when the session was logged on.
   *
   * @return a time of ISO 8601; empty while it is not
   */
  String getLoggedOnSince();

  /**
   * Returns the other end of the connection.
   *
   * @return host and port; empty without a connection
   */
  String getRemoteAddress();

  /**
   * Returns the number of the next message to be sent.
   *
   * @return at least 1
   */
  long getNextOutbound();

  /**
   * Returns the number of the next message expected.
   *
   * @return at least 1
   */
  long getNextInbound();

  /**
   * Returns how many messages wait for the socket.
   *
   * @return the number
   */
  long getWaitingMessages();

  /**
   * Returns how many bytes wait for the socket.
   *
   * @return the number
   */
  long getWaitingBytes();

  /**
   * Returns when the last message arrived.
   *
   * @return a time of ISO 8601; empty before the first
   */
  String getLastReceived();

  /**
   * Returns when the last message was sent.
   *
   * @return a time of ISO 8601; empty before the first
   */
  String getLastSent();

  /**
   * Returns the time from the last answered TestRequest(1) to its response, in microseconds.
   *
   * @return negative before the first
   */
  double getRoundTripMicros();

  /**
   * Returns the heartbeat interval, in seconds.
   *
   * @return 0 for no heartbeats
   */
  long getHeartbeatSeconds();

  /**
   * Returns true if the schedule keeps the session open.
   *
   * @return true if it may log on
   */
  boolean isOpen();

  /**
   * Returns when the session opens next.
   *
   * @return in UTC; empty if it does not
   */
  String getNextOpen();

  /**
   * Returns when the session closes next.
   *
   * @return in UTC; empty if it does not
   */
  String getNextClose();

  /**
   * Returns when the schedule next resets sequence numbers to 1.
   *
   * @return in UTC; empty if the schedule resets nothing
   */
  String getNextReset();

  /**
   * Returns the schedule.
   *
   * @return in words
   */
  String getSchedule();

  /**
   * Returns true if numbers were reset at this end, and the counterparty has not followed yet.
   *
   * @return true until it has
   */
  boolean isResetPending();

  /**
   * Returns the kind of the store.
   *
   * @return for example {@code file}
   */
  String getStore();

  /**
   * Returns when the numbers began with 1.
   *
   * @return a time of ISO 8601
   */
  String getStoreCreated();

  /**
   * Returns the size of the store's messages, in bytes.
   *
   * @return negative if unknown
   */
  long getStoreUsedBytes();

  /**
   * Returns the capacity of the store, in bytes.
   *
   * @return negative if unknown
   */
  long getStoreMaxBytes();

  /**
   * Returns the counters of the session since it was opened.
   *
   * @return counts by their names in {@link dev.decant.fix.status.SessionCounts}
   */
  Map<String, Long> getCounts();

  /**
   * Logs on.
   *
   * @return the outcome, a sentence
   */
  String logon();

  /**
   * Logs out.
   *
   * @param text Text(58) of the Logout(5); empty for none
   * @return why the connection has ended
   */
  String logout(String text);

  /**
   * Logs out, and keeps the session from logging on until {@link #enable}.
   *
   * @param text Text(58) of the Logout(5); empty for none
   * @return why the connection has ended
   */
  String disable(String text);

  /**
   * Enables a session that was disabled.
   *
   * @return the outcome of its logon
   */
  String enable();

  /**
   * Resets both sequence numbers to 1, after a logout.
   *
   * @return what the counterparty has to do
   */
  String resetSequenceNumbers();

  /**
   * Resets both sequence numbers to 1 and keeps the session logged on.
   *
   * @return a sentence, after the counterparty has reset its numbers, too
   */
  String resetWithoutLogout();

  /**
   * Sets the number of the next message to be sent.
   *
   * @param number at least 1
   * @return the number
   */
  long changeNextOutbound(long number);

  /**
   * Sets the number of the next message expected.
   *
   * @param number at least 1
   * @return the number
   */
  long changeNextInbound(long number);

  /**
   * Resends messages.
   *
   * @param from the first number
   * @return the last number
   */
  long resend(long from);

  /**
   * Sends a message that an operator has written: {@code 35=D|11=ORDER-1|...}.
   *
   * @param fields see {@link dev.decant.fix.FixSession#send}
   * @return its MsgSeqNum(34)
   */
  long send(String fields);

  /**
   * Sends a TestRequest(1) now.
   *
   * @return microseconds until its response
   */
  double testRequest();
}
