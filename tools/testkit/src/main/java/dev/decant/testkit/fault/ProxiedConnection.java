package dev.decant.testkit.fault;

import java.io.IOException;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/** A client's connection, the one to the broker that belongs to it, and a lane for each direction. Threads: any. */
final class ProxiedConnection {
  private final FaultProxy proxy;
  private final Socket client;
  private final Socket broker;
  private final Lane toBroker;
  private final Lane toClient;
  private final AtomicInteger openLanes = new AtomicInteger(2);

  ProxiedConnection(FaultProxy proxy, Socket client, Socket broker, long seed) {
    this.proxy = proxy;
    this.client = client;
    this.broker = broker;
    this.toBroker = new Lane(this, client, broker, proxy.faults(Direction.TO_BROKER), new Random(seed));
    this.toClient = new Lane(this, broker, client, proxy.faults(Direction.TO_CLIENT), new Random(~seed));
  }

  void start() {
    toBroker.start();
    toClient.start();
  }

  boolean hasLost() {
    return toBroker.hasLost() || toClient.hasLost();
  }

  /** A lane has told its end, or cannot: when both have, all is over. */
  void laneEnded() {
    if (openLanes.decrementAndGet() == 0) {
      close();
    }
  }

  /** Ends it with RST to both sides, which throws away what they have not read. */
  void reset() {
    resetOnClose(client);
    resetOnClose(broker);
    close();
  }

  private void close() {
    proxy.ended(this);
    closeQuietly(client);
    closeQuietly(broker);
    toBroker.interrupt();
    toClient.interrupt();
  }

  /** Makes {@link Socket#close} send RST in place of FIN. */
  static void resetOnClose(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
    } catch (IOException e) {
      // closed already
    }
  }

  static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // nothing is left to be closed
    }
  }
}
