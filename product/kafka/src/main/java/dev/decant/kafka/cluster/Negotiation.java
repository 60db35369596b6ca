package dev.decant.kafka.cluster;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.message.ApiVersionsRequest;
import dev.decant.kafka.protocol.message.ApiVersionsResponse;

/**
 * The first exchange on a connection: ApiVersions v4, then the broker's highest version if v4 is too new. An older
 * broker responds in the format of v0 with UNSUPPORTED_VERSION and, since KIP-511, its range for this API.
 *
 * <p>With v5 the broker compares the ids of cluster and node that the client expects (KIP-1242). The client uses it
 * once another broker of the cluster has offered it. A cluster of older brokers therefore needs no extra exchange.
 */
final class Negotiation {
  private static final short FIRST_TRY = 4;
  private static final short FIRST_WITH_IDS = 5;

  private final BrokerConnection connection;
  private final ClusterIdentity identity;
  private final BrokerAddress broker;
  private short version;

  Negotiation(BrokerConnection connection, ClusterIdentity identity, BrokerAddress broker) {
    this.connection = connection;
    this.identity = identity;
    this.broker = broker;
    this.version = identity.asksBroker(broker) ? FIRST_WITH_IDS : FIRST_TRY;
  }

  void start() {
    ApiVersionsRequest request = new ApiVersionsRequest().clientSoftwareName(ClientSoftware.NAME)
        .clientSoftwareVersion(ClientSoftware.VERSION);
    if (version >= FIRST_WITH_IDS) {
      request.clusterId(identity.clusterId()).nodeId(identity.nodeAt(broker));
    }
    connection.request(ApiKey.API_VERSIONS, version, request::write, this::onResponse);
  }

  private void onResponse(ProtocolReader in) {
    short error = in.buffer().getShort(in.position());
    if (error == ErrorCode.UNSUPPORTED_VERSION.code() && version > 0) {
      version = lowerVersion(ApiVersionsResponse.read(in, (short) 0));
      start();
      return;
    }
    ApiVersionsResponse response = ApiVersionsResponse.read(in, version);
    if (version >= FIRST_WITH_IDS && response.errorCode() == ErrorCode.REBOOTSTRAP_REQUIRED.code()) {
      throw identity.refused(broker);
    }
    if (response.errorCode() != 0) {
      throw new KafkaException(ErrorCode.of(response.errorCode()),
          "broker " + broker + " refused ApiVersions: " + ErrorCode.of(response.errorCode()));
    }
    ApiVersionTable table = new ApiVersionTable();
    for (ApiVersionsResponse.ApiVersion api : response.apiKeys()) {
      table.put(api.apiKey(), api.minVersion(), api.maxVersion());
    }
    table.features(response.finalizedFeaturesEpoch());
    for (ApiVersionsResponse.FinalizedFeatureKey feature : response.finalizedFeatures()) {
      table.putFeature(feature.name(), feature.maxVersionLevel());
    }
    if (table.offers(ApiKey.API_VERSIONS, FIRST_WITH_IDS)) {
      identity.brokersCompare();
    }
    connection.negotiated(table, version >= FIRST_WITH_IDS);
  }

  private short lowerVersion(ApiVersionsResponse refusal) {
    for (ApiVersionsResponse.ApiVersion api : refusal.apiKeys()) {
      if (api.apiKey() == ApiKey.API_VERSIONS.id()) {
        return (short) Math.clamp(api.maxVersion(), 0, version - 1);
      }
    }
    return 0;
  }
}
