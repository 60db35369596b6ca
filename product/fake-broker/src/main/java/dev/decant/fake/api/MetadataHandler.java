package dev.decant.fake.api;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Partition;
import dev.decant.fake.cluster.Topic;
import dev.decant.fake.cluster.Topics;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataRequest.MetadataRequestTopic;
import dev.decant.kafka.protocol.message.MetadataResponse;
import dev.decant.kafka.protocol.message.MetadataResponse.MetadataResponseBroker;
import dev.decant.kafka.protocol.message.MetadataResponse.MetadataResponsePartition;
import dev.decant.kafka.protocol.message.MetadataResponse.MetadataResponseTopic;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** Metadata: returns the brokers, and topics with their leaders. Creates requested topics if the brokers allow it. */
final class MetadataHandler implements ApiHandler<MetadataRequest, MetadataResponse> {
  /** First version in which null stands for all topics; before, an empty list does. */
  private static final int FIRST_WITH_NULL = 1;
  private static final int FIRST_WITH_CHOICE_OF_CREATION = 4;
  private static final int FIRST_WITH_OFFLINE_REPLICAS = 5;

  private final Cluster cluster;

  MetadataHandler(Cluster cluster) {
    this.cluster = cluster;
  }

  @Override
  public void handle(MetadataRequest request, RequestContext context, Reply<MetadataResponse> reply) {
    List<MetadataRequestTopic> wanted = request.topics();
    boolean all = wanted == null || (wanted.isEmpty() && context.version() < FIRST_WITH_NULL);
    List<MetadataResponseTopic> topics = new ArrayList<>();
    if (all) {
      cluster.topics().all().forEach(topic -> topics.add(described(topic, request, context)));
    } else {
      Objects.requireNonNull(wanted).forEach(one -> topics.add(described(one, request, context)));
    }
    MetadataResponse response = new MetadataResponse().topics(topics).brokers(brokers()).clusterId(cluster.id())
        .controllerId(cluster.controller());
    if (request.includeClusterAuthorizedOperations()) {
      response.clusterAuthorizedOperations(Operations.OF_CLUSTER);
    }
    reply.complete(response);
  }

  private List<MetadataResponseBroker> brokers() {
    return cluster.living().stream().map(b -> new MetadataResponseBroker().nodeId(b.id()).host(b.host()).port(b.port())
        .rack(b.rack())).toList();
  }

  private MetadataResponseTopic described(MetadataRequestTopic wanted, MetadataRequest request,
      RequestContext context) {
    String name = wanted.name();
    Topic topic = cluster.topics().find(wanted.topicId(), name);
    if (topic != null) {
      return described(topic, request, context);
    }
    if (!wanted.topicId().equals(Uuid.ZERO) || name == null) {
      return new MetadataResponseTopic().errorCode(ErrorCode.UNKNOWN_TOPIC_ID.code()).topicId(wanted.topicId())
          .name(context.version() >= 12 ? null : "");
    }
    return new MetadataResponseTopic().errorCode(create(name, request, context).code()).name(name)
        .isInternal(name.equals(Topics.OFFSETS) || name.equals(Topics.TRANSACTIONS));
  }

  /** Creates a topic if the client and the brokers allow it; only the next response has it, as with real brokers. */
  private ErrorCode create(String name, MetadataRequest request, RequestContext context) {
    if (Topics.problemOf(name) != null) {
      return ErrorCode.INVALID_TOPIC_EXCEPTION;
    }
    boolean wanted = context.version() < FIRST_WITH_CHOICE_OF_CREATION || request.allowAutoTopicCreation();
    if (!wanted || !cluster.settings().getBoolean("auto.create.topics.enable")) {
      return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
    }
    int replication = cluster.settings().getInt("default.replication.factor");
    if (replication > cluster.living().size()) {
      return ErrorCode.INVALID_REPLICATION_FACTOR;
    }
    cluster.createTopic(name, cluster.settings().getInt("num.partitions"), replication, Map.of());
    return cluster.release().isAtLeast(4, 0)
        ? ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        : ErrorCode.LEADER_NOT_AVAILABLE;
  }

  private MetadataResponseTopic described(Topic topic, MetadataRequest request, RequestContext context) {
    MetadataResponseTopic described = new MetadataResponseTopic().name(topic.name()).isInternal(topic.isInternal())
        .partitions(topic.partitions().stream().map(p -> described(p, context)).toList());
    if (cluster.release().isAtLeast(2, 8)) {
      described.topicId(topic.id());
    }
    if (request.includeTopicAuthorizedOperations()) {
      described.topicAuthorizedOperations(Operations.OF_TOPIC);
    }
    return described;
  }

  private MetadataResponsePartition described(Partition partition, RequestContext context) {
    boolean isLed = partition.leader() != Partition.NO_LEADER;
    List<Integer> dead = partition.replicas().stream().filter(b -> !cluster.isServing(b)).toList();
    ErrorCode error = isLed ? ErrorCode.NONE : ErrorCode.LEADER_NOT_AVAILABLE;
    MetadataResponsePartition described = new MetadataResponsePartition().partitionIndex(partition.index())
        .errorCode(error.code()).leaderId(partition.leader()).replicaNodes(partition.replicas())
        .isrNodes(partition.inSync()).leaderEpoch(partition.leaderEpoch());
    return context.version() < FIRST_WITH_OFFLINE_REPLICAS ? described : described.offlineReplicas(dead);
  }

  @Override
  public MetadataResponse refuse(MetadataRequest request, RequestContext context, ErrorCode error) {
    if (error == ErrorCode.ILLEGAL_SASL_STATE) {
      return refuseStranger(request, error);
    }
    List<MetadataRequestTopic> wanted = request.topics();
    Stream<MetadataResponseTopic> topics = wanted == null
        ? cluster.topics().all().stream().filter(t -> context.access().mayDescribeTopic(t.name()))
            .map(t -> new MetadataResponseTopic().name(t.name()).topicId(t.id()))
        : wanted.stream().map(t -> new MetadataResponseTopic()
            .name(cluster.topics().nameOf(t.topicId(), t.name())).topicId(t.topicId()));
    return new MetadataResponse().brokers(brokers()).clusterId(cluster.id()).controllerId(cluster.controller())
        .topics(topics.map(t -> t.errorCode(error.code())).toList());
  }

  /**
   * Refuses a client that has not logged in: it must learn nothing about the cluster, so the response repeats the names
   * of the request. A request in the middle of a login once returned the brokers, and for null all topics.
   */
  private static MetadataResponse refuseStranger(MetadataRequest request, ErrorCode error) {
    return new MetadataResponse().errorCode(error.code())
        .topics(Objects.requireNonNullElse(request.topics(), List.<MetadataRequestTopic>of()).stream()
            .map(t -> new MetadataResponseTopic().errorCode(error.code()).topicId(t.topicId())
                .name(Objects.requireNonNullElse(t.name(), "")))
            .toList());
  }

  @Override
  public Collection<String> topics(MetadataRequest request, Cluster ofTopics) {
    List<MetadataRequestTopic> wanted = request.topics();
    return wanted == null
        ? List.of()
        : wanted.stream().map(t -> ofTopics.topics().nameOf(t.topicId(), t.name())).toList();
  }
}
