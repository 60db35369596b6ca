package dev.decant.lab.fix;

import java.io.IOException;

/**
 * An engine with both ends of its sessions in this JVM, connected over the loopback interface. The measuring thread
 * calls it; the receiving thread reports to {@link Arrivals}.
 */
interface FixContender extends AutoCloseable {

  /**
   * Starts an engine; the sessions are logged on when this method returns.
   *
   * @param arrivals takes each order that has come back, or that the acceptor has received if it does not echo
   * @throws Exception when the engine does not start
   */
  static FixContender open(FixSpec spec, Arrivals arrivals) throws Exception {
    return switch (spec.engine()) {
      case BARE_SOCKET -> new BarePair(spec, arrivals);
      case PHILADELPHIA -> new PhiladelphiaPair(spec, arrivals);
      case QUICKFIXJ_MEMORY, QUICKFIXJ_FILE, ADAPTER_MEMORY -> new QuickFixPair(spec, arrivals);
      case DECANT_MEMORY, DECANT_FILE, DECANT_ASYNC -> new DecantPair(spec, arrivals);
    };
  }

  /**
   * Sends an order from the first initiator.
   *
   * @param number number of the order, from 1 without gaps
   * @throws Exception when the session has ended
   */
  void send(long number) throws Exception;

  /**
   * Waits for orders.
   *
   * @param count number of orders that must have arrived since the start
   * @throws Exception when the session has ended, or the thread was interrupted
   */
  void awaitArrived(long count) throws Exception;

  /**
   * Waits until a moment, and does the work that an engine leaves to its callers meanwhile.
   *
   * @param nanos monotonic time
   * @throws Exception when the session has ended, or the thread was interrupted
   */
  void awaitTime(long nanos) throws Exception;

  /** Returns the number of messages that both sides have sent on their own since the start, mostly heartbeats. */
  long administrativeMessages();

  /** Returns the length of an order as the acceptor received it, for a MsgSeqNum(34) of six digits. */
  int wireBytes();

  @Override
  void close() throws IOException;
}
