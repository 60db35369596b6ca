package dev.decant.fake.api;

import dev.decant.fake.cluster.Release;
import dev.decant.kafka.protocol.message.ApiVersionsResponse;
import dev.decant.kafka.protocol.message.ApiVersionsResponse.FinalizedFeatureKey;
import dev.decant.kafka.protocol.message.ApiVersionsResponse.SupportedFeatureKey;
import java.util.ArrayList;
import java.util.List;

/** The features of a new cluster of a release, at the levels that its storage tool sets (KIP-584). */
final class Features {
  private Features() {}

  /** A feature, with the highest level that brokers support, which is also the level in force. */
  private record Feature(String name, int level) {}

  private static List<Feature> of(Release release) {
    List<Feature> features = new ArrayList<>();
    if (release.isAtLeast(4, 0)) {
      features.add(new Feature("group.version", 1));
      features.add(new Feature("transaction.version", 2));
    }
    if (release.isAtLeast(4, 2)) {
      features.add(new Feature("share.version", release.isAtLeast(4, 4) ? 2 : 1));
      features.add(new Feature("streams.version", 1));
    }
    return features;
  }

  static void addTo(ApiVersionsResponse response, Release release) {
    List<SupportedFeatureKey> supported = new ArrayList<>();
    List<FinalizedFeatureKey> finalized = new ArrayList<>();
    for (Feature feature : of(release)) {
      short level = (short) feature.level();
      supported.add(new SupportedFeatureKey().name(feature.name()).minVersion((short) 0).maxVersion(level));
      finalized.add(new FinalizedFeatureKey().name(feature.name()).minVersionLevel(level).maxVersionLevel(level));
    }
    response.supportedFeatures(supported).finalizedFeatures(finalized)
        .finalizedFeaturesEpoch(finalized.isEmpty() ? -1 : 0);
  }
}
