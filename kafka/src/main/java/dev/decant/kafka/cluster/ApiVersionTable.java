package dev.decant.kafka.cluster;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.Arrays;

/** The versions of each API that one broker speaks, as it said when the connection was opened. */
public final class ApiVersionTable {
  static final ApiVersionTable EMPTY = new ApiVersionTable();
  private static final int APIS = 128;

  private final short[] min = new short[APIS];
  private final short[] max = new short[APIS];

  ApiVersionTable() {
    Arrays.fill(max, (short) -1);
  }

  void put(short apiKey, short minVersion, short maxVersion) {
    if (apiKey >= 0 && apiKey < APIS) {
      min[apiKey] = minVersion;
      max[apiKey] = maxVersion;
    }
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
      String theirs = max[apiKey] < 0
          ? " does not speak API " + nameOf(apiKey)
          : " speaks versions " + min[apiKey] + " to " + max[apiKey] + " of API " + nameOf(apiKey);
      throw new KafkaException(ErrorCode.UNSUPPORTED_VERSION,
          "broker " + broker + theirs + ", this client versions " + ourMin + " to " + ourMax);
    }
    return (short) version;
  }

  /** An API as messages name it. */
  static String nameOf(short apiKey) {
    ApiKey api = ApiKey.of(apiKey);
    return api == null ? String.valueOf(apiKey) : api.label();
  }
}
