package dev.decant.fix.jmx;

import java.util.Map;

/**
 * A session, as a JMX client sees and steers it. Attributes do not wait for the loop. An operation waits up to 30 s for
 * its outcome and returns it, or fails with a sentence.
 */
public interface FixSessionMXBean {
  /**
   * The two ends.
   *
   * @return the identity
   */
  String getId();

  /**
   * How far the session has come.
   *
   * @return a constant of {@link dev.decant.fix.status.SessionStatus.State}
   */
  String getState();

  /**
   * Tells whether messages can be sent.
   *
   * @return true while the session is logged on
   */
  boolean isUp();

  /**
   * Why the session is up or down.
   *
   * @return the reason
   */
  String getReason();

  /**
   * When the session was logged on.
   *
   * @return a time of ISO 8601; empty while it is not
   */
  String getLoggedOnSince();

  /**
   * The other end of the connection.
   *
   * @return host and port; empty without a connection
   */
  String getRemoteAddress();

  /**
   * Number of the next message to be sent.
   *
   * @return at least 1
   */
  long getNextOutbound();

  /**
   * Number of the next message expected.
   *
   * @return at least 1
   */
  long getNextInbound();

  /**
   * How many messages wait for the socket.
   *
   * @return the number
   */
  long getWaitingMessages();

  /**
   * How many bytes wait for the socket.
   *
   * @return the number
   */
  long getWaitingBytes();

  /**
   * When something has arrived last.
   *
   * @return a time of ISO 8601; empty before the first
   */
  String getLastReceived();

  /**
   * When a message was sent last.
   *
   * @return a time of ISO 8601; empty before the first
   */
  String getLastSent();

  /**
   * From the last TestRequest(1) with a response to that response, in microseconds.
   *
   * @return negative before the first
   */
  double getRoundTripMicros();

  /**
   * The heartbeat interval, in seconds.
   *
   * @return 0 for no heartbeats
   */
  long getHeartbeatSeconds();

  /**
   * Tells whether the schedule has the session open.
   *
   * @return true if it may log on
   */
  boolean isOpen();

  /**
   * When the session opens next.
   *
   * @return in UTC; empty if it does not
   */
  String getNextOpen();

  /**
   * When the session closes next.
   *
   * @return in UTC; empty if it does not
   */
  String getNextClose();

  /**
   * When sequence numbers begin with 1 next, by the schedule.
   *
   * @return in UTC; empty if the schedule resets nothing
   */
  String getNextReset();

  /**
   * The schedule.
   *
   * @return in words
   */
  String getSchedule();

  /**
   * Tells whether numbers were reset at this end, and the counterparty has not followed yet.
   *
   * @return true until it has
   */
  boolean isResetPending();

  /**
   * The kind of the store.
   *
   * @return for example {@code file}
   */
  String getStore();

  /**
   * When the numbers began with 1.
   *
   * @return a time of ISO 8601
   */
  String getStoreCreated();

  /**
   * What the store's messages take, in bytes.
   *
   * @return negative if unknown
   */
  long getStoreUsedBytes();

  /**
   * What the store can take, in bytes.
   *
   * @return negative if unknown
   */
  long getStoreMaxBytes();

  /**
   * What the session has counted since it was opened.
   *
   * @return counts by their names in {@link dev.decant.fix.status.SessionCounts}
   */
  Map<String, Long> getCounts();

  /**
   * Logs on.
   *
   * @return what has come of it
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
   * Logs out, and lets the session log on no more until {@link #enable}.
   *
   * @param text Text(58) of the Logout(5); empty for none
   * @return why the connection has ended
   */
  String disable(String text);

  /**
   * Ends what {@link #disable} has begun.
   *
   * @return what has come of the logon
   */
  String enable();

  /**
   * Begins with number 1 both ways, after a logout.
   *
   * @return what the counterparty has to do
   */
  String resetSequenceNumbers();

  /**
   * Begins with number 1 both ways, and stays logged on.
   *
   * @return that the counterparty has done so, too
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
   * Sends messages again.
   *
   * @param from the first number
   * @return the last number
   */
  long resend(long from);

  /**
   * Sends a message that a person has written: {@code 35=D|11=ORDER-1|...}.
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
