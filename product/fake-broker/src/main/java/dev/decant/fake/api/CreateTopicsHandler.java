package dev.decant.fake.api;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Settings;
import dev.decant.fake.cluster.Topic;
import dev.decant.fake.cluster.Topics;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.CreateTopicsRequest;
import dev.decant.kafka.protocol.message.CreateTopicsRequest.CreatableReplicaAssignment;
import dev.decant.kafka.protocol.message.CreateTopicsRequest.CreatableTopic;
import dev.decant.kafka.protocol.message.CreateTopicsRequest.CreatableTopicConfig;
import dev.decant.kafka.protocol.message.CreateTopicsResponse;
import dev.decant.kafka.protocol.message.CreateTopicsResponse.CreatableTopicConfigs;
import dev.decant.kafka.protocol.message.CreateTopicsResponse.CreatableTopicResult;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** CreateTopics: creates topics, or only validates them. Checks come in the order of Kafka's controllers. */
final class CreateTopicsHandler implements ApiHandler<CreateTopicsRequest, CreateTopicsResponse> {
  private static final int DEFAULT = -1;
  /** Most partitions of all topics of a request together, as in Kafka's controllers. */
  static final int MOST_PARTITIONS = 10_000;
  /** First version with the brokers' default number of partitions and replicas (KIP-464, since 2.4). */
  private static final int FIRST_WITH_DEFAULTS = 4;

  private final Cluster cluster;

  CreateTopicsHandler(Cluster cluster) {
    this.cluster = cluster;
  }

  @Override
  public void handle(CreateTopicsRequest request, RequestContext context, Reply<CreateTopicsResponse> reply) {
    if (partitionsOf(request) > MOST_PARTITIONS) {
      Refusal tooMany = new Refusal(ErrorCode.POLICY_VIOLATION, "Excessively large number of partitions per request.");
      reply.complete(new CreateTopicsResponse()
          .topics(request.topics().stream().map(t -> failed(t.name(), tooMany)).toList()));
      return;
    }
    Map<String, Integer> counts = new LinkedHashMap<>();
    request.topics().forEach(topic -> counts.merge(topic.name(), 1, Integer::sum));
    List<CreatableTopicResult> results = new ArrayList<>();
    counts.forEach((name, count) -> {
      if (count > 1) {
        results.add(failed(name, new Refusal(ErrorCode.INVALID_REQUEST, "Duplicate topic name.")));
      }
    });
    for (CreatableTopic topic : request.topics()) {
      if (counts.getOrDefault(topic.name(), 0) == 1) {
        try {
          results.add(create(topic, request.validateOnly(), context));
        } catch (Refusal e) {
          results.add(failed(topic.name(), e));
        }
      }
    }
    reply.complete(new CreateTopicsResponse().topics(results));
  }

  private long partitionsOf(CreateTopicsRequest request) {
    long partitions = 0;
    for (CreatableTopic topic : request.topics()) {
      int own = topic.assignments().isEmpty() ? topic.numPartitions() : topic.assignments().size();
      partitions += own == DEFAULT ? cluster.settings().getInt("num.partitions") : Math.max(0, own);
    }
    return partitions;
  }

  private static CreatableTopicResult failed(String name, Refusal refusal) {
    return new CreatableTopicResult().name(name).errorCode(refusal.error().code()).errorMessage(refusal.getMessage());
  }

  private CreatableTopicResult create(CreatableTopic wanted, boolean validateOnly, RequestContext context)
      throws Refusal {
    checkName(wanted.name());
    Map<String, String> overrides = new TreeMap<>();
    Settings settings = settings(wanted, overrides);
    List<List<Integer>> replicas = wanted.assignments().isEmpty() ? placed(wanted, context) : assigned(wanted);
    CreatableTopicResult result = new CreatableTopicResult().name(wanted.name()).errorMessage(null)
        .numPartitions(replicas.size()).replicationFactor((short) replicas.getFirst().size())
        .topicId(Topics.newId()).configs(configs(settings));
    if (!validateOnly) {
      Topic made = cluster.createTopic(wanted.name(), replicas, overrides);
      result.topicId(made.id());
    }
    return result;
  }

  private void checkName(String name) throws Refusal {
    String problem = Topics.problemOf(name);
    if (problem != null) {
      throw new Refusal(ErrorCode.INVALID_TOPIC_EXCEPTION, problem);
    }
    if (cluster.topics().named(name) != null) {
      throw new Refusal(ErrorCode.TOPIC_ALREADY_EXISTS, "Topic '" + name + "' already exists.");
    }
    for (Topic topic : cluster.topics().all()) { // names that differ only in . and _ have the same metric name
      if (topic.name().length() == name.length() && topic.name().replace('.', '_').equals(name.replace('.', '_'))) {
        throw new Refusal(ErrorCode.INVALID_TOPIC_EXCEPTION,
            "Topic '" + name + "' collides with existing topic: " + topic.name());
      }
    }
  }

