package dev.decant.kafka.cluster;

import java.util.concurrent.ThreadLocalRandom;

/**
 * What every link to a broker needs to know.
 *
 * @param clientId sent in each request header
 * @param connectTimeoutNanos from resolving the name to the end of negotiation
 * @param requestTimeoutNanos from sending a request to its response
 * @param maxIdleNanos a connection without a request for so long is closed
 * @param maxFrameBytes a longer response ends the connection
 * @param resolver finds the addresses of brokers
 * @param reconnectNanos how long to wait before connecting again after the first failure
 * @param reconnectMaxNanos how long at most, before the fifth that chance adds or takes
 * @param security how connections are encrypted, and who the client is
 * @param identity the cluster that brokers have to belong to
 */
public record LinkSettings(String clientId, long connectTimeoutNanos, long requestTimeoutNanos, long maxIdleNanos,
    int maxFrameBytes, HostResolver resolver, long reconnectNanos, long reconnectMaxNanos,
    LinkSecurity security, ClusterIdentity identity) {

  private static final int MOST_DOUBLINGS = 10;

  /** The same, but for responses that may take longer. */
  LinkSettings withRequestTimeout(long nanos) {
    return new LinkSettings(clientId, connectTimeoutNanos, nanos, maxIdleNanos, maxFrameBytes, resolver,
        reconnectNanos, reconnectMaxNanos, security, identity);
  }

  /** How long to wait after so many failures, one or more: twice as long each time, more or less a fifth. */
  long reconnectBackoffNanos(int failures) {
    double grown = Math.scalb((double) reconnectNanos, Math.clamp(failures - 1L, 0, MOST_DOUBLINGS));
    return (long) (Math.min(grown, (double) reconnectMaxNanos) * ThreadLocalRandom.current().nextDouble(0.8, 1.2));
  }
}
