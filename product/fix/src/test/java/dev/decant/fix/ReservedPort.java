package dev.decant.fix;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * A port of the loopback interface for a test that has to know it before anybody listens. It stays bound, so that no
 * other process or connection gets it meanwhile. A listener that reuses addresses can listen on it all the same, as
 * those of the JDK do on Linux.
 */
public final class ReservedPort implements AutoCloseable {
  private final Socket reservation = new Socket();

  /**
   * Reserves a free port.
   *
   * @throws IOException if there is none
   */
  public ReservedPort() throws IOException {
    reservation.setReuseAddress(true);
    reservation.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  /**
   * The port.
   *
   * @return its number
   */
  public int number() {
    return reservation.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    reservation.close();
  }
}
