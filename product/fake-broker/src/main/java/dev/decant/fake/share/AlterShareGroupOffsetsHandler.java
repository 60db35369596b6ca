package dev.decant.fake.share;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Partition;
import dev.decant.fake.cluster.Topic;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.AlterShareGroupOffsetsRequest;
import dev.decant.kafka.protocol.message.AlterShareGroupOffsetsRequest.AlterShareGroupOffsetsRequestPartition;
import dev.decant.kafka.protocol.message.AlterShareGroupOffsetsRequest.AlterShareGroupOffsetsRequestTopic;
import dev.decant.kafka.protocol.message.AlterShareGroupOffsetsResponse;
import dev.decant.kafka.protocol.message.AlterShareGroupOffsetsResponse.AlterShareGroupOffsetsResponsePartition;
import dev.decant.kafka.protocol.message.AlterShareGroupOffsetsResponse.AlterShareGroupOffsetsResponseTopic;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/**
 * AlterShareGroupOffsets: sets the start of a share group without members; creates the group if it does not exist
 * (KIP-932).
 */
final class AlterShareGroupOffsetsHandler
    implements
      ApiHandler<AlterShareGroupOffsetsRequest, AlterShareGroupOffsetsResponse> {
  private final ShareGroups groups;

  AlterShareGroupOffsetsHandler(ShareGroups groups) {
    this.groups = groups;
  }

  @Override
  public void handle(AlterShareGroupOffsetsRequest request, RequestContext context,
      Reply<AlterShareGroupOffsetsResponse> reply) {
    try {
      ShareGroup known = OffsetsRefusal.group(groups, request.groupId(), context);
      reply.complete(alter(known == null ? groups.make(request.groupId()) : known, request, context));
    } catch (OffsetsRefusal e) {
      reply.complete(refuse(request, context, e.error()).errorMessage(e.getMessage()));
    }
  }

  /** Alters the offsets. Refused topics come first in the response. */
  private AlterShareGroupOffsetsResponse alter(ShareGroup group, AlterShareGroupOffsetsRequest request,
      RequestContext context) {
    List<AlterShareGroupOffsetsResponseTopic> responses = new ArrayList<>();
    List<AlterShareGroupOffsetsResponseTopic> altered = new ArrayList<>();
    for (AlterShareGroupOffsetsRequestTopic wanted : request.topics()) {
      try {
        Topic topic = OffsetsRefusal.topic(groups, wanted.topicName(), context);
        altered.add(response(wanted, partition -> alter(group, topic, partition)));
      } catch (OffsetsRefusal e) {
        responses.add(response(wanted, partition -> failed(partition, e)));
      }
    }
    responses.addAll(altered);
    return new AlterShareGroupOffsetsResponse().responses(responses);
  }

  private AlterShareGroupOffsetsResponseTopic response(AlterShareGroupOffsetsRequestTopic wanted,
      Function<AlterShareGroupOffsetsRequestPartition, AlterShareGroupOffsetsResponsePartition> ofPartition) {
    Topic topic = groups.cluster().topics().named(wanted.topicName());
    return new AlterShareGroupOffsetsResponseTopic().topicName(wanted.topicName())
        .topicId(topic == null ? Uuid.ZERO : topic.id()).partitions(wanted.partitions().stream().map(ofPartition)
            .toList());
  }

  private AlterShareGroupOffsetsResponsePartition alter(ShareGroup group, Topic topic,
      AlterShareGroupOffsetsRequestPartition wanted) {
    Partition partition = topic.partition(wanted.partitionIndex());
    if (partition == null) {
      return failed(wanted, OffsetsRefusal.ofUnknownPartition());
    }
    group.initialize(topic.id(), partition.index());
    groups.share(group.id(), partition).reset(wanted.startOffset());
    return new AlterShareGroupOffsetsResponsePartition().partitionIndex(partition.index());
  }

  private static AlterShareGroupOffsetsResponsePartition failed(AlterShareGroupOffsetsRequestPartition wanted,
      OffsetsRefusal why) {
    return new AlterShareGroupOffsetsResponsePartition().partitionIndex(wanted.partitionIndex())
        .errorCode(why.error().code()).errorMessage(why.getMessage());
  }

  @Override
  public AlterShareGroupOffsetsResponse refuse(AlterShareGroupOffsetsRequest request, RequestContext context,
      ErrorCode error) {
    return new AlterShareGroupOffsetsResponse().errorCode(error.code())
        .errorMessage(OffsetsRefusal.messageOf(error));
  }

  @Override
  public Collection<String> topics(AlterShareGroupOffsetsRequest request, Cluster ofTopics) {
    return request.topics().stream().map(AlterShareGroupOffsetsRequestTopic::topicName).toList();
  }
}
