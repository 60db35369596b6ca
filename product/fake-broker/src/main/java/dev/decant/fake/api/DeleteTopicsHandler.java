package dev.decant.fake.api;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Topic;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.DeleteTopicsRequest;
import dev.decant.kafka.protocol.message.DeleteTopicsRequest.DeleteTopicState;
import dev.decant.kafka.protocol.message.DeleteTopicsResponse;
import dev.decant.kafka.protocol.message.DeleteTopicsResponse.DeletableTopicResult;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** DeleteTopics: deletes topics by name, or by id since version 6 (KIP-516). */
final class DeleteTopicsHandler implements ApiHandler<DeleteTopicsRequest, DeleteTopicsResponse> {
  private static final int FIRST_WITH_IDS = 6;

  private final Cluster cluster;

  DeleteTopicsHandler(Cluster cluster) {
    this.cluster = cluster;
  }

  @Override
  public void handle(DeleteTopicsRequest request, RequestContext context, Reply<DeleteTopicsResponse> reply) {
    List<DeleteTopicState> wanted = wanted(request, context);
    if (!cluster.settings().getBoolean("delete.topic.enable")) {
      ErrorCode error = context.version() < 3 ? ErrorCode.INVALID_REQUEST : ErrorCode.TOPIC_DELETION_DISABLED;
      reply.complete(refuse(request, context, error));
      return;
    }
    List<DeletableTopicResult> results = new ArrayList<>();
    Set<Topic> chosen = new HashSet<>();
    Set<Topic> twice = new HashSet<>();
    for (DeleteTopicState one : wanted) {
      Topic topic = find(one);
      if (topic != null && !chosen.add(topic)) {
        twice.add(topic);
      }
    }
    Set<String> seen = new HashSet<>();
    for (DeleteTopicState one : wanted) {
      boolean isFirst = seen.add(one.name() + " " + one.topicId());
      DeletableTopicResult result = isFirst ? delete(one, twice) : null;
      if (result != null) {
        results.add(result);
      }
    }
    reply.complete(new DeleteTopicsResponse().responses(results));
  }

  private static List<DeleteTopicState> wanted(DeleteTopicsRequest request, RequestContext context) {
    return context.version() >= FIRST_WITH_IDS
        ? request.topics()
        : request.topicNames().stream().map(name -> new DeleteTopicState().name(name)).toList();
  }

  private @Nullable Topic find(DeleteTopicState wanted) {
    boolean isById = !wanted.topicId().equals(Uuid.ZERO);
    return isById && wanted.name() != null ? null : cluster.topics().find(wanted.topicId(), wanted.name());
  }

  private DeletableTopicResult delete(DeleteTopicState wanted, Set<Topic> twice) {
    boolean isById = !wanted.topicId().equals(Uuid.ZERO);
    DeletableTopicResult result = new DeletableTopicResult().name(wanted.name()).topicId(wanted.topicId());
    if (isById == (wanted.name() != null)) {
      return failed(result, new Refusal(ErrorCode.INVALID_REQUEST, isById
          ? "You may not specify both topic name and topic id."
          : "Neither topic name nor id were specified."));
    }
    Topic topic = find(wanted);
    if (topic == null) {
      return failed(result,
          Refusal.of(isById ? ErrorCode.UNKNOWN_TOPIC_ID : ErrorCode.UNKNOWN_TOPIC_OR_PARTITION));
    }
    if (twice.contains(topic)) {
      return failed(result, new Refusal(ErrorCode.INVALID_REQUEST,
          isById ? "Duplicate topic id." : "Duplicate topic name."));
    }
    cluster.deleteTopic(topic);
    return result.name(topic.name()).topicId(topic.id());
  }

  private static DeletableTopicResult failed(DeletableTopicResult result, Refusal refusal) {
    return result.errorCode(refusal.error().code()).errorMessage(refusal.getMessage());
  }

  @Override
  public DeleteTopicsResponse refuse(DeleteTopicsRequest request, RequestContext context, ErrorCode error) {
    return new DeleteTopicsResponse().responses(wanted(request, context).stream().map(t -> failed(
        new DeletableTopicResult().name(t.name()).topicId(t.topicId()), Refusal.of(error))).toList());
  }

  @Override
  public Collection<String> topics(DeleteTopicsRequest request, Cluster ofTopics) {
    List<String> names = new ArrayList<>(request.topicNames());
    for (DeleteTopicState one : request.topics()) {
      Topic topic = find(one);
      if (topic != null) {
        names.add(topic.name());
      }
    }
    return names;
  }
}
