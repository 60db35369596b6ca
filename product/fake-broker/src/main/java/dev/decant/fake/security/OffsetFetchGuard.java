package dev.decant.fake.security;

import dev.decant.fake.api.Access;
import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.ApiTable;
import dev.decant.fake.api.Operations;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Cluster;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * OffsetFetch: the client needs the right to describe the group and the topics. Other topics are refused if the request
 * names them, and left out if it asks for all.
 */
final class OffsetFetchGuard implements Guard<OffsetFetchRequest, OffsetFetchResponse> {
  private static final int FIRST_WITH_GROUPS = 8;
  private static final short REFUSED = ErrorCode.TOPIC_AUTHORIZATION_FAILED.code();

  private final Cluster cluster;

  private OffsetFetchGuard(Cluster cluster) {
    this.cluster = cluster;
  }

  static void addTo(ApiTable apis, Cluster cluster) {
    Guard<OffsetFetchRequest, OffsetFetchResponse> ofGroup = Guard.whole(
        (request, access) -> Refusals.group(Operations.DESCRIBE, request.groupId(), access));
    var ofGroups = new Parts<OffsetFetchRequest, OffsetFetchResponse, OffsetFetchRequestGroup>(
        OffsetFetchRequest::groups, OffsetFetchRequest::groups,
        parts -> new OffsetFetchRequest().groups(parts),
        (request, part, access) -> Refusals.group(Operations.DESCRIBE, part.groupId(), access),
        (to, from) -> to.groups(Parts.both(to.groups(), from.groups())));
    Guards.add(apis, ApiKey.OFFSET_FETCH, ofGroup.inVersions(0, FIRST_WITH_GROUPS - 1)
        .then(ofGroups.inVersions(FIRST_WITH_GROUPS, Short.MAX_VALUE)).then(new OffsetFetchGuard(cluster)));
  }

  @Override
  public void pass(OffsetFetchRequest request, RequestContext context, Reply<OffsetFetchResponse> reply,
      ApiHandler<OffsetFetchRequest, OffsetFetchResponse> next) {
    if (context.version() >= FIRST_WITH_GROUPS) {
      passGroups(request, context, reply, next);
    } else {
      passTopics(request, context, reply, next);
    }
  }

  private void passTopics(OffsetFetchRequest request, RequestContext context, Reply<OffsetFetchResponse> reply,
      ApiHandler<OffsetFetchRequest, OffsetFetchResponse> next) {
    Access access = context.access();
    List<OffsetFetchRequestTopic> named = request.topics();
    if (named == null) {
      next.handle(request, context, ChangingReply.of(reply,
          r -> r.topics(r.topics().stream().filter(t -> mayKnow(t.name(), access)).toList())));
      return;
    }
    List<OffsetFetchResponseTopic> refused = named.stream().filter(t -> !mayKnow(t.name(), access))
        .map(t -> new OffsetFetchResponseTopic().name(t.name()).partitions(t.partitionIndexes().stream()
            .map(p -> new OffsetFetchResponsePartition().partitionIndex(p).committedOffset(-1).committedLeaderEpoch(-1)
                .metadata("").errorCode(REFUSED))
            .toList()))
        .toList();
    request.topics(named.stream().filter(t -> mayKnow(t.name(), access)).toList());
    next.handle(request, context, ChangingReply.of(reply,
        r -> r.errorCode() == 0 ? r.topics(Parts.both(r.topics(), refused)) : r));
  }

  private static boolean mayKnow(String topic, Access access) {
    return access.may(Operations.DESCRIBE, Operations.TOPIC, topic);
  }

  private boolean mayKnow(OffsetFetchRequestTopics topic, Access access) {
    return Refusals.topic(Operations.DESCRIBE, cluster, topic.topicId(), topic.name(), access) == ErrorCode.NONE;
  }

  private void passGroups(OffsetFetchRequest request, RequestContext context, Reply<OffsetFetchResponse> reply,
      ApiHandler<OffsetFetchRequest, OffsetFetchResponse> next) {
    Access access = context.access();
    Map<String, List<OffsetFetchResponseTopics>> refused = new HashMap<>();
    for (OffsetFetchRequestGroup group : request.groups()) {
      List<OffsetFetchRequestTopics> named = group.topics();
      if (named != null) {
        List<OffsetFetchResponseTopics> ofGroup = refused.computeIfAbsent(group.groupId(), id -> new ArrayList<>());
        named.stream().filter(t -> !mayKnow(t, access)).forEach(t -> ofGroup.add(refusal(t)));
        group.topics(named.stream().filter(t -> mayKnow(t, access)).toList());
      }
    }
    next.handle(request, context, ChangingReply.of(reply, response -> {
      response.groups().stream().filter(g -> g.errorCode() == 0)
          .forEach(g -> complete(g, refused.get(g.groupId()), access));
      return response;
    }));
  }

  private static OffsetFetchResponseTopics refusal(OffsetFetchRequestTopics topic) {
    return new OffsetFetchResponseTopics().name(topic.name()).topicId(topic.topicId())
        .partitions(topic.partitionIndexes().stream().map(p -> new OffsetFetchResponsePartitions().partitionIndex(p)
            .committedOffset(-1).committedLeaderEpoch(-1).metadata("").errorCode(REFUSED)).toList());
  }

  private void complete(OffsetFetchResponseGroup group,
      @Nullable List<OffsetFetchResponseTopics> refused, Access access) {
    group.topics(refused != null
        ? Parts.both(group.topics(), refused)
        : group.topics().stream().filter(t -> Refusals.topic(Operations.DESCRIBE, cluster, t.topicId(), t.name(),
            access) == ErrorCode.NONE).toList());
  }
}
