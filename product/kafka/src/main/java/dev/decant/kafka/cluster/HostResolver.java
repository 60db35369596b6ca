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
 * Finds the addresses of a host, and opens streams to them. Hosts of the {@link MemoryNetwork} have one address, which
 * nobody looks up.
 */
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
   * Whether finding the addresses of a host may take long.
   *
   * @param host name or address
   * @return false if the owner of the loop may do it
   */
  default boolean blocks(String host) {
    return !MemoryNetwork.isHost(host) && blocks();
  }

  /**
   * Finds the addresses of a broker.
   *
   * @param broker host and port
   * @return one at least
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
   * Begins to connect.
   *
   * @param target one of the addresses, with a port
   * @return a stream that is not registered yet
   * @throws IOException if that cannot begin
   */
  default Transport connect(InetSocketAddress target) throws IOException {
    return target.isUnresolved()
        ? MemoryNetwork.connect(target.getHostString(), target.getPort())
        : SocketTransport.connect(target);
  }
}
