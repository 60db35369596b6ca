package dev.decant.fake.group;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Topic;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.OffsetFetchRequest;
import dev.decant.kafka.protocol.message.OffsetFetchRequest.OffsetFetchRequestGroup;
import dev.decant.kafka.protocol.message.OffsetFetchRequest.OffsetFetchRequestTopic;
import dev.decant.kafka.protocol.message.OffsetFetchRequest.OffsetFetchRequestTopics;
import dev.decant.kafka.protocol.message.OffsetFetchResponse;
import dev.decant.kafka.protocol.message.OffsetFetchResponse.OffsetFetchResponseGroup;
import dev.decant.kafka.protocol.message.OffsetFetchResponse.OffsetFetchResponsePartition;
import dev.decant.kafka.protocol.message.OffsetFetchResponse.OffsetFetchResponsePartitions;
import dev.decant.kafka.protocol.message.OffsetFetchResponse.OffsetFetchResponseTopic;
import dev.decant.kafka.protocol.message.OffsetFetchResponse.OffsetFetchResponseTopics;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** OffsetFetch: returns the committed offsets of groups; from version 8 on of several groups at once (KIP-709). */
final class OffsetFetchHandler implements ApiHandler<OffsetFetchRequest, OffsetFetchResponse> {
  private static final int FIRST_WITH_ERROR = 2;
  private static final int FIRST_WITH_GROUPS = 8;
  private static final int FIRST_WITH_IDS = 10;
  /** Errors that brokers return for partitions; all others are those of the group. */
  private static final Set<ErrorCode> OF_PARTITIONS = EnumSet.of(ErrorCode.UNSTABLE_OFFSET_COMMIT,
      ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID, ErrorCode.TOPIC_AUTHORIZATION_FAILED);

  private final GroupCoordinator coordinator;
  private final Cluster cluster;

  OffsetFetchHandler(GroupCoordinator coordinator) {
    this.coordinator = coordinator;
    this.cluster = coordinator.cluster();
  }

  @Override
  public void handle(OffsetFetchRequest request, RequestContext context, Reply<OffsetFetchResponse> reply) {
    reply.complete(response(groups(request, context).stream()
        .map(group -> fetch(group, request.requireStable(), context)).toList(), context));
  }

  /** Returns the groups of a request; older versions have one. */
  private static List<OffsetFetchRequestGroup> groups(OffsetFetchRequest request, RequestContext context) {
    if (context.version() >= FIRST_WITH_GROUPS) {
      return request.groups();
    }
    OffsetFetchRequestGroup group = new OffsetFetchRequestGroup().groupId(request.groupId()).topics(null);
    List<OffsetFetchRequestTopic> topics = request.topics();
    if (topics != null) {
      group.topics(topics.stream()
          .map(t -> new OffsetFetchRequestTopics().name(t.name()).partitionIndexes(t.partitionIndexes())).toList());
    }
    return List.of(group);
  }

  private OffsetFetchResponseGroup fetch(OffsetFetchRequestGroup wanted, boolean isStable, RequestContext context) {
    if (!coordinator.isAt(context, wanted.groupId())) {
      return failed(wanted, ErrorCode.NOT_COORDINATOR, context);
    }
    Group group = coordinator.find(wanted.groupId());
    if (group != null) {
      ErrorCode error = group.checkFetch(wanted.memberId(), wanted.memberEpoch());
      if (error != ErrorCode.NONE) {
        return failed(wanted, error, context);
      }
    }
    List<OffsetFetchRequestTopics> topics = wanted.topics();
    return new OffsetFetchResponseGroup().groupId(wanted.groupId())
        .topics(topics == null
            ? all(wanted.groupId(), isStable, context)
            : some(wanted.groupId(), topics, isStable, context));
  }

  private List<OffsetFetchResponseTopics> all(String groupId, boolean isStable, RequestContext context) {
    Map<String, List<OffsetFetchResponsePartitions>> byTopic = new LinkedHashMap<>();
    for (TopicPartition partition : coordinator.offsets(groupId).all().keySet()) {
      byTopic.computeIfAbsent(partition.topic(), t -> new ArrayList<>()).add(offset(groupId, partition, isStable));
    }
    List<OffsetFetchResponseTopics> topics = new ArrayList<>();
    byTopic.forEach((name, partitions) -> topics.add(topic(name, idOf(name, context), context).partitions(partitions)));
    return topics;
  }

  private Uuid idOf(String name, RequestContext context) {
    Topic topic = cluster.topics().named(name);
    return topic == null || context.version() < FIRST_WITH_IDS ? Uuid.ZERO : topic.id();
  }

  private static OffsetFetchResponseTopics topic(String name, Uuid id, RequestContext context) {
    return context.version() >= FIRST_WITH_IDS
        ? new OffsetFetchResponseTopics().topicId(id)
        : new OffsetFetchResponseTopics().name(name);
  }

