package dev.decant.kafka.cluster;

import dev.decant.net.MemoryNetwork;
import dev.decant.net.SocketTransport;
import dev.decant.net.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;

/**
 * Finds the addresses of a host, and opens streams to them. A host of the {@link MemoryNetwork} has one address and
 * needs no look-up.
 */
@FunctionalInterface
public interface HostResolver {
  /**
   * Looks up a host.
   *
   * @param host name or address
   * @return one address at least
   * @throws UnknownHostException if there is none
   */
  InetAddress[] resolve(String host) throws UnknownHostException;

  /**
   * Returns true if {@link #resolve} may take long, so the owner of the loop must not call it. False for a network in
   * memory.
   */
  default boolean blocks() {
    return true;
  }

  /** Returns true if the look-up of this host may take long; false if the owner of the loop may do it. */
  default boolean blocks(String host) {
    return !MemoryNetwork.isHost(host) && blocks();
  }

  /**
   * Finds the addresses of a broker.
   *
   * @return one address at least
   * @throws UnknownHostException if there is none
   */
  default List<InetSocketAddress> addresses(BrokerAddress broker) throws UnknownHostException {
    if (MemoryNetwork.isHost(broker.host())) {
      return List.of(InetSocketAddress.createUnresolved(broker.host(), broker.port()));
    }
    InetAddress[] found = resolve(broker.host());
    if (found.length == 0) {
      throw new UnknownHostException(broker.host());
    }
    return Arrays.stream(found).map(host -> new InetSocketAddress(host, broker.port())).toList();
  }

  /**
   * Starts a connection.
   *
   * @param target one of the addresses, with a port
   * @return a stream that is not registered yet
   * @throws IOException if the connection cannot be started
   */
  default Transport connect(InetSocketAddress target) throws IOException {
    return target.isUnresolved()
        ? MemoryNetwork.connect(target.getHostString(), target.getPort())
        : SocketTransport.connect(target);
  }
}
