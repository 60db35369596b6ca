package dev.decant.kafka.cluster;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.message.DescribeClusterRequest;
import dev.decant.kafka.protocol.message.DescribeClusterResponse;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Asks a new connection for its cluster before any request of the client is sent on it. It uses DescribeCluster
 * (KIP-700), which brokers answer without rights. Brokers before 2.8 are asked by Metadata without topics.
 */
final class IdentityCheck {
  private static final int LAST_DESCRIBE_VERSION = 2;
  private static final int FIRST_METADATA_VERSION = 4;
  private static final int LAST_METADATA_VERSION = 13;

  private final BrokerConnection connection;
  private final ClusterIdentity identity;
  private final String broker;

  IdentityCheck(BrokerConnection connection, ClusterIdentity identity, String broker) {
    this.connection = connection;
    this.identity = identity;
    this.broker = broker;
  }

  void start() {
    short version = connection.versions().choose(ApiKey.DESCRIBE_CLUSTER, 0, LAST_DESCRIBE_VERSION);
    if (version == ApiVersionTable.NONE) {
      requestMetadata();
    } else {
      connection.request(ApiKey.DESCRIBE_CLUSTER, version, new DescribeClusterRequest()::write,
          in -> onDescribed(in, version));
    }
  }

  private void onDescribed(ProtocolReader in, short version) {
    DescribeClusterResponse response = DescribeClusterResponse.read(in, version);
    if (response.errorCode() == 0) {
      identified(response.clusterId());
    } else {
      requestMetadata();
    }
  }

  private void requestMetadata() {
    short version = connection.versions().choose(ApiKey.METADATA, FIRST_METADATA_VERSION, LAST_METADATA_VERSION);
    if (version == ApiVersionTable.NONE) {
      connection.identified(); // this broker cannot send metadata later, either
      return;
    }
    MetadataRequest request = new MetadataRequest().topics(List.of()).allowAutoTopicCreation(false);
    connection.request(ApiKey.METADATA, version, request::write, in -> onMetadata(in, version));
  }

  private void onMetadata(ProtocolReader in, short version) {
    MetadataResponse response = MetadataResponse.read(in, version);
    if (response.errorCode() != 0) {
      ErrorCode error = ErrorCode.of(response.errorCode());
      throw new KafkaException(ErrorCode.NETWORK_EXCEPTION,
          "broker " + broker + " does not tell its cluster: " + error);
    }
    identified(response.clusterId());
  }

  private void identified(@Nullable String clusterId) {
    identity.compare(broker, clusterId);
    connection.identified();
  }
}
