package dev.decant.fake.security;

import dev.decant.fake.api.Access;
import dev.decant.fake.api.ApiTable;
import dev.decant.fake.api.Operations;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Topic;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.CreatePartitionsRequest;
import dev.decant.kafka.protocol.message.CreatePartitionsRequest.CreatePartitionsTopic;
import dev.decant.kafka.protocol.message.CreatePartitionsResponse;
import dev.decant.kafka.protocol.message.CreateTopicsRequest;
import dev.decant.kafka.protocol.message.CreateTopicsRequest.CreatableTopic;
import dev.decant.kafka.protocol.message.CreateTopicsResponse;
import dev.decant.kafka.protocol.message.DeleteTopicsRequest;
import dev.decant.kafka.protocol.message.DeleteTopicsRequest.DeleteTopicState;
import dev.decant.kafka.protocol.message.DeleteTopicsResponse;
import java.util.List;

/** The rights to create, change and delete topics. */
final class TopicGuards {
  private static final int FIRST_WITH_CONFIGS = 5;
  private static final int FIRST_WITH_IDS = 6;
  private static final int LAST = Short.MAX_VALUE;

  private TopicGuards() {}

  static void addTo(ApiTable apis, Cluster cluster) {
    var creations = new Parts<CreateTopicsRequest, CreateTopicsResponse, CreatableTopic>(
        CreateTopicsRequest::topics, CreateTopicsRequest::topics,
        parts -> new CreateTopicsRequest().topics(parts), TopicGuards::creation,
        (to, from) -> to.topics(Parts.both(to.topics(), from.topics())));
    Guard<CreateTopicsRequest, CreateTopicsResponse> configs = Guard.after(TopicGuards::withoutConfigs);
    Guards.add(apis, ApiKey.CREATE_TOPICS, configs.then(creations));
    Guard<CreatePartitionsRequest, CreatePartitionsResponse> wordless = Guard.after(
        (request, context, response) -> withoutWords(response));
    Guards.add(apis, ApiKey.CREATE_PARTITIONS, wordless.then(
        new Parts<CreatePartitionsRequest, CreatePartitionsResponse, CreatePartitionsTopic>(
            CreatePartitionsRequest::topics, CreatePartitionsRequest::topics,
            parts -> new CreatePartitionsRequest().topics(parts),
            (request, part, access) -> count(request, part) > 1
                ? ErrorCode.NONE
                : Refusals.topic(Operations.ALTER, part.name(), access),
            (to, from) -> to.results(Parts.both(to.results(), from.results())))));
    var byName = new Parts<DeleteTopicsRequest, DeleteTopicsResponse, String>(
        DeleteTopicsRequest::topicNames, DeleteTopicsRequest::topicNames,
        parts -> new DeleteTopicsRequest().topicNames(parts),
        (request, part, access) -> deletion(cluster, Uuid.ZERO, part, access), TopicGuards::merged);
    var byState = new Parts<DeleteTopicsRequest, DeleteTopicsResponse, DeleteTopicState>(
        DeleteTopicsRequest::topics, DeleteTopicsRequest::topics,
        parts -> new DeleteTopicsRequest().topics(parts),
        (request, part, access) -> {
          String name = part.name();
          return name != null && !part.topicId().equals(Uuid.ZERO)
              ? ErrorCode.NONE // the handler refuses both at once
              : deletion(cluster, part.topicId(), name == null ? "" : name, access);
        }, TopicGuards::merged);
    Guard<DeleteTopicsRequest, DeleteTopicsResponse> named = Guard.after(
        (request, context, response) -> withNames(cluster, context, response));
    Guard<DeleteTopicsRequest, DeleteTopicsResponse> enabled = (request, context, reply, next) -> {
      if (cluster.settings().getBoolean("delete.topic.enable")) {
        named.then(byName.inVersions(0, FIRST_WITH_IDS - 1)).then(byState.inVersions(FIRST_WITH_IDS, LAST))
            .pass(request, context, reply, next);
      } else {
        next.handle(request, context, reply);
      }
    };
    Guards.add(apis, ApiKey.DELETE_TOPICS, enabled);
  }

  private static ErrorCode creation(CreateTopicsRequest request, CreatableTopic part, Access access) {
    boolean isRepeated = request.topics().stream().filter(t -> t.name().equals(part.name())).count() > 1;
    return isRepeated || access.mayOnCluster(Operations.CREATE)
        ? ErrorCode.NONE
        : Refusals.topic(Operations.CREATE, part.name(), access);
  }

  private static CreateTopicsResponse withoutConfigs(CreateTopicsRequest request, RequestContext context,
      CreateTopicsResponse response) {
    response.topics().forEach(topic -> {
      if (topic.errorCode() == ErrorCode.TOPIC_AUTHORIZATION_FAILED.code()) {
        topic.errorMessage("Authorization failed.");
      } else if (topic.errorCode() == ErrorCode.NONE.code() && context.version() >= FIRST_WITH_CONFIGS
          && !context.access().may(Operations.DESCRIBE_CONFIGS, Operations.TOPIC, topic.name())) {
        topic.topicConfigErrorCode(ErrorCode.TOPIC_AUTHORIZATION_FAILED.code()).configs(List.of()).numPartitions(-1)
            .replicationFactor((short) -1);
      }
    });
    return response;
  }

  /** Returns the response without texts: brokers return only the error here. */
  private static CreatePartitionsResponse withoutWords(CreatePartitionsResponse response) {
    response.results().stream().filter(r -> r.errorCode() == ErrorCode.TOPIC_AUTHORIZATION_FAILED.code())
        .forEach(r -> r.errorMessage(null));
    return response;
  }

  private static long count(CreatePartitionsRequest request, CreatePartitionsTopic part) {
    return request.topics().stream().filter(t -> t.name().equals(part.name())).count();
  }

  /** Returns the error of a deletion; a client that may not describe the topic does not learn whether it exists. */
  private static ErrorCode deletion(Cluster cluster, Uuid id, String name, Access access) {
    if (access.mayOnCluster(Operations.DELETE)) {
      return ErrorCode.NONE;
    }
    Topic topic = cluster.topics().find(id, name);
    if (topic != null) {
      return Refusals.topic(Operations.DELETE, topic.name(), access);
    }
    return id.equals(Uuid.ZERO) && !name.isEmpty()
        ? Refusals.topic(Operations.DESCRIBE, name, access)
        : ErrorCode.NONE;
  }

  private static DeleteTopicsResponse merged(DeleteTopicsResponse to, DeleteTopicsResponse from) {
    return to.responses(Parts.both(to.responses(), from.responses()));
  }

  /** Adds the name to the refusal of an id, if the client may describe the topic. */
  private static DeleteTopicsResponse withNames(Cluster cluster, RequestContext context,
      DeleteTopicsResponse response) {
    response.responses().forEach(one -> {
      Topic topic = cluster.topics().of(one.topicId());
      if (topic != null && one.errorCode() == ErrorCode.TOPIC_AUTHORIZATION_FAILED.code()
          && context.access().may(Operations.DESCRIBE, Operations.TOPIC, topic.name())) {
        one.name(topic.name());
      }
    });
    return response;
  }
}
