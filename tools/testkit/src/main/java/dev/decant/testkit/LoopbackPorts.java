package dev.decant.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Random;

/**
 * Ports of the loopback interface for the listeners of a cluster, reserved until close. They are below the ports that
 * systems assign to outgoing connections, so no client takes the port of a broker that starts or restarts. The first
 * port of each block stays bound, so other processes that reserve ports see that the block is taken.
 */
@SuppressWarnings("try") // a resource may serve its block by being open: the block need not name it
final class LoopbackPorts implements AutoCloseable {
  private static final int FIRST = 10_240;
  /** Upper end of the range: Linux assigns ports from 32768 to outgoing connections, other systems from 49152. */
  static final int END = 32_768;
  private static final int BLOCK = 32;
  private static final int BLOCKS = (END - FIRST) / BLOCK;

  private final ServerSocket reservation;
  private final int[] ports;

  private LoopbackPorts(ServerSocket reservation, int[] ports) {
    this.reservation = reservation;
    this.ports = ports;
  }

  /**
   * Reserves several ports.
   *
   * @param count how many, up to 31
   * @return ports that are free now
   * @throws ClusterException when no block has that many free ports
   */
  static LoopbackPorts reserve(int count) {
    int start = new Random().nextInt(BLOCKS);
    for (int i = 0; i < BLOCKS; i++) {
      int first = FIRST + (start + i) % BLOCKS * BLOCK;
      try {
        ServerSocket reservation = bind(first);
        int[] ports = free(first + 1, first + BLOCK, count);
        if (ports.length == count) {
          return new LoopbackPorts(reservation, ports);
        }
        reservation.close();
      } catch (IOException e) {
        // The block is taken.
      }
    }
    throw new ClusterException(
        "no " + count + " free ports on the loopback interface between " + FIRST + " and " + END);
  }

  private static int[] free(int from, int end, int count) {
    int[] found = new int[count];
    int size = 0;
    for (int port = from; port < end && size < count; port++) {
      try (ServerSocket unused = bind(port)) {
        found[size++] = port;
      } catch (IOException e) {
        // The port is in use.
      }
    }
    return size == count ? found : new int[0];
  }

  private static ServerSocket bind(int port) throws IOException {
    return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
  }

  /** Throws if a port is in use: a broker would report that after seconds, and less clearly. */
  static int[] requireFree(int[] wanted) {
    for (int port : wanted) {
      try {
        bind(port).close();
      } catch (IOException e) {
        throw new ClusterException("port " + port + " is taken: " + e.getMessage()
            + "; name another with firstPort(port), or none to get free ones", e);
      }
    }
    return wanted;
  }

  /** Returns the reserved ports, in ascending order. */
  int[] all() {
    return ports.clone();
  }

  /** Releases the block. */
  @Override
  public void close() {
    try {
      reservation.close();
    } catch (IOException e) {
      throw new ClusterException("a reserved port cannot be given back", e);
    }
  }
}
