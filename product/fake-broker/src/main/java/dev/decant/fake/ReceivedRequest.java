package dev.decant.fake;

import dev.decant.kafka.protocol.ApiKey;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A request that a broker of a fake cluster has received.
 *
 * @param number counts the requests of the cluster, from 1
 * @param broker the id of the broker that was asked
 * @param connection the number of the connection in the cluster, from 1
 * @param api the API
 * @param version the version of the request
 * @param correlationId what the response repeats
 * @param clientId what the client calls itself, null for nothing
 * @param at when it came, in the cluster's time
 * @param body the decoded request, a message of {@code dev.decant.kafka.protocol.message}: for its text, and for tests
 *     on the class path. That package is no API, and its classes change with Kafka's protocol
 */
public record ReceivedRequest(long number, int broker, long connection, ApiKey api, short version, int correlationId,
    @Nullable String clientId, Instant at, Object body) {

  /** Bodies are longer than this where they have records: a transcript of 200 lines stays within 100 kB. */
  private static final int LONGEST_BODY = 400;

  /** One line of a transcript; a long body is cut. */
  @Override
  public String toString() {
    String whole = body.toString().replace('\n', ' ');
    String shown = whole.length() <= LONGEST_BODY ? whole : whole.substring(0, LONGEST_BODY) + "...";
    return number + " " + at + " broker " + broker + " connection " + connection + " " + clientId + ": "
        + api.label() + " v" + version + " " + shown;
  }
}
