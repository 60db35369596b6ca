package dev.decant.fake.api;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Partition;
import dev.decant.fake.cluster.Topic;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.AlterPartitionReassignmentsRequest;
import dev.decant.kafka.protocol.message.AlterPartitionReassignmentsRequest.ReassignablePartition;
import dev.decant.kafka.protocol.message.AlterPartitionReassignmentsRequest.ReassignableTopic;
import dev.decant.kafka.protocol.message.AlterPartitionReassignmentsResponse;
import dev.decant.kafka.protocol.message.AlterPartitionReassignmentsResponse.ReassignablePartitionResponse;
import dev.decant.kafka.protocol.message.AlterPartitionReassignmentsResponse.ReassignableTopicResponse;
import java.util.Collection;
import java.util.List;

/** AlterPartitionReassignments: moves partitions to other brokers, or cancels a move (KIP-455). */
final class AlterPartitionReassignmentsHandler
    implements
      ApiHandler<AlterPartitionReassignmentsRequest, AlterPartitionReassignmentsResponse> {
  private final Cluster cluster;

  AlterPartitionReassignmentsHandler(Cluster cluster) {
    this.cluster = cluster;
  }

  @Override
  public void handle(AlterPartitionReassignmentsRequest request, RequestContext context,
      Reply<AlterPartitionReassignmentsResponse> reply) {
    boolean mayResize = request.allowReplicationFactorChange();
    reply.complete(new AlterPartitionReassignmentsResponse().errorMessage(null)
        .allowReplicationFactorChange(mayResize)
        .responses(request.topics().stream().map(topic -> new ReassignableTopicResponse().name(topic.name())
            .partitions(topic.partitions().stream().map(p -> altered(topic.name(), p, mayResize)).toList()))
            .toList()));
  }

  private ReassignablePartitionResponse altered(String topic, ReassignablePartition wanted, boolean mayResize) {
    ReassignablePartitionResponse response = new ReassignablePartitionResponse()
        .partitionIndex(wanted.partitionIndex()).errorMessage(null);
    try {
      alter(topic, wanted, mayResize);
      return response;
    } catch (Refusal e) {
      return response.errorCode(e.error().code()).errorMessage(e.getMessage());
    }
  }

  private void alter(String name, ReassignablePartition wanted, boolean mayResize) throws Refusal {
    Topic topic = cluster.topics().named(name);
    if (topic == null) {
      throw new Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "Unable to find a topic named " + name + ".");
    }
    Partition partition = topic.partition(wanted.partitionIndex());
    if (partition == null) {
      throw new Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
          "Unable to find partition " + name + ":" + wanted.partitionIndex() + ".");
    }
    List<Integer> replicas = wanted.replicas();
    if (replicas == null) {
      cancel(partition);
      return;
    }
    ReplicaAssignments.check(cluster, replicas);
    int present = partition.replicas().size() - partition.addingReplicas().size();
    if (!mayResize && replicas.size() != present) {
      throw new Refusal(ErrorCode.INVALID_REPLICATION_FACTOR, "The replication factor is changed from " + present
          + " to " + replicas.size());
    }
    cluster.reassign(partition, replicas);
  }

  private void cancel(Partition partition) throws Refusal {
    if (!partition.isReassigning()) {
      throw new Refusal(ErrorCode.NO_REASSIGNMENT_IN_PROGRESS, null);
    }
    if (partition.addingReplicas().containsAll(partition.inSync())) {
      throw ReplicaAssignments.wrong("Unable to revert partition assignment for " + partition.topic().name() + ":"
          + partition.index() + " because it would require an unclean leader election.");
    }
    cluster.cancelReassignment(partition);
  }

  @Override
  public AlterPartitionReassignmentsResponse refuse(AlterPartitionReassignmentsRequest request,
      RequestContext context, ErrorCode error) {
    Refusal refusal = Refusal.of(error);
    return new AlterPartitionReassignmentsResponse().errorCode(error.code()).errorMessage(refusal.getMessage())
        .allowReplicationFactorChange(true)
        .responses(request.topics().stream().map(topic -> new ReassignableTopicResponse().name(topic.name())
            .partitions(topic.partitions().stream().map(p -> new ReassignablePartitionResponse()
                .partitionIndex(p.partitionIndex()).errorCode(error.code()).errorMessage(refusal.getMessage()))
                .toList()))
            .toList());
  }

  @Override
  public Collection<String> topics(AlterPartitionReassignmentsRequest request, Cluster ofTopics) {
    return request.topics().stream().map(ReassignableTopic::name).toList();
  }
}
