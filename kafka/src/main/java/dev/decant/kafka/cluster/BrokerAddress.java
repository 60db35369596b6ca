package dev.decant.kafka.cluster;

/**
 * Where a broker listens.
 *
 * @param host its host name
 * @param port its port
 */
public record BrokerAddress(String host, int port) {
  @Override
  public String toString() {
    return host + ":" + port;
  }
}
