package dev.decant.fake.differential;

import dev.decant.kafka.protocol.ApiKey;
import java.util.Set;
import java.util.function.Function;

/**
 * A request of a scenario.
 *
 * @param text what it is, for reports
 * @param api which API
 * @param version in which version
 * @param request makes it, with the ids of the cluster
 * @param client the name of the client that sends it, which is its client id, too
 * @param part whether the step has request and response, or one of them
 */
record Step(String text, ApiKey api, short version, Function<World, Object> request, String client, Part part) {

  /** The client of all that no member does. */
  static final String MAIN = "main";
  private static final Set<ApiKey> CHANGING = Set.of(ApiKey.CREATE_TOPICS, ApiKey.DELETE_TOPICS,
      ApiKey.CREATE_PARTITIONS, ApiKey.INCREMENTAL_ALTER_CONFIGS);

  /** A response that waits for the requests of others is a step of its own. */
  enum Part {
    /** Request and response. */
    BOTH,
    /** The request alone. */
    REQUEST,
    /** The response to a request that an earlier step has sent. */
    RESPONSE
  }

  Step(String text, ApiKey api, int version, Function<World, Object> request) {
    this(text, api, (short) version, request, MAIN, Part.BOTH);
  }

  /** The same request by another client. */
  Step by(String other) {
    return new Step(text, api, version, request, other, part);
  }

  /** The request alone. */
  Step begun() {
    return new Step(text, api, version, request, client, Part.REQUEST);
  }

  /** The response alone. */
  Step ended() {
    return new Step(text, api, version, request, client, Part.RESPONSE);
  }

  /** Whether brokers apply it later than they answer. */
  boolean changesMetadata() {
    return CHANGING.contains(api);
  }

  @Override
  public String toString() {
    return api.label() + " v" + version + " of " + client + " " + text + (part == Part.BOTH ? "" : " " + part);
  }
}
