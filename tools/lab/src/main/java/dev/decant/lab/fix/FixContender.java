package dev.decant.lab.fix;

import java.io.IOException;

/**
 * One engine with both ends of its sessions in this JVM, connected over the loopback interface. The measuring thread
 * calls it, but for {@link Arrivals}, which the thread that receives tells.
 */
interface FixContender extends AutoCloseable {

  /**
   * Starts an engine; when this returns, the sessions are logged on.
   *
   * @param spec which, and how it is set
   * @param arrivals told of each order that has come back, or of each that the acceptor has if it does not echo
   * @return to be closed
   * @throws Exception when it does not start
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
   * @param number of the order, from 1 without gaps
   * @throws Exception when the session is gone
   */
  void send(long number) throws Exception;

  /**
   * Waits for orders.
   *
   * @param count how many must have arrived, since the start
   * @throws Exception when the session is gone, or the thread was interrupted
   */
  void awaitArrived(long count) throws Exception;

  /**
   * Waits until a moment, and does what an engine leaves to its callers meanwhile.
   *
   * @param nanos monotonic time
   * @throws Exception when the session is gone, or the thread was interrupted
   */
  void awaitTime(long nanos) throws Exception;

  /**
   * What the sessions have sent of their own: heartbeats, mostly.
   *
   * @return messages of both sides, since the start
   */
  long administrativeMessages();

  /**
   * Length of an order as the acceptor received it, if MsgSeqNum had six digits.
   *
   * @return bytes
   */
  int wireBytes();

  @Override
  void close() throws IOException;
}
