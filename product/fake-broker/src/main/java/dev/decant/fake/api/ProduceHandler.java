package dev.decant.fake.api;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Partition;
import dev.decant.fake.cluster.Topic;
import dev.decant.fake.log.AppendException;
import dev.decant.fake.log.Appended;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ProduceRequest;
import dev.decant.kafka.protocol.message.ProduceRequest.PartitionProduceData;
import dev.decant.kafka.protocol.message.ProduceRequest.TopicProduceData;
import dev.decant.kafka.protocol.message.ProduceResponse;
import dev.decant.kafka.protocol.message.ProduceResponse.BatchIndexAndErrorMessage;
import dev.decant.kafka.protocol.message.ProduceResponse.LeaderIdAndEpoch;
import dev.decant.kafka.protocol.message.ProduceResponse.NodeEndpoint;
import dev.decant.kafka.protocol.message.ProduceResponse.PartitionProduceResponse;
import dev.decant.kafka.protocol.message.ProduceResponse.TopicProduceResponse;
import dev.decant.kafka.record.RecordBatchHeader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Produce: appends batches to logs, and responds when the replicas that the client demands have them. */
final class ProduceHandler implements ApiHandler<ProduceRequest, ProduceResponse> {
  private static final short NONE = 0;
  private static final short ALL = -1;
  private static final int FIRST_WITH_IDS = 13;
  private static final int FIRST_WITH_LEADERS = 10;
  private static final int TRANSACTIONAL = 0x10;
  private static final long NO_OFFSET = -1;
  private static final String NOT_ADDED = "Partition was not added to the transaction";

  private final Cluster cluster;

  ProduceHandler(Cluster cluster) {
    this.cluster = cluster;
  }

  @Override
  public void handle(ProduceRequest request, RequestContext context, Reply<ProduceResponse> reply) {
    PendingProduce pending = new PendingProduce(cluster, request.timeoutMs(),
        responses -> answer(request, responses, context, reply));
    List<TopicProduceResponse> topics = new ArrayList<>();
    if (request.transactionalId() == null && hasTransactional(request)) {
      topics.addAll(refuse(request, context, ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED).responses());
      pending.start(topics);
      return;
    }
    for (TopicProduceData data : request.topicData()) {
      Topic topic = cluster.topics().find(data.topicId(), data.name());
      List<PartitionProduceResponse> partitions = new ArrayList<>();
      for (PartitionProduceData one : data.partitionData()) {
        partitions.add(append(request, topic, one, context, pending));
      }
      topics.add(new TopicProduceResponse().name(data.name()).topicId(data.topicId()).partitionResponses(partitions));
    }
    pending.start(topics);
  }

  private static boolean hasTransactional(ProduceRequest request) {
    return request.topicData().stream().flatMap(topic -> topic.partitionData().stream())
        .map(PartitionProduceData::records).anyMatch(records -> records != null
            && records.remaining() >= RecordBatchHeader.BYTES
            && (records.getShort(records.position() + RecordBatchHeader.ATTRIBUTES) & TRANSACTIONAL) != 0);
  }

