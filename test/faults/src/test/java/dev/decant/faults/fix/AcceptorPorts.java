package dev.decant.faults.fix;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Ports of the loopback interface where engines listen, killed and started again. They lie below those that systems
 * give to outgoing connections. The first port of their block stays bound, by which the test kit's brokers of other
 * processes see that the block is taken.
 */
final class AcceptorPorts implements AutoCloseable {
  private static final int FIRST = 10_240;
  private static final int BLOCK = 32;
  private static final int BLOCKS = (32_768 - FIRST) / BLOCK;

  private final ServerSocket reservation;
  private final List<Integer> ports = new ArrayList<>();

  private AcceptorPorts(ServerSocket reservation) {
    this.reservation = reservation;
    int first = reservation.getLocalPort();
    for (int port = first + 1; port < first + BLOCK; port++) {
      try {
        bind(port).close();
        ports.add(port);
      } catch (IOException e) {
        // somebody listens there
      }
    }
  }

  static AcceptorPorts reserve() {
    int start = new Random().nextInt(BLOCKS);
    for (int i = 0; i < BLOCKS; i++) {
      try {
        AcceptorPorts ports = new AcceptorPorts(bind(FIRST + (start + i) % BLOCKS * BLOCK));
        if (ports.ports.size() >= Link.values().length) {
          return ports;
        }
        ports.close();
      } catch (IOException e) {
        // the block is taken
      }
    }
    throw new IllegalStateException("no ports from " + FIRST + " on are free");
  }

  private static ServerSocket bind(int port) throws IOException {
    return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
  }

  /** Another one with each call. */
  int next() {
    return ports.removeLast();
  }

  /** Gives the block back. */
  @Override
  public void close() throws IOException {
    reservation.close();
  }
}
