package dev.decant.fake.security;

import dev.decant.fake.api.ApiTable;
import dev.decant.fake.api.Operations;
import dev.decant.fake.cluster.Cluster;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.DeleteRecordsRequest;
import dev.decant.kafka.protocol.message.DeleteRecordsRequest.DeleteRecordsTopic;
import dev.decant.kafka.protocol.message.DeleteRecordsResponse;
import dev.decant.kafka.protocol.message.DescribeProducersRequest;
import dev.decant.kafka.protocol.message.DescribeProducersRequest.TopicRequest;
import dev.decant.kafka.protocol.message.DescribeProducersResponse;
import dev.decant.kafka.protocol.message.ListOffsetsRequest;
import dev.decant.kafka.protocol.message.ListOffsetsRequest.ListOffsetsTopic;
import dev.decant.kafka.protocol.message.ListOffsetsResponse;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochRequest;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochRequest.OffsetForLeaderTopic;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochResponse;
import dev.decant.kafka.protocol.message.ProduceRequest;
import dev.decant.kafka.protocol.message.ProduceRequest.PartitionProduceData;
import dev.decant.kafka.protocol.message.ProduceRequest.TopicProduceData;
import dev.decant.kafka.protocol.message.ProduceResponse;
import java.nio.ByteBuffer;

/**
 * The rights that the APIs of records need on topics. Fetch checks them itself, since a session has partitions that a
 * request does not name.
 */
final class RecordGuards {
  /** Index of the magic byte in a batch; the attributes at 21 have a bit for transactions. */
  private static final int MAGIC_AT = 16;
  private static final int ATTRIBUTES_AT = 21;
  private static final int TRANSACTIONAL = 1 << 4;

  private RecordGuards() {}

  /** Returns true if a request has a transactional batch. Brokers ignore the transactional id of any other request. */
  private static boolean hasTransactionalBatch(ProduceRequest request) {
    for (TopicProduceData topic : request.topicData()) {
      for (PartitionProduceData partition : topic.partitionData()) {
        ByteBuffer records = partition.records();
        if (records != null && records.remaining() >= ATTRIBUTES_AT + Short.BYTES
            && records.get(records.position() + MAGIC_AT) >= 2
            && (records.getShort(records.position() + ATTRIBUTES_AT) & TRANSACTIONAL) != 0) {
          return true;
        }
      }
    }
    return false;
  }

  static void addTo(ApiTable apis, Cluster cluster) {
    Guard<ProduceRequest, ProduceResponse> ofId = Guard.whole((request, access) -> {
      String id = request.transactionalId();
      return id != null && hasTransactionalBatch(request)
          ? Refusals.transactionalId(Operations.WRITE, id, access)
          : ErrorCode.NONE;
    });
    Guards.add(apis, ApiKey.PRODUCE, ofId.then(new Parts<ProduceRequest, ProduceResponse, TopicProduceData>(
        ProduceRequest::topicData, ProduceRequest::topicData, parts -> new ProduceRequest().topicData(parts),
        (request, part, access) -> Refusals.topic(Operations.WRITE, cluster, part.topicId(), part.name(), access),
        (to, from) -> to.responses(Parts.both(to.responses(), from.responses())))));
    Guards.add(apis, ApiKey.LIST_OFFSETS, new Parts<ListOffsetsRequest, ListOffsetsResponse, ListOffsetsTopic>(
        ListOffsetsRequest::topics, ListOffsetsRequest::topics, parts -> new ListOffsetsRequest().topics(parts),
        (request, part, access) -> Refusals.topic(Operations.DESCRIBE, part.name(), access),
        (to, from) -> to.topics(Parts.both(to.topics(), from.topics()))));
    Guards.add(apis, ApiKey.OFFSET_FOR_LEADER_EPOCH,
        new Parts<OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse, OffsetForLeaderTopic>(
            OffsetForLeaderEpochRequest::topics, OffsetForLeaderEpochRequest::topics,
            parts -> new OffsetForLeaderEpochRequest().topics(parts),
            (request, part, access) -> access.mayOnCluster(Operations.CLUSTER_ACTION)
                ? ErrorCode.NONE // a request between brokers
                : Refusals.topic(Operations.DESCRIBE, part.topic(), access),
            (to, from) -> to.topics(Parts.both(to.topics(), from.topics()))));
    Guards.add(apis, ApiKey.DELETE_RECORDS,
        new Parts<DeleteRecordsRequest, DeleteRecordsResponse, DeleteRecordsTopic>(DeleteRecordsRequest::topics,
            DeleteRecordsRequest::topics, parts -> new DeleteRecordsRequest().topics(parts),
            (request, part, access) -> Refusals.topic(Operations.DELETE, part.name(), access),
            (to, from) -> to.topics(Parts.both(to.topics(), from.topics()))));
    Guard<DescribeProducersRequest, DescribeProducersResponse> worded = Guard.after((request, context, response) -> {
      response.topics().forEach(topic -> topic.partitions().stream()
          .filter(p -> p.errorCode() == ErrorCode.TOPIC_AUTHORIZATION_FAILED.code())
          .forEach(p -> p.errorMessage("Topic authorization failed.")));
      return response;
    });
    Guards.add(apis, ApiKey.DESCRIBE_PRODUCERS, worded.then(
        new Parts<DescribeProducersRequest, DescribeProducersResponse, TopicRequest>(DescribeProducersRequest::topics,
            DescribeProducersRequest::topics, parts -> new DescribeProducersRequest().topics(parts),
            (request, part, access) -> Refusals.topic(Operations.READ, part.name(), access),
            (to, from) -> to.topics(Parts.both(to.topics(), from.topics())))));
  }
}
