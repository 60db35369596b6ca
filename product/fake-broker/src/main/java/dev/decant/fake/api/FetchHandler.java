package dev.decant.fake.api;

import dev.decant.fake.api.FetchedPartition.PartitionKey;
import dev.decant.fake.cluster.Cluster;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.FetchRequest;
import dev.decant.kafka.protocol.message.FetchResponse;
import dev.decant.kafka.protocol.message.FetchResponse.FetchableTopicResponse;
import dev.decant.kafka.protocol.message.FetchResponse.NodeEndpoint;
import dev.decant.kafka.protocol.message.FetchResponse.PartitionData;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Fetch: returns records of partitions as soon as there are enough, or when the client's wait ends. */
final class FetchHandler implements ApiHandler<FetchRequest, FetchResponse> {
  private static final int FIRST_WITH_ENDPOINTS = 16;
  private static final int FIRST_WITH_ERROR = 7;
  private static final int FIRST_WITH_IDS = 13;
  /** Errors of a fetch as a whole; all other errors belong to one of its partitions. */
  private static final Set<ErrorCode> OF_REQUEST = EnumSet.of(ErrorCode.FETCH_SESSION_ID_NOT_FOUND,
      ErrorCode.INVALID_FETCH_SESSION_EPOCH, ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR, ErrorCode.UNKNOWN_SERVER_ERROR,
      ErrorCode.INVALID_REQUEST, ErrorCode.UNSUPPORTED_VERSION);

  private final Cluster cluster;
  private final Map<Life, FetchSessions> sessions = new HashMap<>();

  /** A broker between a start and a stop; its fetch sessions end with it. */
  private record Life(int broker, int incarnation) {}

  FetchHandler(Cluster cluster) {
    this.cluster = cluster;
  }

  @Override
  public void handle(FetchRequest request, RequestContext context, Reply<FetchResponse> reply) {
    FetchSessions ofBroker = sessionsOf(context);
    ErrorCode error = ofBroker.problemOf(request, context.version());
    if (error != ErrorCode.NONE) {
      reply.complete(refuse(request, context, error));
      return;
    }
    FetchSessions.Session session = ofBroker.sessionOf(request, context.version());
    FetchRead read = new FetchRead(cluster, request, context);
    new PendingFetch(cluster, request, read, session.partitions(),
        data -> reply.complete(response(session, data, context)), reply).start();
  }

  private FetchSessions sessionsOf(RequestContext context) {
    Life life = new Life(context.broker().id(), context.incarnation());
    FetchSessions known = sessions.get(life);
    if (known == null) {
      sessions.keySet().removeIf(other -> other.broker() == life.broker());
      known = new FetchSessions(cluster.settings().getInt("max.incremental.fetch.session.cache.slots"),
          cluster::nowMillis);
      sessions.put(life, known);
    }
    return known;
  }

  private FetchResponse response(FetchSessions.Session session, Map<FetchedPartition, PartitionData> data,
      RequestContext context) {
    List<FetchableTopicResponse> topics = new ArrayList<>();
    for (Map.Entry<FetchedPartition, PartitionData> entry : data.entrySet()) {
      FetchedPartition partition = entry.getKey();
      if (partition.isNews(entry.getValue()) || !session.isIncremental()) {
        add(topics, partition.key(), entry.getValue());
      }
      if (session.id() != FetchSessions.NO_SESSION && FetchedPartition.hasRecords(entry.getValue())) {
        session.moveToEnd(partition);
      }
    }
    return new FetchResponse().sessionId(session.id()).responses(topics)
        .nodeEndpoints(leaders(data.values(), context));
  }

  /** Adds a partition in its order: a topic appears again if another one is between its partitions. */
  private static void add(List<FetchableTopicResponse> topics, PartitionKey key, PartitionData data) {
    FetchableTopicResponse last = topics.isEmpty() ? null : topics.getLast();
    if (last == null || !last.topic().equals(key.topic()) || !last.topicId().equals(key.topicId())) {
      last = new FetchableTopicResponse().topic(key.topic()).topicId(key.topicId()).partitions(new ArrayList<>());
      topics.add(last);
    }
    last.partitions().add(data);
  }

  /** Returns the endpoints of the leaders that the partitions' errors name (KIP-951). */
  private List<NodeEndpoint> leaders(Collection<PartitionData> data, RequestContext context) {
    if (context.version() < FIRST_WITH_ENDPOINTS) {
      return List.of();
    }
    return Leadership.endpoints(cluster, data.stream().mapToInt(p -> p.currentLeader().leaderId()),
        leader -> new NodeEndpoint().nodeId(leader.id()).host(leader.host()).port(leader.port())
            .rack(leader.rack()));
  }

  @Override
  public FetchResponse refuse(FetchRequest request, RequestContext context, ErrorCode error) {
    boolean hasSession = context.version() >= FIRST_WITH_ERROR && error != ErrorCode.ILLEGAL_SASL_STATE;
    if (hasSession) {
      return OF_REQUEST.contains(error)
          ? new FetchResponse().errorCode(error.code())
          : refuseAll(request, context, error);
    }
    FetchResponse refused = new FetchResponse().errorCode(error.code()).sessionId(request.sessionId());
    return context.version() >= FIRST_WITH_IDS
        ? refused
        : refused.responses(request.topics().stream().map(topic -> new FetchableTopicResponse()
            .topic(topic.topic()).partitions(topic.partitions().stream()
                .map(p -> FetchRead.failed(p.partition(), error).abortedTransactions(List.of())).toList()))
            .toList());
  }

  /** Returns a response in which all partitions of the fetch, or of its session, have an error, as a broker does. */
  private FetchResponse refuseAll(FetchRequest request, RequestContext context, ErrorCode error) {
    FetchSessions ofBroker = sessionsOf(context);
    ErrorCode problem = ofBroker.problemOf(request, context.version());
    if (problem != ErrorCode.NONE) {
      return new FetchResponse().errorCode(problem.code());
    }
    FetchSessions.Session session = ofBroker.sessionOf(request, context.version());
    Map<FetchedPartition, PartitionData> data = new LinkedHashMap<>();
    session.partitions().forEach(p -> data.put(p, FetchRead.failed(p.request().partition(), error)));
    return response(session, data, context);
  }

  @Override
  public Collection<String> topics(FetchRequest request, Cluster ofTopics) {
    return request.topics().stream().map(t -> ofTopics.topics().nameOf(t.topicId(), t.topic())).toList();
  }
}