  private Settings settings(CreatableTopic wanted, Map<String, String> overrides) throws Refusal {
    Settings settings = cluster.settings().ofTopic();
    List<String> withoutValue = wanted.configs().stream().filter(c -> c.value() == null)
        .map(CreatableTopicConfig::name).toList();
    if (!withoutValue.isEmpty()) {
      throw new Refusal(ErrorCode.INVALID_CONFIG,
          "Null value not supported for topic configs: " + String.join(",", withoutValue));
    }
    for (CreatableTopicConfig config : wanted.configs()) {
      String value = config.value();
      if (value != null) {
        overrides.put(config.name(), value);
      }
    }
    TopicConfigs.check(overrides);
    overrides.forEach(settings::set);
    return settings;
  }

  private List<List<Integer>> assigned(CreatableTopic wanted) throws Refusal {
    if (wanted.replicationFactor() != DEFAULT) {
      throw new Refusal(ErrorCode.INVALID_REQUEST,
          "A manual partition assignment was specified, but replication factor was not set to -1.");
    }
    if (wanted.numPartitions() != DEFAULT) {
      throw new Refusal(ErrorCode.INVALID_REQUEST,
          "A manual partition assignment was specified, but numPartitions was not set to -1.");
    }
    TreeMap<Integer, List<Integer>> replicas = new TreeMap<>();
    int replication = -1;
    for (CreatableReplicaAssignment one : wanted.assignments()) {
      if (replicas.containsKey(one.partitionIndex())) {
        throw ReplicaAssignments.wrong(
            "Found multiple manual partition assignments for partition " + one.partitionIndex());
      }
      ReplicaAssignments.check(cluster, one.partitionIndex(), one.brokerIds(), replication);
      replication = one.brokerIds().size();
      replicas.put(one.partitionIndex(), one.brokerIds());
    }
    if (replicas.firstKey() != 0 || replicas.lastKey() != replicas.size() - 1) {
      throw ReplicaAssignments.wrong("partitions should be a consecutive 0-based integer sequence");
    }
    return List.copyOf(replicas.values());
  }

  private List<List<Integer>> placed(CreatableTopic wanted, RequestContext context) throws Refusal {
    boolean mayDefault = context.version() >= FIRST_WITH_DEFAULTS || cluster.release().isAtLeast(3, 0);
    int replication = wanted.replicationFactor();
    if (replication == 0 || replication < DEFAULT || (replication == DEFAULT && !mayDefault)) {
      throw new Refusal(ErrorCode.INVALID_REPLICATION_FACTOR,
          "Replication factor must be larger than 0, or -1 to use the default value.");
    }
    int partitions = wanted.numPartitions();
    if (partitions == 0 || partitions < DEFAULT || (partitions == DEFAULT && !mayDefault)) {
      throw new Refusal(ErrorCode.INVALID_PARTITIONS,
          "Number of partitions was set to an invalid non-positive value.");
    }
    int copies = replication == DEFAULT ? cluster.settings().getInt("default.replication.factor") : replication;
    String problem = problemOf(cluster, copies);
    if (problem != null) {
      throw new Refusal(ErrorCode.INVALID_REPLICATION_FACTOR,
          "Unable to replicate the partition " + copies + " time(s): " + problem);
    }
    int count = partitions == DEFAULT ? cluster.settings().getInt("num.partitions") : partitions;
    return cluster.placement(0, count, copies);
  }

  /** Returns why partitions cannot have a number of replicas; null if they can. */
  private static @Nullable String problemOf(Cluster cluster, int copies) {
    if (cluster.living().isEmpty()) {
      return "All brokers are currently fenced or in controlled shutdown.";
    }
    int brokers = cluster.brokers().size();
    return copies <= brokers
        ? null
        : "The target replication factor of " + copies + " cannot be reached because only " + brokers
            + " broker(s) are registered or some brokers have all their log directories cordoned.";
  }

  private static List<CreatableTopicConfigs> configs(Settings settings) {
    return TopicConfigs.of(settings, false).stream().map(c -> new CreatableTopicConfigs().name(c.name())
        .value(c.value()).readOnly(c.readOnly()).configSource(c.configSource()).isSensitive(c.isSensitive())).toList();
  }

  @Override
  public CreateTopicsResponse refuse(CreateTopicsRequest request, RequestContext context, ErrorCode error) {
    return new CreateTopicsResponse()
        .topics(request.topics().stream().map(t -> failed(t.name(), Refusal.of(error))).toList());
  }

  @Override
  public Collection<String> topics(CreateTopicsRequest request, Cluster ofTopics) {
    return request.topics().stream().map(CreatableTopic::name).toList();
  }
}
