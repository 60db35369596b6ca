package dev.decant.fake;

import dev.decant.kafka.protocol.ApiKey;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A request that a broker of a fake cluster has received.
 *
 * @param number number of the request in the cluster, from 1
 * @param broker id of the broker
 * @param connection number of the connection in the cluster, from 1
 * @param api the API
 * @param version version of the request
 * @param correlationId id that the response repeats
 * @param clientId name that the client gives itself; null without a name
 * @param at time of the request, by the cluster's clock
 * @param body the decoded request, a message of {@code dev.decant.kafka.protocol.message}: for its text, and for tests
 *     on the class path. That package is no API, and its classes change with Kafka's protocol
 */
public record ReceivedRequest(long number, int broker, long connection, ApiKey api, short version, int correlationId,
    @Nullable String clientId, Instant at, Object body) {

  /** Most characters of a body: with records it is longer, and a transcript of 200 lines must stay within 100 kB. */
  private static final int LONGEST_BODY = 400;

  /** Returns the line of a transcript; a long body is cut. */
  @Override
  public String toString() {
    String whole = body.toString().replace('\n', ' ');
    String shown = whole.length() <= LONGEST_BODY ? whole : whole.substring(0, LONGEST_BODY) + "...";
    return number + " " + at + " broker " + broker + " connection " + connection + " " + clientId + ": "
        + api.label() + " v" + version + " " + shown;
  }
}
