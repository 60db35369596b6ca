package dev.decant.kafka.cluster;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The versions of each API that one broker speaks, and the features that the cluster has finalized (KIP-584).
 * The broker reports both when the connection is opened.
 */
public final class ApiVersionTable {
  static final ApiVersionTable EMPTY = new ApiVersionTable();
  /** A value in the place of a version: both sides have none in common. */
  static final short NONE = -1;
  private static final int APIS = 128;
  private static final String OLDEST = "; brokers are to be of Kafka 2.1 or later";
  /** A value in the place of an epoch: the broker has reported no features. */
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

  /** Returns the epoch of the features, which grows with each change; {@link #NO_FEATURES} without a report. */
  long featuresEpoch() {
    return featuresEpoch;
  }

  /** Returns the finalized level of a feature; 0 if it is not in use. */
  short feature(String name) {
    return features.getOrDefault(name, (short) 0);
  }

  /** Returns the highest version that both sides speak; {@link #NONE} if there is none. */
  short choose(ApiKey api, int ourMin, int ourMax) {
    int version = Math.min(ourMax, max[api.id()]);
    return version < Math.max(ourMin, min[api.id()]) ? NONE : (short) version;
  }

  /**
   * Returns the error for an API without a common version.
   *
   * @param remedy what needs these versions, and what works without them; empty if everything needs them
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

  /** Returns true if the broker offers a version of an API; false also if it lacks the API. */
  public boolean offers(ApiKey api, int version) {
    return version >= min[api.id()] && version <= max[api.id()];
  }
}
