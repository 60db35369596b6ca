package dev.decant.kafka.cluster;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** Finds the addresses of a host; blocks. */
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
}
