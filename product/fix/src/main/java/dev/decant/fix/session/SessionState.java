package dev.decant.fix.session;

/**
 * The state of one connection of a session. Each connection begins with a new state; the sequence numbers outlive it in
 * the store. Owner of the session only.
 */
final class SessionState {
  private boolean initiator;
  private boolean connected;
  private boolean admitted;
  private boolean logonSent;
  private boolean logonReceived;
  private boolean logoutSent;
  private boolean opened;
  private boolean established;
  private boolean leaving;
  private boolean resetSent;
  private boolean resetReceived;
  private long connectedNanos;
  private long lastReceivedNanos;
  private long logoutSentNanos;
  private int testRequestsSent;

  void connect(boolean asInitiator, long nowNanos) {
    disconnect();
    initiator = asInitiator;
    connected = true;
    admitted = asInitiator;
    connectedNanos = nowNanos;
    lastReceivedNanos = nowNanos;
  }

  void disconnect() {
    connected = false;
    admitted = false;
    logonSent = false;
    logonReceived = false;
    logoutSent = false;
    opened = false;
    established = false;
    leaving = false;
    resetSent = false;
    resetReceived = false;
    testRequestsSent = 0;
  }

  boolean isInitiator() {
    return initiator;
  }

  boolean isConnected() {
    return connected;
  }

  /**
   * Returns true if the application admits the connection. That is always so for an initiator. An acceptor admits it
   * with the first Logon(A) that the authenticator accepts. Before that, no message has any effect.
   */
  boolean isAdmitted() {
    return admitted;
  }

  void admitted() {
    admitted = true;
  }

  boolean isLoggedOn() {
    return logonSent && logonReceived;
  }

  /** Returns true from the exchange of Logons on: both ends agree that messages may be sent. */
  boolean isOpened() {
    return opened;
  }

  void opened() {
    opened = true;
  }

  /** Returns true if the counterparty has sent more than Logon(A) and Logout(5). */
  boolean isEstablished() {
    return established;
  }

  void established() {
    established = true;
  }

  /** Returns true if this end has requested the end of the connection, without a fault of the counterparty. */
  boolean isLeaving() {
    return leaving;
  }

  void leaving() {
    leaving = true;
  }

  boolean isLogonSent() {
    return logonSent;
  }

  void logonSent() {
    logonSent = true;
  }

  boolean isLogonReceived() {
    return logonReceived;
  }

  void logonReceived() {
    logonReceived = true;
    logoutSent = false;
  }

  boolean isLogoutSent() {
    return logoutSent;
  }

  void logoutSent(long nowNanos) {
    if (!logoutSent) {
      logoutSent = true;
      logoutSentNanos = nowNanos;
    }
  }

  long logoutSentNanos() {
    return logoutSentNanos;
  }

  /** Returns true while our Logon(A) with ResetSeqNumFlag(141) has no response. */
  boolean isResetSent() {
    return resetSent;
  }

  /**
   * Returns true while the counterparty has to reset its numbers: after our Logon(A) within the session, or after our
   * response to its own.
   */
  boolean isResetAwaited() {
    return resetSent && logonReceived;
  }

  void resetSent(boolean value) {
    resetSent = value;
  }

  /** Returns true if the Logon(A) being handled has ResetSeqNumFlag(141). */
  boolean isResetReceived() {
    return resetReceived;
  }

  void resetReceived(boolean value) {
    resetReceived = value;
  }

  long connectedNanos() {
    return connectedNanos;
  }

  void received(long nowNanos) {
    lastReceivedNanos = nowNanos;
    testRequestsSent = 0;
  }

  long lastReceivedNanos() {
    return lastReceivedNanos;
  }

  int testRequestsSent() {
    return testRequestsSent;
  }

  void testRequestSent() {
    testRequestsSent++;
  }
}
