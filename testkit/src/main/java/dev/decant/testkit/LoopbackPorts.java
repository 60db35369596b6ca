package dev.decant.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Picks ports of the loopback interface that are free now. */
final class LoopbackPorts {
  private LoopbackPorts() {}

  /**
   * Picks several at once, so that they differ.
   *
   * @param count how many
   * @return free ports; somebody else may take one before it is used, and then the broker's start fails and says so
   */
  static int[] pick(int count) {
    ServerSocket[] held = new ServerSocket[count];
    int[] ports = new int[count];
    try {
      for (int i = 0; i < count; i++) {
        held[i] = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        ports[i] = held[i].getLocalPort();
      }
      for (ServerSocket socket : held) {
        socket.close();
      }
      return ports;
    } catch (IOException e) {
      throw new ClusterException("no free port on the loopback interface", e);
    }
  }
}
