package dev.decant.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Random;

/**
 * Ports of the loopback interface for the listeners of a cluster, until it is closed. They lie below those that systems
 * give to outgoing connections, so that no client takes the port of a broker that starts or restarts. The first port of
 * each block stays bound: it tells other processes that reserve ports that the block is taken.
 */
@SuppressWarnings("try") // a resource may serve its block by being open: the block need not name it
final class LoopbackPorts implements AutoCloseable {
  private static final int FIRST = 10_240;
  /** Linux gives outgoing connections ports from 32768, other systems from 49152. */
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
   * @return ports on which nobody listens now
   * @throws ClusterException when no block has as many
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
        // the block is taken
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
        // somebody listens there
      }
    }
    return size == count ? found : new int[0];
  }

  private static ServerSocket bind(int port) throws IOException {
    return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
  }

  /** Refuses ports that somebody listens on: a broker would say so after seconds, and less clearly. */
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

  /** Gives the block back. */
  @Override
  public void close() {
    try {
      reservation.close();
    } catch (IOException e) {
      throw new ClusterException("a reserved port cannot be given back", e);
    }
  }
}
