package dev.decant.kafka.cluster;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Settings of every link to a broker.
 *
 * @param clientId sent in each request header
 * @param connectTimeoutNanos from the look-up of the host to the end of the setup
 * @param requestTimeoutNanos from sending a request to its response
 * @param maxIdleNanos time without a request after which a connection is closed
 * @param maxFrameBytes the longest response; a longer one ends the connection
 * @param resolver finds the addresses of brokers
 * @param reconnectNanos the pause before the second attempt to connect
 * @param reconnectMaxNanos the longest pause, before the random fifth is added
 * @param security encryption and login
 * @param identity the cluster to which brokers must belong
 */
public record LinkSettings(String clientId, long connectTimeoutNanos, long requestTimeoutNanos, long maxIdleNanos,
    int maxFrameBytes, HostResolver resolver, long reconnectNanos, long reconnectMaxNanos,
    LinkSecurity security, ClusterIdentity identity) {

  private static final int MOST_DOUBLINGS = 10;

  /** Returns a copy with another request timeout, for responses that may take longer. */
  LinkSettings withRequestTimeout(long nanos) {
    return new LinkSettings(clientId, connectTimeoutNanos, nanos, maxIdleNanos, maxFrameBytes, resolver,
        reconnectNanos, reconnectMaxNanos, security, identity);
  }

  /** Returns the pause after a number of failures, one or more: it doubles each time, more or less a fifth. */
  long reconnectBackoffNanos(int failures) {
    double grown = Math.scalb((double) reconnectNanos, Math.clamp(failures - 1L, 0, MOST_DOUBLINGS));
    return (long) (Math.min(grown, (double) reconnectMaxNanos) * ThreadLocalRandom.current().nextDouble(0.8, 1.2));
  }
}
