package dev.decant.fake.differential;

import dev.decant.kafka.protocol.ApiKey;
import org.jspecify.annotations.Nullable;

/** Where the fake cluster differs from a real one. The reasons are in docs/testing.md, too. */
enum KnownDifferences {
  /** The fake cluster does not offer what it does not do. */
  APIS_NOT_OFFERED {
    @Override
    boolean has(Step step, String path, @Nullable String real, @Nullable String fake) {
      return step.api() == ApiKey.API_VERSIONS
          && ((path.startsWith(".apiKeys[") && fake == null) || path.equals(".apiKeys.size"));
    }
  },
  /** The fake cluster has features of clients alone, and not those of KRaft and of eligible leader replicas. */
  FEATURES_OF_CONTROLLERS {
    @Override
    boolean has(Step step, String path, @Nullable String real, @Nullable String fake) {
      return step.api() == ApiKey.API_VERSIONS && (path.contains("eatures[metadata.version]")
          || path.contains("eatures[kraft.version]") || path.contains("eatures[eligible.leader.replicas.version]")
          || path.endsWith("eatures.size"));
    }
  },
  /** Storage is formatted with a dynamic default of this one config. */
  FORMATTED_CONFIG {
    @Override
    boolean has(Step step, String path, @Nullable String real, @Nullable String fake) {
      return (step.api() == ApiKey.DESCRIBE_CONFIGS && path.contains("[min.insync.replicas]"))
          || (step.api() == ApiKey.CREATE_TOPICS && path.endsWith("[min.insync.replicas].configSource"));
    }
  },
  /** The message of a refused timestamp has bounds that depend on the time of the broker. */
  BOUNDS_OF_TIMESTAMPS {
    @Override
    boolean has(Step step, String path, @Nullable String real, @Nullable String fake) {
      return path.endsWith(".batchIndexErrorMessage") && real != null && fake != null
          && real.replaceAll("within .*", "").equals(fake.replaceAll("within .*", ""));
    }
  },
  /** Which partitions a member has, and not how many, depends on the order of Kafka's hash tables. */
  CHOICE_OF_PARTITIONS {
    @Override
    boolean has(Step step, String path, @Nullable String real, @Nullable String fake) {
      return (step.api() == ApiKey.CONSUMER_GROUP_HEARTBEAT || step.api() == ApiKey.CONSUMER_GROUP_DESCRIBE)
          && path.endsWith(".partitions") && real != null && fake != null
          && real.split(",", -1).length == fake.split(",", -1).length;
    }
  },
  /** The largest timestamp of a log whose records are all deleted: a real broker knows that of its last segment. */
  TIMESTAMP_OF_DELETED_RECORDS {
    @Override
    boolean has(Step step, String path, @Nullable String real, @Nullable String fake) {
      return step.api() == ApiKey.LIST_OFFSETS && step.text().contains(" at -3 ") && "-1".equals(fake)
          && (path.endsWith(".offset") || path.endsWith(".timestamp") || path.endsWith(".leaderEpoch"));
    }
  };

  abstract boolean has(Step step, String path, @Nullable String real, @Nullable String fake);

  /** The one that a difference is; null if it is none of them. */
  static @Nullable KnownDifferences of(Step step, String path, @Nullable String real, @Nullable String fake) {
    for (KnownDifferences difference : values()) {
      if (difference.has(step, path, real, fake)) {
        return difference;
      }
    }
    return null;
  }
}
