package dev.decant.kafka.broker;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ApiVersionsResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The versions of brokers of earlier releases, as their ApiVersions response lists them. All ranges begin with version
 * 0.
 */
@SuppressWarnings("ImmutableEnumChecker") // Map.ofEntries is immutable
public enum BrokerRelease {
  /**
   * The oldest release that Apache's client 4.x accepts (KIP-896): without lists of coordinators, static members or
   * topic ids.
   */
  V2_1(2, Map.ofEntries(Map.entry(ApiKey.PRODUCE, 7), Map.entry(ApiKey.FETCH, 10), Map.entry(ApiKey.LIST_OFFSETS, 4),
      Map.entry(ApiKey.METADATA, 7), Map.entry(ApiKey.OFFSET_COMMIT, 6), Map.entry(ApiKey.OFFSET_FETCH, 5),
      Map.entry(ApiKey.FIND_COORDINATOR, 2), Map.entry(ApiKey.JOIN_GROUP, 3), Map.entry(ApiKey.HEARTBEAT, 2),
      Map.entry(ApiKey.LEAVE_GROUP, 2), Map.entry(ApiKey.SYNC_GROUP, 2), Map.entry(ApiKey.SASL_HANDSHAKE, 1),
      Map.entry(ApiKey.INIT_PRODUCER_ID, 1), Map.entry(ApiKey.OFFSET_FOR_LEADER_EPOCH, 2),
      Map.entry(ApiKey.ADD_PARTITIONS_TO_TXN, 1), Map.entry(ApiKey.ADD_OFFSETS_TO_TXN, 1),
      Map.entry(ApiKey.END_TXN, 1), Map.entry(ApiKey.TXN_OFFSET_COMMIT, 2), Map.entry(ApiKey.SASL_AUTHENTICATE, 0))),
  /** Has topic ids in metadata, and nowhere else. */
  V2_8(3, Map.ofEntries(Map.entry(ApiKey.PRODUCE, 9), Map.entry(ApiKey.FETCH, 12), Map.entry(ApiKey.LIST_OFFSETS, 6),
      Map.entry(ApiKey.METADATA, 11), Map.entry(ApiKey.OFFSET_COMMIT, 8), Map.entry(ApiKey.OFFSET_FETCH, 7),
      Map.entry(ApiKey.FIND_COORDINATOR, 3), Map.entry(ApiKey.JOIN_GROUP, 7), Map.entry(ApiKey.HEARTBEAT, 4),
      Map.entry(ApiKey.LEAVE_GROUP, 4), Map.entry(ApiKey.SYNC_GROUP, 5), Map.entry(ApiKey.SASL_HANDSHAKE, 1),
      Map.entry(ApiKey.INIT_PRODUCER_ID, 4), Map.entry(ApiKey.OFFSET_FOR_LEADER_EPOCH, 4),
      Map.entry(ApiKey.ADD_PARTITIONS_TO_TXN, 3), Map.entry(ApiKey.ADD_OFFSETS_TO_TXN, 3),
      Map.entry(ApiKey.END_TXN, 3), Map.entry(ApiKey.TXN_OFFSET_COMMIT, 3), Map.entry(ApiKey.SASL_AUTHENTICATE, 2),
      Map.entry(ApiKey.DESCRIBE_CLUSTER, 0))),
  /** Has fetches by topic id, while Produce requests name topics. */
  V3_3(3, Map.ofEntries(Map.entry(ApiKey.PRODUCE, 9), Map.entry(ApiKey.FETCH, 13), Map.entry(ApiKey.LIST_OFFSETS, 7),
      Map.entry(ApiKey.METADATA, 12), Map.entry(ApiKey.OFFSET_COMMIT, 8), Map.entry(ApiKey.OFFSET_FETCH, 8),
      Map.entry(ApiKey.FIND_COORDINATOR, 4), Map.entry(ApiKey.JOIN_GROUP, 9), Map.entry(ApiKey.HEARTBEAT, 4),
      Map.entry(ApiKey.LEAVE_GROUP, 5), Map.entry(ApiKey.SYNC_GROUP, 5), Map.entry(ApiKey.SASL_HANDSHAKE, 1),
      Map.entry(ApiKey.INIT_PRODUCER_ID, 4), Map.entry(ApiKey.OFFSET_FOR_LEADER_EPOCH, 4),
      Map.entry(ApiKey.ADD_PARTITIONS_TO_TXN, 3), Map.entry(ApiKey.ADD_OFFSETS_TO_TXN, 3),
      Map.entry(ApiKey.END_TXN, 3), Map.entry(ApiKey.TXN_OFFSET_COMMIT, 3), Map.entry(ApiKey.SASL_AUTHENTICATE, 2),
      Map.entry(ApiKey.DESCRIBE_CLUSTER, 0)));

  /** The first version of ApiVersions whose refusal of a version has the broker's range for it (KIP-511). */
  private static final int FIRST_WITH_RANGE = 3;

  private final int versionsOfVersions;
  private final Map<ApiKey, Integer> highest;

  BrokerRelease(int versionsOfVersions, Map<ApiKey, Integer> highest) {
    this.versionsOfVersions = versionsOfVersions;
    this.highest = highest;
  }

  /** Returns the highest version of an API. */
  public int highest(ApiKey api) {
    Integer version = highest.get(api);
    if (version == null) {
      throw new IllegalArgumentException(this + " does not speak " + api);
    }
    return version;
  }

  /** Responds to ApiVersions as this release; refuses a version of it that the release does not know. */
  public Script negotiation() {
    return negotiation(Map.of());
  }

  /** Responds to ApiVersions as this release, with other versions of some APIs. */
  public Script negotiation(Map<ApiKey, Integer> others) {
    Map<ApiKey, Integer> all = new TreeMap<>(highest);
    all.putAll(others);
    List<ApiVersionsResponse.ApiVersion> spoken = new ArrayList<>();
    all.forEach((api, version) -> spoken.add(range(api, version)));
    ApiVersionsResponse.ApiVersion own = range(ApiKey.API_VERSIONS, versionsOfVersions);
    spoken.add(own);
    ApiVersionsResponse refusal = new ApiVersionsResponse().errorCode(ErrorCode.UNSUPPORTED_VERSION.code())
        .apiKeys(versionsOfVersions >= FIRST_WITH_RANGE ? List.of(own) : List.of());
    return exchange -> {
      if (exchange.request().version() > versionsOfVersions) {
        exchange.raw(exchange.frame(refusal::write, (short) 0, 0));
      } else {
        exchange.answer(new ApiVersionsResponse().apiKeys(spoken)::write);
      }
    };
  }

  private static ApiVersionsResponse.ApiVersion range(ApiKey api, int version) {
    return new ApiVersionsResponse.ApiVersion().apiKey(api.id()).minVersion((short) 0).maxVersion((short) version);
  }
}
