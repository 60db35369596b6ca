package dev.decant.fake.api;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Partition;
import dev.decant.fake.cluster.Topic;
import dev.decant.fake.log.AppendException;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.DeleteRecordsRequest;
import dev.decant.kafka.protocol.message.DeleteRecordsRequest.DeleteRecordsPartition;
import dev.decant.kafka.protocol.message.DeleteRecordsRequest.DeleteRecordsTopic;
import dev.decant.kafka.protocol.message.DeleteRecordsResponse;
import dev.decant.kafka.protocol.message.DeleteRecordsResponse.DeleteRecordsPartitionResult;
import dev.decant.kafka.protocol.message.DeleteRecordsResponse.DeleteRecordsTopicResult;
import java.util.Collection;
import java.util.function.Function;

/** DeleteRecords: moves the start of logs (KIP-107). All replicas follow at once. */
final class DeleteRecordsHandler implements ApiHandler<DeleteRecordsRequest, DeleteRecordsResponse> {
  private static final long UP_TO_HIGH_WATERMARK = -1;
  private static final long NO_OFFSET = -1;

  private final Cluster cluster;

  DeleteRecordsHandler(Cluster cluster) {
    this.cluster = cluster;
  }

  @Override
  public void handle(DeleteRecordsRequest request, RequestContext context, Reply<DeleteRecordsResponse> reply) {
    reply.complete(mapped(request, topic -> partition -> delete(topic.name(), partition, context)));
  }

  private static DeleteRecordsResponse mapped(DeleteRecordsRequest request,
      Function<DeleteRecordsTopic, Function<DeleteRecordsPartition, DeleteRecordsPartitionResult>> each) {
    return new DeleteRecordsResponse().topics(request.topics().stream().map(topic -> new DeleteRecordsTopicResult()
        .name(topic.name()).partitions(topic.partitions().stream().map(each.apply(topic)).toList())).toList());
  }

  private DeleteRecordsPartitionResult delete(String name, DeleteRecordsPartition wanted, RequestContext context) {
    Topic topic = cluster.topics().named(name);
    Partition partition = topic == null ? null : topic.partition(wanted.partitionIndex());
    ErrorCode error = Leadership.check(partition, -1, context);
    if (error == ErrorCode.NONE && topic != null && topic.isInternal()) {
      error = ErrorCode.INVALID_TOPIC_EXCEPTION;
    } else if (error == ErrorCode.NONE && topic != null && !topic.settings().get("cleanup.policy").contains("delete")
        && !topic.settings().get("cleanup.policy").isEmpty()) {
      error = ErrorCode.POLICY_VIOLATION; // only compaction deletes records of a compacted topic
    }
    if (error != ErrorCode.NONE || partition == null) {
      return failed(wanted, error);
    }
    long offset = wanted.offset() == UP_TO_HIGH_WATERMARK ? partition.log().highWatermark() : wanted.offset();
    try {
      partition.deleteBelow(offset);
      return new DeleteRecordsPartitionResult().partitionIndex(wanted.partitionIndex())
          .lowWatermark(partition.log().logStart());
    } catch (AppendException e) {
      return failed(wanted, e.error());
    }
  }

  private static DeleteRecordsPartitionResult failed(DeleteRecordsPartition wanted, ErrorCode error) {
    return new DeleteRecordsPartitionResult().partitionIndex(wanted.partitionIndex()).lowWatermark(NO_OFFSET)
        .errorCode(error.code());
  }

  @Override
  public DeleteRecordsResponse refuse(DeleteRecordsRequest request, RequestContext context, ErrorCode error) {
    return mapped(request, topic -> partition -> failed(partition, error));
  }

  @Override
  public Collection<String> topics(DeleteRecordsRequest request, Cluster ofTopics) {
    return request.topics().stream().map(DeleteRecordsTopic::name).toList();
  }
}
