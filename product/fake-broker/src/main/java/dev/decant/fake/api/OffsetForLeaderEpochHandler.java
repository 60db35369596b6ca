package dev.decant.fake.api;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Partition;
import dev.decant.fake.cluster.Topic;
import dev.decant.fake.log.EpochEnd;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochRequest;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochRequest.OffsetForLeaderPartition;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochRequest.OffsetForLeaderTopic;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochResponse;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochResponse.EpochEndOffset;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochResponse.OffsetForLeaderTopicResult;
import java.util.Collection;
import java.util.function.Function;

/** OffsetForLeaderEpoch: returns the end of a leader epoch, so that a consumer detects lost records (KIP-320). */
final class OffsetForLeaderEpochHandler
    implements
      ApiHandler<OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse> {
  private final Cluster cluster;

  OffsetForLeaderEpochHandler(Cluster cluster) {
    this.cluster = cluster;
  }

  @Override
  public void handle(OffsetForLeaderEpochRequest request, RequestContext context,
      Reply<OffsetForLeaderEpochResponse> reply) {
    reply.complete(mapped(request, topic -> partition -> find(topic.topic(), partition, context)));
  }

  private static OffsetForLeaderEpochResponse mapped(OffsetForLeaderEpochRequest request,
      Function<OffsetForLeaderTopic, Function<OffsetForLeaderPartition, EpochEndOffset>> each) {
    return new OffsetForLeaderEpochResponse().topics(request.topics().stream()
        .map(topic -> new OffsetForLeaderTopicResult().topic(topic.topic())
            .partitions(topic.partitions().stream().map(each.apply(topic)).toList()))
        .toList());
  }

  private EpochEndOffset find(String name, OffsetForLeaderPartition wanted, RequestContext context) {
    EpochEndOffset response = new EpochEndOffset().partition(wanted.partition());
    Topic topic = cluster.topics().named(name);
    Partition partition = topic == null ? null : topic.partition(wanted.partition());
    ErrorCode error = Leadership.check(partition, wanted.currentLeaderEpoch(), context);
    if (error != ErrorCode.NONE || partition == null) {
      return response.errorCode(error.code());
    }
    EpochEnd end = partition.log().endOfEpoch(wanted.leaderEpoch());
    return response.leaderEpoch(end.epoch()).endOffset(end.offset());
  }

  @Override
  public OffsetForLeaderEpochResponse refuse(OffsetForLeaderEpochRequest request, RequestContext context,
      ErrorCode error) {
    return mapped(request,
        topic -> partition -> new EpochEndOffset().partition(partition.partition()).errorCode(error.code()));
  }

  @Override
  public Collection<String> topics(OffsetForLeaderEpochRequest request, Cluster ofTopics) {
    return request.topics().stream().map(OffsetForLeaderTopic::topic).toList();
  }
}
