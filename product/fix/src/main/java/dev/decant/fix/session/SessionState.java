package dev.decant.fix.session;

/**
 * How far a connection of a session has come. Reset with each connection; the numbers, which outlive it, are in the
 * store. Owner of the session only.
 */
final class SessionState {
  private boolean initiator;
  private boolean connected;
  private boolean admitted;
  private boolean logonSent;
  private boolean logonReceived;
  private boolean logoutSent;
  private boolean opened;
  private boolean proven;
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
    proven = false;
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
   * Whether the connection is the counterparty's as far as the application says: always for an initiator, and for an
   * acceptor from the Logon(A) on that the application does not refuse. Before that, nothing of it counts.
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

  /** Whether both ends agree that the session is logged on: messages may be sent until a logout. */
  boolean isOpened() {
    return opened;
  }

  void opened() {
    opened = true;
  }

  /** Whether the counterparty has sent more than its Logon(A) and Logout(5). */
  boolean isProven() {
    return proven;
  }

  void proven() {
    proven = true;
  }

  /** Whether this end wants the connection to end, for no fault of the counterparty. */
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

  /** Whether our Logon(A) had ResetSeqNumFlag(141), and the response to it is still to come. */
  boolean isResetSent() {
    return resetSent;
  }

  /**
   * Whether the counterparty is to reset its numbers, after our Logon(A) within the session or in response to its own.
   */
  boolean isResetAwaited() {
    return resetSent && logonReceived;
  }

  void resetSent(boolean value) {
    resetSent = value;
  }

  /** Whether the Logon(A) that is being looked at has ResetSeqNumFlag(141). */
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
