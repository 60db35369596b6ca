package dev.decant.kafka.broker;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.message.AddOffsetsToTxnRequest;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnRequest;
import dev.decant.kafka.protocol.message.ApiVersionsRequest;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatRequest;
import dev.decant.kafka.protocol.message.DescribeClusterRequest;
import dev.decant.kafka.protocol.message.DescribeTransactionsRequest;
import dev.decant.kafka.protocol.message.EndTxnRequest;
import dev.decant.kafka.protocol.message.FetchRequest;
import dev.decant.kafka.protocol.message.FindCoordinatorRequest;
import dev.decant.kafka.protocol.message.GetTelemetrySubscriptionsRequest;
import dev.decant.kafka.protocol.message.HeartbeatRequest;
import dev.decant.kafka.protocol.message.InitProducerIdRequest;
import dev.decant.kafka.protocol.message.JoinGroupRequest;
import dev.decant.kafka.protocol.message.LeaveGroupRequest;
import dev.decant.kafka.protocol.message.ListOffsetsRequest;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.OffsetCommitRequest;
import dev.decant.kafka.protocol.message.OffsetFetchRequest;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochRequest;
import dev.decant.kafka.protocol.message.ProduceRequest;
import dev.decant.kafka.protocol.message.PushTelemetryRequest;
import dev.decant.kafka.protocol.message.SaslAuthenticateRequest;
import dev.decant.kafka.protocol.message.SaslHandshakeRequest;
import dev.decant.kafka.protocol.message.SyncGroupRequest;
import dev.decant.kafka.protocol.message.TxnOffsetCommitRequest;
import java.nio.ByteBuffer;

/**
 * A request as the broker has read it.
 *
 * @param connection the number of the connection, from 1
 * @param api the API
 * @param version the version of the request
 * @param correlationId the number that the response repeats
 * @param body the generated message
 */
public record Request(int connection, ApiKey api, short version, int correlationId, Object body) {
  /** Reads a client's request, without its length. */
  public static Request read(int connection, byte[] frame) {
    ProtocolReader in = new ProtocolReader(ByteBuffer.wrap(frame), 0, frame.length);
    short id = in.readShort();
    ApiKey api = ApiKey.of(id);
    if (api == null) {
      throw new IllegalArgumentException("API " + id + " is not known");
    }
    short version = in.readShort();
    int correlationId = in.readInt();
    in.readNullableString();
    if (api.requestHeaderVersion(version) >= 2) {
      in.skipTaggedFields();
    }
    return new Request(connection, api, version, correlationId, body(api, version, in));
  }

  private static Object body(ApiKey api, short version, ProtocolReader in) {
    return switch (api) {
      case API_VERSIONS -> ApiVersionsRequest.read(in, version);
      case SASL_HANDSHAKE -> SaslHandshakeRequest.read(in, version);
      case SASL_AUTHENTICATE -> SaslAuthenticateRequest.read(in, version);
      case METADATA -> MetadataRequest.read(in, version);
      case PRODUCE -> ProduceRequest.read(in, version);
      case FETCH -> FetchRequest.read(in, version);
      case OFFSET_FOR_LEADER_EPOCH -> OffsetForLeaderEpochRequest.read(in, version);
      case LIST_OFFSETS -> ListOffsetsRequest.read(in, version);
      case INIT_PRODUCER_ID -> InitProducerIdRequest.read(in, version);
      case FIND_COORDINATOR -> FindCoordinatorRequest.read(in, version);
      case ADD_PARTITIONS_TO_TXN -> AddPartitionsToTxnRequest.read(in, version);
      case ADD_OFFSETS_TO_TXN -> AddOffsetsToTxnRequest.read(in, version);
      case TXN_OFFSET_COMMIT -> TxnOffsetCommitRequest.read(in, version);
      case DESCRIBE_CLUSTER -> DescribeClusterRequest.read(in, version);
      case DESCRIBE_TRANSACTIONS -> DescribeTransactionsRequest.read(in, version);
      case END_TXN -> EndTxnRequest.read(in, version);
      case CONSUMER_GROUP_HEARTBEAT -> ConsumerGroupHeartbeatRequest.read(in, version);
      case JOIN_GROUP -> JoinGroupRequest.read(in, version);
      case SYNC_GROUP -> SyncGroupRequest.read(in, version);
      case HEARTBEAT -> HeartbeatRequest.read(in, version);
      case LEAVE_GROUP -> LeaveGroupRequest.read(in, version);
      case OFFSET_COMMIT -> OffsetCommitRequest.read(in, version);
      case OFFSET_FETCH -> OffsetFetchRequest.read(in, version);
      case GET_TELEMETRY_SUBSCRIPTIONS -> GetTelemetrySubscriptionsRequest.read(in, version);
      case PUSH_TELEMETRY -> PushTelemetryRequest.read(in, version);
      default -> throw new IllegalArgumentException("the scripted broker does not speak " + api);
    };
  }

  /** Returns the body of a Produce request. */
  public ProduceRequest produce() {
    return (ProduceRequest) body;
  }

  /** Returns the body of a Fetch request. */
  public FetchRequest fetch() {
    return (FetchRequest) body;
  }
}
