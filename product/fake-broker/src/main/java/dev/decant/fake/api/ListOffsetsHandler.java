package dev.decant.fake.api;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Partition;
import dev.decant.fake.cluster.Topic;
import dev.decant.fake.log.PartitionLog;
import dev.decant.fake.log.TimestampOffset;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.ListOffsetsRequest;
import dev.decant.kafka.protocol.message.ListOffsetsRequest.ListOffsetsPartition;
import dev.decant.kafka.protocol.message.ListOffsetsRequest.ListOffsetsTopic;
import dev.decant.kafka.protocol.message.ListOffsetsResponse;
import dev.decant.kafka.protocol.message.ListOffsetsResponse.ListOffsetsPartitionResponse;
import dev.decant.kafka.protocol.message.ListOffsetsResponse.ListOffsetsTopicResponse;
import java.util.Collection;
import java.util.function.Function;

/** ListOffsets: returns the first offset, the last one, or the first one since a time. No log is tiered (KIP-405). */
final class ListOffsetsHandler implements ApiHandler<ListOffsetsRequest, ListOffsetsResponse> {
  private static final int FIRST_WITH_EPOCHS = 4;
  private static final long LATEST = -1;
  private static final long EARLIEST = -2;
  private static final long MAX_TIMESTAMP = -3;
  private static final long EARLIEST_LOCAL = -4;
  private static final long LATEST_TIERED = -5;
  private static final long EARLIEST_PENDING_UPLOAD = -6;
  /** The first version with each special timestamp, from -3 downwards. */
  private static final int[] FIRST_VERSIONS = {7, 8, 9, 11};

  private final Cluster cluster;

  ListOffsetsHandler(Cluster cluster) {
    this.cluster = cluster;
  }

  @Override
  public void handle(ListOffsetsRequest request, RequestContext context, Reply<ListOffsetsResponse> reply) {
    boolean isCommitted = request.isolationLevel() == 1;
    reply.complete(mapped(request, topic -> partition -> find(topic.name(), partition, isCommitted, context)));
  }

  private static ListOffsetsResponse mapped(ListOffsetsRequest request,
      Function<ListOffsetsTopic, Function<ListOffsetsPartition, ListOffsetsPartitionResponse>> each) {
    return new ListOffsetsResponse().topics(request.topics().stream().map(topic -> new ListOffsetsTopicResponse()
        .name(topic.name()).partitions(topic.partitions().stream().map(each.apply(topic)).toList())).toList());
  }

  private ListOffsetsPartitionResponse find(String name, ListOffsetsPartition wanted, boolean isCommitted,
      RequestContext context) {
    ListOffsetsPartitionResponse response = new ListOffsetsPartitionResponse().partitionIndex(wanted.partitionIndex());
    long timestamp = wanted.timestamp();
    if (timestamp < EARLIEST
        && (timestamp < EARLIEST_PENDING_UPLOAD || context.version() < FIRST_VERSIONS[(int) (-3 - timestamp)])) {
      return response.errorCode(ErrorCode.UNSUPPORTED_VERSION.code());
    }
    Topic topic = cluster.topics().find(Uuid.ZERO, name);
    Partition partition = topic == null ? null : topic.partition(wanted.partitionIndex());
    ErrorCode error = Leadership.check(partition, wanted.currentLeaderEpoch(), context);
    if (error != ErrorCode.NONE || partition == null) {
      return response.errorCode(error.code());
    }
    TimestampOffset found = find(partition, timestamp, isCommitted);
    response.timestamp(found.timestamp()).offset(found.offset());
    return context.version() < FIRST_WITH_EPOCHS ? response : response.leaderEpoch(found.leaderEpoch());
  }

  private static TimestampOffset find(Partition partition, long timestamp, boolean isCommitted) {
    PartitionLog log = partition.log();
    long end = isCommitted ? log.lastStable() : log.highWatermark();
    if (timestamp == LATEST) {
      return new TimestampOffset(-1, end, partition.leaderEpoch());
    }
    if (timestamp == EARLIEST || timestamp == EARLIEST_LOCAL) {
      return new TimestampOffset(-1, log.logStart(), log.epochAt(log.logStart()));
    }
    if (timestamp == LATEST_TIERED || timestamp == EARLIEST_PENDING_UPLOAD) {
      return TimestampOffset.NONE;
    }
    TimestampOffset found = timestamp == MAX_TIMESTAMP ? log.latestTimestamp() : log.firstSince(timestamp, end);
    return found.offset() < end ? found : TimestampOffset.NONE;
  }

  @Override
  public ListOffsetsResponse refuse(ListOffsetsRequest request, RequestContext context, ErrorCode error) {
    return mapped(request, topic -> partition -> new ListOffsetsPartitionResponse()
        .partitionIndex(partition.partitionIndex()).errorCode(error.code()));
  }

  @Override
  public Collection<String> topics(ListOffsetsRequest request, Cluster ofTopics) {
    return request.topics().stream().map(ListOffsetsTopic::name).toList();
  }
}
