package dev.decant.fake.api;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Topic;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.CreatePartitionsRequest;
import dev.decant.kafka.protocol.message.CreatePartitionsRequest.CreatePartitionsAssignment;
import dev.decant.kafka.protocol.message.CreatePartitionsRequest.CreatePartitionsTopic;
import dev.decant.kafka.protocol.message.CreatePartitionsResponse;
import dev.decant.kafka.protocol.message.CreatePartitionsResponse.CreatePartitionsTopicResult;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** CreatePartitions: adds partitions to topics (KIP-195). */
final class CreatePartitionsHandler implements ApiHandler<CreatePartitionsRequest, CreatePartitionsResponse> {
  private final Cluster cluster;

  CreatePartitionsHandler(Cluster cluster) {
    this.cluster = cluster;
  }

  @Override
  public void handle(CreatePartitionsRequest request, RequestContext context, Reply<CreatePartitionsResponse> reply) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    request.topics().forEach(topic -> counts.merge(topic.name(), 1, Integer::sum));
    List<CreatePartitionsTopicResult> results = new ArrayList<>();
    counts.forEach((name, count) -> {
      if (count > 1) {
        results.add(result(name, new Refusal(ErrorCode.INVALID_REQUEST, "Duplicate topic name.")));
      }
    });
    for (CreatePartitionsTopic topic : request.topics()) {
      if (counts.getOrDefault(topic.name(), 0) == 1) {
        try {
          add(topic, request.validateOnly());
          results.add(new CreatePartitionsTopicResult().name(topic.name()));
        } catch (Refusal e) {
          results.add(result(topic.name(), e));
        }
      }
    }
    reply.complete(new CreatePartitionsResponse().results(results));
  }

  private static CreatePartitionsTopicResult result(String name, Refusal refusal) {
    return new CreatePartitionsTopicResult().name(name).errorCode(refusal.error().code())
        .errorMessage(refusal.getMessage());
  }

  private void add(CreatePartitionsTopic wanted, boolean validateOnly) throws Refusal {
    Topic topic = cluster.topics().named(wanted.name());
    if (topic == null) {
      throw new Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, null);
    }
    int present = topic.partitions().size();
    if (wanted.count() == present) {
      throw new Refusal(ErrorCode.INVALID_PARTITIONS, "Topic already has " + present + " partition(s).");
    }
    if (wanted.count() < present) {
      throw new Refusal(ErrorCode.INVALID_PARTITIONS, "The topic " + topic.name() + " currently has " + present
          + " partition(s); " + wanted.count() + " would not be an increase.");
    }
    if (wanted.count() - present > CreateTopicsHandler.MOST_PARTITIONS) {
      throw new Refusal(ErrorCode.POLICY_VIOLATION, "Excessively large number of partitions per request.");
    }
    List<CreatePartitionsAssignment> assignments = wanted.assignments();
    List<List<Integer>> replicas = assignments == null
        ? cluster.placement(present, wanted.count(), topic.partitions().getFirst().replicas().size())
        : assigned(topic, wanted.count() - present, assignments);
    if (!validateOnly) {
      cluster.addPartitions(topic, replicas);
    }
  }

  private List<List<Integer>> assigned(Topic topic, int additional, List<CreatePartitionsAssignment> assignments)
      throws Refusal {
    if (assignments.size() != additional) {
      throw ReplicaAssignments.wrong("Attempted to add " + additional + " additional partition(s), but only "
          + assignments.size() + " assignment(s) were specified.");
    }
    int index = topic.partitions().size();
    for (CreatePartitionsAssignment one : assignments) {
      ReplicaAssignments.check(cluster, index, one.brokerIds(), topic.partitions().getFirst().replicas().size());
      index++;
    }
    return assignments.stream().map(CreatePartitionsAssignment::brokerIds).toList();
  }

  @Override
  public CreatePartitionsResponse refuse(CreatePartitionsRequest request, RequestContext context, ErrorCode error) {
    return new CreatePartitionsResponse()
        .results(request.topics().stream().map(t -> result(t.name(), Refusal.of(error))).toList());
  }

  @Override
  public Collection<String> topics(CreatePartitionsRequest request, Cluster ofTopics) {
    return request.topics().stream().map(CreatePartitionsTopic::name).toList();
  }
}
