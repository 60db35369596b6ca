package dev.decant.kafka.cluster;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The versions of each API that one broker speaks, and the features that the cluster has finalized (KIP-584), as the
 * broker said when the connection was opened.
 */
public final class ApiVersionTable {
  static final ApiVersionTable EMPTY = new ApiVersionTable();
  private static final int APIS = 128;
  /** In place of an epoch: the broker has said nothing of features. */
  static final long NO_FEATURES = -1;

  private final short[] min = new short[APIS];
  private final short[] max = new short[APIS];
  private final Map<String, Short> features = new HashMap<>();
  private long featuresEpoch = NO_FEATURES;
  private @Nullable Runnable onUnsupported;

  ApiVersionTable() {
    Arrays.fill(max, (short) -1);
  }

  void put(short apiKey, short minVersion, short maxVersion) {
    if (apiKey >= 0 && apiKey < APIS) {
      min[apiKey] = minVersion;
      max[apiKey] = maxVersion;
    }
  }

  /** Sets the listener for an API without a common version. Owner of the loop. */
  void onUnsupported(Runnable value) {
    onUnsupported = value;
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

  /**
   * The highest version that both sides speak.
   *
   * @param apiKey the API
   * @param ourMin lowest version we can use
   * @param ourMax highest version we can use
   * @param broker named in the error
   * @return the version
   * @throws KafkaException when there is none
   */
  public short choose(short apiKey, int ourMin, int ourMax, String broker) {
    int version = Math.min(ourMax, max[apiKey]);
    if (version < Math.max(ourMin, min[apiKey])) {
      Runnable told = onUnsupported;
      if (told != null) {
        told.run();
      }
      String theirs = max[apiKey] < 0
          ? " does not speak API " + nameOf(apiKey)
          : " speaks versions " + min[apiKey] + " to " + max[apiKey] + " of API " + nameOf(apiKey);
      throw new KafkaException(ErrorCode.UNSUPPORTED_VERSION,
          "broker " + broker + theirs + ", this client versions " + ourMin + " to " + ourMax);
    }
    return (short) version;
  }

  /**
   * Tells whether the broker offers a version of an API.
   *
   * @param apiKey the API
   * @param version the version
   * @return false also if it does not offer the API at all
   */
  public boolean offers(short apiKey, int version) {
    return version >= min[apiKey] && version <= max[apiKey];
  }

  /** An API as messages name it. */
  static String nameOf(short apiKey) {
    ApiKey api = ApiKey.of(apiKey);
    return api == null ? String.valueOf(apiKey) : api.label();
  }
}
