package dev.decant.kafka.cluster;

import java.nio.charset.StandardCharsets;

/**
 * What every link to a broker needs to know.
 *
 * @param clientId sent in each request header
 * @param connectTimeoutNanos from resolving the name to the end of negotiation
 * @param requestTimeoutNanos from sending a request to its answer
 * @param maxIdleNanos a connection without a request for so long is closed
 * @param maxFrameBytes a longer response ends the connection
 * @param resolver finds the addresses of brokers
 */
public record LinkSettings(String clientId, long connectTimeoutNanos, long requestTimeoutNanos, long maxIdleNanos,
    int maxFrameBytes, HostResolver resolver) {
  /** The same, but for answers that may take longer. */
  LinkSettings withRequestTimeout(long nanos) {
    return new LinkSettings(clientId, connectTimeoutNanos, nanos, maxIdleNanos, maxFrameBytes, resolver);
  }

  byte[] clientIdBytes() {
    return clientId.getBytes(StandardCharsets.UTF_8);
  }
}
