package dev.decant.fake.share;

import dev.decant.fake.api.Access;
import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Operations;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Topic;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.DescribeShareGroupOffsetsRequest;
import dev.decant.kafka.protocol.message.DescribeShareGroupOffsetsRequest.DescribeShareGroupOffsetsRequestGroup;
import dev.decant.kafka.protocol.message.DescribeShareGroupOffsetsRequest.DescribeShareGroupOffsetsRequestTopic;
import dev.decant.kafka.protocol.message.DescribeShareGroupOffsetsResponse;
import dev.decant.kafka.protocol.message.DescribeShareGroupOffsetsResponse.DescribeShareGroupOffsetsResponseGroup;
import dev.decant.kafka.protocol.message.DescribeShareGroupOffsetsResponse.DescribeShareGroupOffsetsResponsePartition;
import dev.decant.kafka.protocol.message.DescribeShareGroupOffsetsResponse.DescribeShareGroupOffsetsResponseTopic;
import java.util.ArrayList;
import java.util.List;

/** DescribeShareGroupOffsets: returns the stored starts of share groups, and their lag (KIP-932, KIP-1226). */
final class DescribeShareGroupOffsetsHandler
    implements
      ApiHandler<DescribeShareGroupOffsetsRequest, DescribeShareGroupOffsetsResponse> {
  private static final int FIRST_WITH_LAG = 1;

  private final ShareGroups groups;

  DescribeShareGroupOffsetsHandler(ShareGroups groups) {
    this.groups = groups;
  }

  @Override
  public void handle(DescribeShareGroupOffsetsRequest request, RequestContext context,
      Reply<DescribeShareGroupOffsetsResponse> reply) {
    if (!groups.areEnabled()) {
      reply.complete(refuse(request, context, ErrorCode.UNSUPPORTED_VERSION));
      return;
    }
    reply.complete(new DescribeShareGroupOffsetsResponse()
        .groups(request.groups().stream().map(group -> describe(group, context)).toList()));
  }

  private DescribeShareGroupOffsetsResponseGroup describe(DescribeShareGroupOffsetsRequestGroup wanted,
      RequestContext context) {
    DescribeShareGroupOffsetsResponseGroup described = new DescribeShareGroupOffsetsResponseGroup()
        .groupId(wanted.groupId());
    Access access = context.access();
    if (!access.may(Operations.DESCRIBE, Operations.GROUP, wanted.groupId())) {
      return described.errorCode(ErrorCode.GROUP_AUTHORIZATION_FAILED.code());
    }
    List<DescribeShareGroupOffsetsRequestTopic> named = wanted.topics();
    List<DescribeShareGroupOffsetsRequestTopic> topics = new ArrayList<>();
    if (named != null) {
      topics.addAll(named);
    } else if (!groups.coordinator().isAt(context, wanted.groupId())) {
      return described.errorCode(ErrorCode.NOT_COORDINATOR.code());
    } else {
      topics.addAll(initialized(wanted.groupId()));
    }
    List<DescribeShareGroupOffsetsResponseTopic> offsets = new ArrayList<>();
    topics.stream().filter(topic -> access.mayDescribeTopic(topic.topicName()))
        .forEach(topic -> offsets.add(describe(wanted.groupId(), topic, context)));
    if (named != null) {
      named.stream().filter(topic -> !access.mayDescribeTopic(topic.topicName()))
          .forEach(topic -> offsets.add(forbidden(topic)));
    }
    return described.topics(offsets);
  }

  /** Returns the topics of a group in the share coordinator. */
  private List<DescribeShareGroupOffsetsRequestTopic> initialized(String groupId) {
    List<DescribeShareGroupOffsetsRequestTopic> topics = new ArrayList<>();
    ShareGroup group = groups.find(groupId);
    if (group != null) {
      group.initialized().forEach((topicId, partitions) -> {
        Topic topic = groups.cluster().topics().of(topicId);
        if (topic != null) {
          topics.add(new DescribeShareGroupOffsetsRequestTopic().topicName(topic.name()).partitions(partitions));
        }
      });
    }
    return topics;
  }

  private static DescribeShareGroupOffsetsResponseTopic forbidden(DescribeShareGroupOffsetsRequestTopic topic) {
    return new DescribeShareGroupOffsetsResponseTopic().topicName(topic.topicName()).partitions(topic.partitions()
        .stream().map(p -> new DescribeShareGroupOffsetsResponsePartition().partitionIndex(p)
            .startOffset(SharePartition.UNKNOWN).errorCode(ErrorCode.TOPIC_AUTHORIZATION_FAILED.code())
            .errorMessage("Topic authorization failed."))
        .toList());
  }

  private DescribeShareGroupOffsetsResponseTopic describe(String groupId,
      DescribeShareGroupOffsetsRequestTopic wanted, RequestContext context) {
    Topic topic = groups.cluster().topics().named(wanted.topicName());
    Uuid id = topic == null ? Uuid.ZERO : topic.id();
    return new DescribeShareGroupOffsetsResponseTopic().topicName(wanted.topicName()).topicId(id)
        .partitions(wanted.partitions().stream().map(p -> describe(groupId, new ShareKey(id, p), context)).toList());
  }

  private DescribeShareGroupOffsetsResponsePartition describe(String groupId, ShareKey key, RequestContext context) {
    DescribeShareGroupOffsetsResponsePartition described = new DescribeShareGroupOffsetsResponsePartition()
        .partitionIndex(key.partition()).startOffset(SharePartition.UNKNOWN);
    SharePartition share = groups.known(groupId, key);
    if (share == null) {
      return described;
    }
    described.startOffset(share.storedStart()).leaderEpoch(share.storedEpoch());
    boolean hasLag = context.version() >= FIRST_WITH_LAG && share.storedStart() != SharePartition.UNKNOWN;
    return hasLag
        ? described.lag(share.partition().log().highWatermark() - share.storedStart() - share.storedDone())
        : described;
  }

  @Override
  public DescribeShareGroupOffsetsResponse refuse(DescribeShareGroupOffsetsRequest request, RequestContext context,
      ErrorCode error) {
    return new DescribeShareGroupOffsetsResponse().groups(request.groups().stream()
        .map(g -> new DescribeShareGroupOffsetsResponseGroup().groupId(g.groupId()).errorCode(error.code()))
        .toList());
  }
}
