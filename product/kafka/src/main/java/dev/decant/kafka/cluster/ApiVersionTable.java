package dev.decant.kafka.cluster;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The versions of each API that one broker speaks, and the features that the cluster has finalized (KIP-584), as the
 * broker said when the connection was opened.
 */
public final class ApiVersionTable {
  static final ApiVersionTable EMPTY = new ApiVersionTable();
  /** In place of a version: there is none that both sides speak. */
  static final short NONE = -1;
  private static final int APIS = 128;
  private static final String OLDEST = "; brokers are to be of Kafka 2.1 or later";
  /** In place of an epoch: the broker has said nothing of features. */
  static final long NO_FEATURES = -1;

  private final short[] min = new short[APIS];
  private final short[] max = new short[APIS];
  private final Map<String, Short> features = new HashMap<>();
  private long featuresEpoch = NO_FEATURES;

  ApiVersionTable() {
    Arrays.fill(max, (short) -1);
  }

  void put(short apiKey, short minVersion, short maxVersion) {
    if (apiKey >= 0 && apiKey < APIS) {
      min[apiKey] = minVersion;
      max[apiKey] = maxVersion;
    }
  }

  void features(long epoch) {
    featuresEpoch = epoch;
  }

  void putFeature(String name, short level) {
    features.put(name, level);
  }

  /** Grows with each change of a feature; {@link #NO_FEATURES} if the broker has not said. */
  long featuresEpoch() {
    return featuresEpoch;
  }

  /** The finalized level of a feature; 0 if it is not in use. */
  short feature(String name) {
    return features.getOrDefault(name, (short) 0);
  }

  /** The highest version that both sides speak; {@link #NONE} if there is none. */
  short choose(ApiKey api, int ourMin, int ourMax) {
    int version = Math.min(ourMax, max[api.id()]);
    return version < Math.max(ourMin, min[api.id()]) ? NONE : (short) version;
  }

  /**
   * What the broker speaks of an API and this client does not.
   *
   * @param remedy what needs these versions and what does without them; empty if everything needs them
   */
  KafkaException unsupported(ApiKey api, int ourMin, int ourMax, String broker, String remedy) {
    short theirMax = max[api.id()];
    boolean isOld = remedy.isEmpty() && theirMax >= 0 && theirMax < ourMin;
    String theirs = theirMax < 0
        ? " does not speak API " + api.label()
        : " speaks versions " + min[api.id()] + " to " + max[api.id()] + " of API " + api.label();
    return new KafkaException(ErrorCode.UNSUPPORTED_VERSION,
        "broker " + broker + theirs + ", this client versions " + ourMin + " to " + ourMax
            + (isOld ? OLDEST : remedy));
  }

  /**
   * Tells whether the broker offers a version of an API.
   *
   * @param api the API
   * @param version the version
   * @return false also if it does not offer the API at all
   */
  public boolean offers(ApiKey api, int version) {
    return version >= min[api.id()] && version <= max[api.id()];
  }
}
