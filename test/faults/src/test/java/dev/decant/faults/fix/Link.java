package dev.decant.faults.fix;

import dev.decant.fix.settings.SessionId;
import quickfix.SessionID;

/** The sessions between the two engines: Decant in each role, with each store in files. */
enum Link {
  INITIATOR_FILE(true, false, true), INITIATOR_ASYNC(true, true, false), ACCEPTOR_FILE(false, false, false),
  ACCEPTOR_ASYNC(false, true, true);

  static final String VERSION = "FIX.4.4";
  private static final int RESEND_CHUNK = 100;
  private static final int SYNCED_ORDERS_PER_SECOND = 20;
  private static final int ORDERS_PER_SECOND = 200;
  /** A burst has orders of so many seconds. */
  private static final int BURST_SECONDS = 3;

  /** Whether Decant connects, and QuickFIX/J accepts. */
  final boolean decantConnects;
  /** Whether Decant has the asynchronous file store. */
  final boolean isAsync;
  /**
   * Whether QuickFIX/J's file store forces each change to the disk. A kill loses nothing without that either, and the
   * session then has ten times as many messages.
   */
  final boolean isSynced;

  Link(boolean decantConnects, boolean isAsync, boolean isSynced) {
    this.decantConnects = decantConnects;
    this.isAsync = isAsync;
    this.isSynced = isSynced;
  }

  /** Whether Decant accepts orders without a connection; QuickFIX/J always does. */
  boolean sendsWhileLoggedOut() {
    return decantConnects != isAsync;
  }

  /** How many messages both engines request at a time to fill a gap; 0 for all. */
  int resendChunk() {
    return decantConnects ? 0 : RESEND_CHUNK;
  }

  int ordersPerSecond() {
    return isSynced ? SYNCED_ORDERS_PER_SECOND : ORDERS_PER_SECOND;
  }

  int ordersOfABurst() {
    return BURST_SECONDS * ordersPerSecond();
  }

  SessionId decantId() {
    return SessionId.of(VERSION, "DECANT-" + name(), "QUICKFIX-" + name());
  }

  SessionID quickFixId() {
    return new SessionID(VERSION, "QUICKFIX-" + name(), "DECANT-" + name());
  }
}
