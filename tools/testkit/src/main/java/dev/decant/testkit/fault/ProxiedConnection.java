package dev.decant.testkit.fault;

import java.io.IOException;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/** A client's connection with its connection to the broker, and a lane for each direction. Threads: any. */
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

  /** Notes that a lane has forwarded the end of its stream, or cannot. After both have, the connection is closed. */
  void laneEnded() {
    if (openLanes.decrementAndGet() == 0) {
      close();
    }
  }

  /** Ends the connection with RST to both sides, which discards unread bytes. */
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
      // The socket is closed already.
    }
  }

  static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // The socket is closed already.
    }
  }
}