  private List<OffsetFetchResponseTopics> some(String groupId, List<OffsetFetchRequestTopics> wanted,
      boolean isStable, RequestContext context) {
    List<OffsetFetchResponseTopics> topics = new ArrayList<>();
    for (OffsetFetchRequestTopics topic : wanted) {
      String name = nameOf(topic, context);
      topics.add(topic(topic.name(), topic.topicId(), context).partitions(topic.partitionIndexes().stream()
          .map(index -> name == null
              ? none(index).errorCode(ErrorCode.UNKNOWN_TOPIC_ID.code())
              : offset(groupId, new TopicPartition(name, index), isStable))
          .toList()));
    }
    return topics;
  }

  private @Nullable String nameOf(OffsetFetchRequestTopics topic, RequestContext context) {
    if (context.version() < FIRST_WITH_IDS) {
      return topic.name();
    }
    Topic found = cluster.topics().of(topic.topicId());
    return found == null ? null : found.name();
  }

  private OffsetFetchResponsePartitions offset(String groupId, TopicPartition partition, boolean isStable) {
    if (isStable && coordinator.pending().has(groupId, partition)) {
      return none(partition.partition()).errorCode(ErrorCode.UNSTABLE_OFFSET_COMMIT.code());
    }
    CommittedOffset committed = coordinator.offsets(groupId).of(partition);
    return committed == null
        ? none(partition.partition())
        : new OffsetFetchResponsePartitions().partitionIndex(partition.partition())
            .committedOffset(committed.offset()).committedLeaderEpoch(committed.leaderEpoch())
            .metadata(committed.metadata());
  }

  private static OffsetFetchResponsePartitions none(int index) {
    return new OffsetFetchResponsePartitions().partitionIndex(index).committedOffset(-1).metadata("");
  }

  private static OffsetFetchResponseGroup failed(OffsetFetchRequestGroup wanted, ErrorCode error,
      RequestContext context) {
    OffsetFetchResponseGroup group = new OffsetFetchResponseGroup().groupId(wanted.groupId()).errorCode(error.code());
    if (context.version() >= FIRST_WITH_ERROR) {
      return group;
    }
    return failedPartitions(wanted, error, context).errorCode(error.code());
  }

  private static OffsetFetchResponseGroup failedPartitions(OffsetFetchRequestGroup wanted, ErrorCode error,
      RequestContext context) {
    List<OffsetFetchRequestTopics> topics = Objects.requireNonNullElse(wanted.topics(), List.of());
    return new OffsetFetchResponseGroup().groupId(wanted.groupId()).topics(topics.stream()
        .map(topic -> topic(topic.name(), topic.topicId(), context).partitions(topic.partitionIndexes().stream()
            .map(index -> none(index).errorCode(error.code())).toList()))
        .toList());
  }

  private static OffsetFetchResponse response(List<OffsetFetchResponseGroup> groups, RequestContext context) {
    if (context.version() >= FIRST_WITH_GROUPS) {
      return new OffsetFetchResponse().groups(groups);
    }
    OffsetFetchResponseGroup group = groups.getFirst();
    OffsetFetchResponse response = new OffsetFetchResponse();
    if (context.version() >= FIRST_WITH_ERROR) {
      response.errorCode(group.errorCode());
    }
    return response.topics(group.topics().stream().map(topic -> new OffsetFetchResponseTopic().name(topic.name())
        .partitions(topic.partitions().stream().map(OffsetFetchHandler::single).toList())).toList());
  }

  private static OffsetFetchResponsePartition single(OffsetFetchResponsePartitions of) {
    return new OffsetFetchResponsePartition().partitionIndex(of.partitionIndex())
        .committedOffset(of.committedOffset()).committedLeaderEpoch(of.committedLeaderEpoch())
        .metadata(of.metadata()).errorCode(of.errorCode());
  }

  @Override
  public OffsetFetchResponse refuse(OffsetFetchRequest request, RequestContext context, ErrorCode error) {
    return response(groups(request, context).stream().map(group -> OF_PARTITIONS.contains(error)
        ? failedPartitions(group, error, context)
        : failed(group, error, context)).toList(), context);
  }

  @Override
  public Collection<String> topics(OffsetFetchRequest request, Cluster ofTopics) {
    List<String> names = new ArrayList<>();
    Objects.requireNonNullElse(request.topics(), List.<OffsetFetchRequestTopic>of()).forEach(t -> names.add(t.name()));
    for (OffsetFetchRequestGroup group : request.groups()) {
      for (OffsetFetchRequestTopics topic : Objects.requireNonNullElse(group.topics(),
          List.<OffsetFetchRequestTopics>of())) {
        names.add(ofTopics.topics().nameOf(topic.topicId(), topic.name()));
      }
    }
    return names;
  }
}