  private PartitionProduceResponse append(ProduceRequest request, @Nullable Topic topic, PartitionProduceData data,
      RequestContext context, PendingProduce pending) {
    Partition partition = topic == null ? null : topic.partition(data.index());
    ErrorCode error = problemOf(request, topic, partition, context);
    if (error != ErrorCode.NONE || partition == null) {
      PartitionProduceResponse response = failed(data.index(), error);
      if (error == ErrorCode.NOT_LEADER_OR_FOLLOWER && partition != null
          && context.version() >= FIRST_WITH_LEADERS) {
        response.currentLeader(
            new LeaderIdAndEpoch().leaderId(partition.leader()).leaderEpoch(partition.leaderEpoch()));
      }
      return response;
    }
    ByteBuffer sent = data.records();
    ByteBuffer records = sent == null ? ByteBuffer.allocate(0) : sent;
    ErrorCode refusal = cluster.transactionGate().admit(request.transactionalId(), partition, records,
        context.version());
    if (refusal != ErrorCode.NONE) {
      return failed(data.index(), refusal).errorMessage(refusal == ErrorCode.INVALID_TXN_STATE ? NOT_ADDED : null);
    }
    if (!cluster.hasRoom(partition)) {
      return failed(data.index(), ErrorCode.KAFKA_STORAGE_ERROR);
    }
    if (!cluster.logSpace().takes(records.remaining())) {
      return failed(data.index(), ErrorCode.KAFKA_STORAGE_ERROR)
          .errorMessage("the logs of the fake cluster may have " + cluster.logSpace().most() + " bytes, and are full");
    }
    try {
      Appended appended = partition.append(records, context.version(), cluster.nowMillis());
      PartitionProduceResponse response = new PartitionProduceResponse().index(data.index())
          .baseOffset(appended.baseOffset()).logAppendTimeMs(appended.logAppendTime())
          .logStartOffset(partition.log().logStart());
      if (request.acks() == ALL && partition.log().highWatermark() < appended.endOffset()) {
        pending.await(partition, appended.endOffset(), response);
      }
      return response;
    } catch (AppendException e) {
      boolean isOfBytes = e.error() == ErrorCode.MESSAGE_TOO_LARGE || e.error() == ErrorCode.CORRUPT_MESSAGE;
      return failed(data.index(), e.error()).errorMessage(e.recordErrors().isEmpty() ? null : e.getMessage())
          .logStartOffset(isOfBytes ? NO_OFFSET : partition.log().logStart())
          .recordErrors(e.recordErrors().stream().map(r -> new BatchIndexAndErrorMessage().batchIndex(r.index())
              .batchIndexErrorMessage(r.message())).toList());
    }
  }

  private ErrorCode problemOf(ProduceRequest request, @Nullable Topic topic, @Nullable Partition partition,
      RequestContext context) {
    short acks = request.acks();
    if (topic == null && context.version() >= FIRST_WITH_IDS) {
      return ErrorCode.UNKNOWN_TOPIC_ID;
    }
    if (partition == null) {
      return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
    }
    if (acks != NONE && acks != 1 && acks != ALL) {
      return ErrorCode.INVALID_REQUIRED_ACKS;
    }
    ErrorCode error = Leadership.check(partition, -1, context);
    if (error == ErrorCode.NONE && acks == ALL && partition.lacksReplicas(cluster.release())) {
      return ErrorCode.NOT_ENOUGH_REPLICAS;
    }
    return error;
  }

  private static PartitionProduceResponse failed(int index, ErrorCode error) {
    return new PartitionProduceResponse().index(index).errorCode(error.code()).baseOffset(NO_OFFSET);
  }

  private void answer(ProduceRequest request, List<TopicProduceResponse> topics, RequestContext context,
      Reply<ProduceResponse> reply) {
    if (request.acks() != NONE) {
      reply.complete(new ProduceResponse().responses(topics).nodeEndpoints(leaders(topics, context)));
    } else if (topics.stream().flatMap(t -> t.partitionResponses().stream()).anyMatch(p -> p.errorCode() != 0)) {
      reply.closeConnection("a Produce request with acks=0 has failed, and there is no response to say so");
    } else {
      reply.completeWithoutResponse();
    }
  }

  /** Returns the endpoints of the leaders that the partitions' errors name (KIP-951). */
  private List<NodeEndpoint> leaders(List<TopicProduceResponse> topics, RequestContext context) {
    if (context.version() < FIRST_WITH_LEADERS) {
      return List.of();
    }
    return Leadership.endpoints(cluster, topics.stream().flatMap(t -> t.partitionResponses().stream())
        .mapToInt(p -> p.currentLeader().leaderId()),
        leader -> new NodeEndpoint().nodeId(leader.id())
            .host(leader.host()).port(leader.port()).rack(leader.rack()));
  }

  @Override
  public boolean wantsResponse(ProduceRequest request) {
    return request.acks() != NONE;
  }

  @Override
  public ProduceResponse refuse(ProduceRequest request, RequestContext context, ErrorCode error) {
    return new ProduceResponse().responses(request.topicData().stream().map(topic -> new TopicProduceResponse()
        .name(topic.name()).topicId(topic.topicId()).partitionResponses(topic.partitionData().stream()
            .map(p -> failed(p.index(), error)).toList()))
        .toList());
  }

  @Override
  public Collection<String> topics(ProduceRequest request, Cluster ofTopics) {
    return request.topicData().stream().map(t -> ofTopics.topics().nameOf(t.topicId(), t.name())).toList();
  }
}
