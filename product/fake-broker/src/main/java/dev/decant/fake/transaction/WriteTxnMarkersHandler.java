package dev.decant.fake.transaction;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Partition;
import dev.decant.fake.cluster.Topics;
import dev.decant.fake.group.GroupCoordinator;
import dev.decant.fake.log.AppendException;
import dev.decant.fake.log.ProducerEntry;
import dev.decant.fake.log.TransactionMarker;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.WriteTxnMarkersRequest;
import dev.decant.kafka.protocol.message.WriteTxnMarkersRequest.WritableTxnMarker;
import dev.decant.kafka.protocol.message.WriteTxnMarkersRequest.WritableTxnMarkerTopic;
import dev.decant.kafka.protocol.message.WriteTxnMarkersResponse;
import dev.decant.kafka.protocol.message.WriteTxnMarkersResponse.WritableTxnMarkerPartitionResult;
import dev.decant.kafka.protocol.message.WriteTxnMarkersResponse.WritableTxnMarkerResult;
import dev.decant.kafka.protocol.message.WriteTxnMarkersResponse.WritableTxnMarkerTopicResult;
import java.util.Collection;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** WriteTxnMarkers: ends transactions in logs without their coordinator, as admin clients do with hanging ones. */
final class WriteTxnMarkersHandler implements ApiHandler<WriteTxnMarkersRequest, WriteTxnMarkersResponse> {
  private final Cluster cluster;
  private final GroupCoordinator groups;

  WriteTxnMarkersHandler(Cluster cluster, GroupCoordinator groups) {
    this.cluster = cluster;
    this.groups = groups;
  }

  @Override
  public void handle(WriteTxnMarkersRequest request, RequestContext context, Reply<WriteTxnMarkersResponse> reply) {
    reply.complete(response(request, (marker, partition) -> write(marker, partition.find(cluster), context)));
  }

  private ErrorCode write(WritableTxnMarker marker, @Nullable Partition partition, RequestContext context) {
    if (partition == null) {
      return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
    }
    if (partition.leader() != context.broker().id()) {
      return ErrorCode.NOT_LEADER_OR_FOLLOWER;
    }
    if (partition.lacksReplicas(cluster.release())) {
      return ErrorCode.NOT_ENOUGH_REPLICAS;
    }
    ProducerEntry entry = partition.log().producers().of(marker.producerId());
    if (entry != null && marker.transactionVersion() >= 2 && marker.producerEpoch() == entry.epoch()
        && !entry.isIdle()) {
      // With version 2 a marker has a later epoch than its records, so a marker of the same epoch comes too late. The
      // exception is a log without an open transaction: the marker repeats an earlier one, and Kafka writes it again.
      return ErrorCode.INVALID_PRODUCER_EPOCH;
    }
    try {
      var unused = partition.appendMarker(new TransactionMarker(marker.producerId(), marker.producerEpoch(),
          marker.transactionResult(), marker.coordinatorEpoch()), cluster.nowMillis());
    } catch (AppendException e) {
      return e.error();
    }
    if (partition.topic().name().equals(Topics.OFFSETS)) {
      groups.endTransaction(marker.producerId(), marker.transactionResult());
    }
    return ErrorCode.NONE;
  }

  private static WriteTxnMarkersResponse response(WriteTxnMarkersRequest request,
      BiFunction<WritableTxnMarker, TransactionPartition, ErrorCode> write) {
    return new WriteTxnMarkersResponse().markers(request.markers().stream()
        .map(marker -> new WritableTxnMarkerResult().producerId(marker.producerId())
            .topics(marker.topics().stream().map(topic -> result(marker, topic, write)).toList()))
        .toList());
  }

  private static WritableTxnMarkerTopicResult result(WritableTxnMarker marker, WritableTxnMarkerTopic topic,
      BiFunction<WritableTxnMarker, TransactionPartition, ErrorCode> write) {
    List<WritableTxnMarkerPartitionResult> partitions = topic.partitionIndexes().stream()
        .map(index -> new WritableTxnMarkerPartitionResult().partitionIndex(index)
            .errorCode(write.apply(marker, new TransactionPartition(topic.name(), index)).code()))
        .toList();
    return new WritableTxnMarkerTopicResult().name(topic.name()).partitions(partitions);
  }

  @Override
  public WriteTxnMarkersResponse refuse(WriteTxnMarkersRequest request, RequestContext context, ErrorCode error) {
    return response(request, (marker, partition) -> error);
  }

  @Override
  public Collection<String> topics(WriteTxnMarkersRequest request, Cluster ofTopics) {
    return request.markers().stream().flatMap(marker -> marker.topics().stream()).map(WritableTxnMarkerTopic::name)
        .toList();
  }
}
