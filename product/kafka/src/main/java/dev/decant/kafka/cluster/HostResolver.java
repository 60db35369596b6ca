package dev.decant.kafka.cluster;

import dev.decant.net.SocketTransport;
import dev.decant.net.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** Finds the addresses of a host, and opens streams to them. */
@FunctionalInterface
public interface HostResolver {
  /**
   * Looks a host up.
   *
   * @param host name or address
   * @return one at least
   * @throws UnknownHostException if there is none
   */
  InetAddress[] resolve(String host) throws UnknownHostException;

  /**
   * Whether {@link #resolve} may take long, so that another thread than the owner of the loop is to call it.
   *
   * @return false for a network in memory
   */
  default boolean blocks() {
    return true;
  }

  /**
   * Begins to connect.
   *
   * @param target one of the addresses, with a port
   * @return a stream that is not registered yet
   * @throws IOException if that cannot begin
   */
  default Transport connect(InetSocketAddress target) throws IOException {
    return SocketTransport.connect(target);
  }
}
