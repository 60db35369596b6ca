package dev.decant.fake.security;

import dev.decant.fake.api.Access;
import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.ApiTable;
import dev.decant.fake.api.Operations;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Topic;
import dev.decant.fake.cluster.Topics;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataRequest.MetadataRequestTopic;
import dev.decant.kafka.protocol.message.MetadataResponse;
import dev.decant.kafka.protocol.message.MetadataResponse.MetadataResponseTopic;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Metadata: topics that the client may not describe are refused if the request names them, whether they exist or not,
 * and left out if it asks for all. A client with the right to create topics has them created.
 */
final class MetadataGuard implements Guard<MetadataRequest, MetadataResponse> {
  private static final int FIRST_WITH_NULL = 1;
  private static final int FIRST_WITH_CHOICE_OF_CREATION = 4;
  private static final int FIRST_WITH_NAMELESS_TOPICS = 12;

  private final Cluster cluster;

  private MetadataGuard(Cluster cluster) {
    this.cluster = cluster;
  }

  static void addTo(ApiTable apis, Cluster cluster) {
    Guards.add(apis, ApiKey.METADATA, new MetadataGuard(cluster));
  }

  @Override
  public void pass(MetadataRequest request, RequestContext context, Reply<MetadataResponse> reply,
      ApiHandler<MetadataRequest, MetadataResponse> next) {
    List<MetadataRequestTopic> named = request.topics();
    List<MetadataResponseTopic> refused = new ArrayList<>();
    if (named != null && !(named.isEmpty() && context.version() < FIRST_WITH_NULL)) {
      List<MetadataRequestTopic> allowed = new ArrayList<>();
      named.forEach(topic -> {
        if (!isKnown(topic, context.access())) {
          refused.add(refusal(topic, context));
        } else if (isForbiddenCreation(topic, request, context)) {
          refused.add(refusal(topic, context).isInternal(isInternal(topic.name())));
        } else {
          allowed.add(topic);
        }
      });
      if (allowed.isEmpty() && context.version() < FIRST_WITH_NULL) {
        next.handle(new MetadataRequest().topics(List.of(new MetadataRequestTopic().name(""))), context,
            ChangingReply.of(reply, response -> response.topics(refused))); // an empty list would stand for all topics
        return;
      }
      request.topics(allowed);
    }
    next.handle(request, context, ChangingReply.of(reply, response -> limited(request, context.access(), response,
        refused)));
  }

  private boolean isKnown(MetadataRequestTopic topic, Access access) {
    return Refusals.topic(Operations.DESCRIBE, cluster, topic.topicId(), topic.name(), access) == ErrorCode.NONE;
  }

  private boolean isForbiddenCreation(MetadataRequestTopic topic, MetadataRequest request, RequestContext context) {
    String name = topic.name();
    boolean creates = name != null && topic.topicId().equals(Uuid.ZERO) && cluster.topics().named(name) == null
        && cluster.settings().getBoolean("auto.create.topics.enable")
        && (context.version() < FIRST_WITH_CHOICE_OF_CREATION || request.allowAutoTopicCreation());
    return creates && name != null && !context.access().mayOnCluster(Operations.CREATE)
        && !context.access().may(Operations.CREATE, Operations.TOPIC, name);
  }

  private static boolean isInternal(@Nullable String name) {
    return Topics.OFFSETS.equals(name) || Topics.TRANSACTIONS.equals(name);
  }

  /**
   * Returns the refusal of a topic: it has no name for an id, and no id for a name, since either would reveal that the
   * topic exists.
   */
  private static MetadataResponseTopic refusal(MetadataRequestTopic topic, RequestContext context) {
    boolean isById = !topic.topicId().equals(Uuid.ZERO);
    return new MetadataResponseTopic().errorCode(ErrorCode.TOPIC_AUTHORIZATION_FAILED.code())
        .topicId(topic.topicId())
        .name(!isById ? topic.name() : context.version() >= FIRST_WITH_NAMELESS_TOPICS ? null : "");
  }

  private MetadataResponse limited(MetadataRequest request, Access access, MetadataResponse response,
      List<MetadataResponseTopic> refused) {
    List<MetadataResponseTopic> topics = new ArrayList<>();
    for (MetadataResponseTopic topic : response.topics()) {
      String name = topic.name();
      Topic known = name == null ? null : cluster.topics().named(name);
      if (known == null || access.may(Operations.DESCRIBE, Operations.TOPIC, known.name())) {
        topics.add(known != null && request.includeTopicAuthorizedOperations()
            ? topic.topicAuthorizedOperations(
                Operations.allowed(Operations.OF_TOPIC, access, Operations.TOPIC, known.name()))
            : topic);
      }
    }
    topics.addAll(refused);
    if (request.includeClusterAuthorizedOperations()) {
      response.clusterAuthorizedOperations(ClusterGuards.clusterOperations(access));
    }
    return response.topics(topics);
  }
}
