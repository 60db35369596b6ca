package dev.decant.fake.api;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Partition;
import dev.decant.fake.cluster.Topic;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ListPartitionReassignmentsRequest;
import dev.decant.kafka.protocol.message.ListPartitionReassignmentsRequest.ListPartitionReassignmentsTopics;
import dev.decant.kafka.protocol.message.ListPartitionReassignmentsResponse;
import dev.decant.kafka.protocol.message.ListPartitionReassignmentsResponse.OngoingPartitionReassignment;
import dev.decant.kafka.protocol.message.ListPartitionReassignmentsResponse.OngoingTopicReassignment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** ListPartitionReassignments: returns the partitions that are moving to other brokers (KIP-455). */
final class ListPartitionReassignmentsHandler
    implements
      ApiHandler<ListPartitionReassignmentsRequest, ListPartitionReassignmentsResponse> {
  private final Cluster cluster;

  ListPartitionReassignmentsHandler(Cluster cluster) {
    this.cluster = cluster;
  }

  @Override
  public void handle(ListPartitionReassignmentsRequest request, RequestContext context,
      Reply<ListPartitionReassignmentsResponse> reply) {
    List<OngoingTopicReassignment> topics = new ArrayList<>();
    List<ListPartitionReassignmentsTopics> wanted = request.topics();
    if (wanted == null) {
      cluster.topics().all().forEach(topic -> add(topics, topic, topic.partitions().stream()));
    } else {
      for (ListPartitionReassignmentsTopics one : wanted) {
        Topic topic = cluster.topics().named(one.name());
        if (topic != null) {
          add(topics, topic, one.partitionIndexes().stream().map(topic::partition).filter(Objects::nonNull));
        }
      }
    }
    reply.complete(new ListPartitionReassignmentsResponse().errorMessage(null).topics(topics));
  }

  private static void add(List<OngoingTopicReassignment> to, Topic topic, Stream<Partition> partitions) {
    List<OngoingPartitionReassignment> moving = partitions.filter(Partition::isReassigning)
        .map(p -> new OngoingPartitionReassignment().partitionIndex(p.index()).replicas(p.replicas())
            .addingReplicas(p.addingReplicas()).removingReplicas(p.removingReplicas()))
        .toList();
    if (!moving.isEmpty()) {
      to.add(new OngoingTopicReassignment().name(topic.name()).partitions(moving));
    }
  }

  @Override
  public ListPartitionReassignmentsResponse refuse(ListPartitionReassignmentsRequest request, RequestContext context,
      ErrorCode error) {
    List<ListPartitionReassignmentsTopics> wanted = Objects.requireNonNullElse(request.topics(), List.of());
    return new ListPartitionReassignmentsResponse().errorCode(error.code())
        .errorMessage(Refusal.of(error).getMessage())
        .topics(wanted.stream().map(topic -> new OngoingTopicReassignment().name(topic.name())
            .partitions(topic.partitionIndexes().stream()
                .map(index -> new OngoingPartitionReassignment().partitionIndex(index)).toList()))
            .toList());
  }

  @Override
  public Collection<String> topics(ListPartitionReassignmentsRequest request, Cluster ofTopics) {
    List<ListPartitionReassignmentsTopics> wanted = request.topics();
    return wanted == null ? List.of() : wanted.stream().map(ListPartitionReassignmentsTopics::name).toList();
  }
}
