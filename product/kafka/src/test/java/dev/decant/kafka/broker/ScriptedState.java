package dev.decant.kafka.broker;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.ApiVersionsRequest;
import dev.decant.kafka.protocol.message.ApiVersionsResponse;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatRequest;
import dev.decant.kafka.protocol.message.DescribeClusterRequest;
import dev.decant.kafka.protocol.message.DescribeClusterResponse;
import dev.decant.kafka.protocol.message.EndTxnRequest;
import dev.decant.kafka.protocol.message.EndTxnResponse;
import dev.decant.kafka.protocol.message.FetchRequest;
import dev.decant.kafka.protocol.message.FetchResponse;
import dev.decant.kafka.protocol.message.FindCoordinatorRequest;
import dev.decant.kafka.protocol.message.FindCoordinatorResponse;
import dev.decant.kafka.protocol.message.GetTelemetrySubscriptionsRequest;
import dev.decant.kafka.protocol.message.GetTelemetrySubscriptionsResponse;
import dev.decant.kafka.protocol.message.HeartbeatRequest;
import dev.decant.kafka.protocol.message.InitProducerIdRequest;
import dev.decant.kafka.protocol.message.InitProducerIdResponse;
import dev.decant.kafka.protocol.message.JoinGroupRequest;
import dev.decant.kafka.protocol.message.LeaveGroupRequest;
import dev.decant.kafka.protocol.message.ListOffsetsRequest;
import dev.decant.kafka.protocol.message.ListOffsetsResponse;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataResponse;
import dev.decant.kafka.protocol.message.OffsetCommitRequest;
import dev.decant.kafka.protocol.message.OffsetCommitResponse;
import dev.decant.kafka.protocol.message.OffsetFetchRequest;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochRequest;
import dev.decant.kafka.protocol.message.ProduceRequest;
import dev.decant.kafka.protocol.message.ProduceResponse;
import dev.decant.kafka.protocol.message.PushTelemetryRequest;
import dev.decant.kafka.protocol.message.PushTelemetryResponse;
import dev.decant.kafka.protocol.message.SyncGroupRequest;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The state of a scripted broker, and the responses that follow from it. Any thread. */
public final class ScriptedState {
  public static final Uuid TOPIC_ID = new Uuid(7, 11);
  private static final int FIRST_SESSION = 100;
  private static final long LATEST = -1;
  private static final List<ApiKey> SPOKEN = List.of(ApiKey.API_VERSIONS, ApiKey.SASL_HANDSHAKE,
      ApiKey.SASL_AUTHENTICATE, ApiKey.METADATA, ApiKey.DESCRIBE_CLUSTER, ApiKey.PRODUCE,
      ApiKey.FETCH, ApiKey.LIST_OFFSETS, ApiKey.OFFSET_FOR_LEADER_EPOCH, ApiKey.INIT_PRODUCER_ID,
      ApiKey.FIND_COORDINATOR,
      ApiKey.ADD_PARTITIONS_TO_TXN, ApiKey.ADD_OFFSETS_TO_TXN, ApiKey.TXN_OFFSET_COMMIT, ApiKey.END_TXN,
      ApiKey.DESCRIBE_TRANSACTIONS,
      ApiKey.CONSUMER_GROUP_HEARTBEAT, ApiKey.OFFSET_COMMIT, ApiKey.OFFSET_FETCH, ApiKey.JOIN_GROUP,
      ApiKey.SYNC_GROUP, ApiKey.HEARTBEAT, ApiKey.LEAVE_GROUP);

  private record Node(String host, int port) {}

  private final int node;
  private final List<StoredPartition> partitions = new ArrayList<>();
  private final ScriptedGroup group;
  private final ScriptedClassicGroup classicGroup = new ScriptedClassicGroup();

  // Guarded by the monitor.
  private final Map<Integer, Node> nodes = new TreeMap<>();
  private final Map<Integer, String> racks = new TreeMap<>();
  private final Map<Integer, Integer> leaders = new TreeMap<>();
  private final Map<Integer, Integer> leaderEpochs = new TreeMap<>();
  /** The offsets and epochs at which logs were truncated, by partition. */
  private final Map<Integer, FetchResponse.EpochEndOffset> cuts = new TreeMap<>();
  private String clusterId = "scripted";
  private Uuid topicId = TOPIC_ID;
  private boolean deleted;
  /** The one fetch session, as offsets by partition; a new full request replaces it. */
  private final Map<Integer, FetchRequest.FetchPartition> session = new LinkedHashMap<>();
  private int sessionId = FIRST_SESSION;
  private int sessionEpoch = -1;
  private boolean roomForSessions = true;
  private long lastProducerId = 1000;
  private int coordinator;
  private int transactionVersion = 2;
  private boolean stopped;
  /** The subscription to clients' metrics; null if this broker takes none. */
  private @Nullable GetTelemetrySubscriptionsResponse telemetry;

  ScriptedState(int node, int count) {
    this.node = node;
    this.coordinator = node;
    this.group = new ScriptedGroup(count);
    for (int p = 0; p < count; p++) {
      partitions.add(new StoredPartition());
      leaders.put(p, node);
    }
  }

  /** Returns the group that this broker coordinates. */
  public ScriptedGroup group() {
    return group;
  }

  /** Returns the same group, for a member under the classic protocol. */
  public ScriptedClassicGroup classicGroup() {
    return classicGroup;
  }

  /** Sets the rack of a node in metadata. */
  public synchronized void rack(int id, String name) {
    racks.put(id, name);
  }

  /** Adds a node to the metadata. */
  public synchronized void announce(int id, int port) {
    nodes.put(id, new Node("127.0.0.1", port));
  }

  /** Sets the leader of a partition in metadata, -1 for none. Each call increases the epoch. */
  public synchronized void lead(int partition, int id) {
    leaders.put(partition, id);
    leaderEpochs.merge(partition, 1, Integer::sum);
  }

  /** Returns the epoch of a partition's leader. */
  public synchronized int leaderEpoch(int partition) {
    return leaderEpochs.getOrDefault(partition, 0);
  }

  /** Deletes the topic and creates it again, empty and with another id. */
  public synchronized void recreate(int count) {
    topicId = new Uuid(topicId.mostSignificantBits(), topicId.leastSignificantBits() + 1);
    partitions.clear();
    leaders.clear();
    leaderEpochs.clear();
    for (int p = 0; p < count; p++) {
      partitions.add(new StoredPartition());
      leaders.put(p, node);
    }
  }

  /** Adds partitions to the topic, up to this number. */
  public synchronized void grow(int count) {
    for (int p = partitions.size(); p < count; p++) {
      partitions.add(new StoredPartition());
      leaders.put(p, node);
    }
  }

  /** Deletes the topic. */
  public synchronized void delete() {
    partitions.clear();
    deleted = true;
  }

  /** Names the node that coordinates everything. */
  public synchronized void coordinate(int id) {
    coordinator = id;
  }

  /** Sets the finalized {@code transaction.version}, which connections from now on see. */
  public synchronized void transactionVersion(int level) {
    transactionVersion = level;
  }

  /** Sets whether full fetch requests open a session. */
  public synchronized void roomForSessions(boolean room) {
    roomForSessions = room;
  }

  /** Stores a batch and wakes waiting fetches; returns the offset of its first record. */
  public synchronized long store(int partition, String... values) {
    return store(partition, Batches.of(0, values));
  }

  /** Stores a batch, given as bytes between position and limit, at the end of a partition. */
  public synchronized long store(int partition, ByteBuffer batch) {
    long offset = partitions.get(partition).append(batch);
    notifyAll();
    return offset;
  }

  /** Returns the text of each stored record. */
  public synchronized List<String> stored(int partition) {
    return partitions.get(partition).texts();
  }

  /** Forgets all but the last batch of each producer, as a restart does; the records stay. */
  public synchronized void forgetBatches(int partition) {
    partitions.get(partition).forgetBatches();
  }

  /** Forgets all producers, as brokers do with idle ones; the records stay. */
  public synchronized void forgetProducers(int partition) {
    partitions.get(partition).forgetProducers();
  }

  /** Truncates a log, as an unclean election does; the remaining records have this epoch at most. */
  public synchronized void truncate(int partition, long end, int epoch) {
    partitions.get(partition).truncate(end);
    cuts.put(partition, new FetchResponse.EpochEndOffset().epoch(epoch).endOffset(end));
  }

  /** Accepts clients' metrics, by this subscription. */
  public synchronized void telemetry(GetTelemetrySubscriptionsResponse subscription) {
    telemetry = subscription;
  }

  private synchronized Body subscription() {
    GetTelemetrySubscriptionsResponse requested = telemetry;
    if (requested == null) {
      throw new IllegalStateException("this broker takes no metrics of clients");
    }
    return requested::write;
  }

  synchronized void stop() {
    stopped = true;
    notifyAll();
  }

  /** Waits until the broker is stopped, with a bound. */
  synchronized void awaitStop(Duration most) throws InterruptedException {
    long deadline = System.nanoTime() + most.toNanos();
    for (long left = most.toNanos(); left > 0 && !stopped; left = deadline - System.nanoTime()) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  /** Returns the response to a request; null if it has none. */
  @Nullable
  Body answer(Request request) {
    return switch (request.body()) {
      case ProduceRequest r -> r.acks() == 0 ? noAnswer(r) : produce(r)::write;
      case FetchRequest r -> fetch(r)::write;
      case GetTelemetrySubscriptionsRequest unused -> subscription();
      case PushTelemetryRequest unused -> new PushTelemetryResponse()::write;
      case OffsetForLeaderEpochRequest r -> FetchScripts.epochEnds(r, ErrorCode.NONE, Integer.MAX_VALUE)::write;
      case ListOffsetsRequest r -> listOffsets(r)::write;
      case MetadataRequest r -> metadata(r)::write;
      case DescribeClusterRequest unused -> describeCluster()::write;
      case ApiVersionsRequest r -> apiVersions(r)::write;
      case FindCoordinatorRequest r -> coordinators(r)::write;
      case InitProducerIdRequest unused -> initProducerId()::write;
      case EndTxnRequest unused -> endTransaction()::write;
      case ConsumerGroupHeartbeatRequest r -> group.heartbeat(r)::write;
      case OffsetCommitRequest r -> commit(r)::write;
      case JoinGroupRequest r -> classicGroup.join(r, request.version())::write;
      case SyncGroupRequest r -> classicGroup.sync(r)::write;
      case HeartbeatRequest r -> classicGroup.heartbeat(r)::write;
      case LeaveGroupRequest unused -> classicGroup.leave()::write;
      case OffsetFetchRequest r -> group.offsets(r)::write;
      default -> TransactionResponses.to(request.body(), ErrorCode.NONE);
    };
  }

  private OffsetCommitResponse commit(OffsetCommitRequest request) {
    return request.memberId().startsWith("member-")
        ? group.answer(request, classicGroup.check(request))
        : group.commit(request);
  }

  private @Nullable Body noAnswer(ProduceRequest request) {
    produce(request);
    return null;
  }

  /** Refuses clients that expect another cluster or node (KIP-1242), as brokers from 4.4 on do. */
  private synchronized ApiVersionsResponse apiVersions(ApiVersionsRequest request) {
    String expected = request.clusterId();
    boolean isExpected = expected == null || (expected.equals(clusterId) && nodes.containsKey(request.nodeId()));
    return isExpected ? apiVersions() : new ApiVersionsResponse().errorCode(ErrorCode.REBOOTSTRAP_REQUIRED.code());
  }

  /** Names another cluster from now on. */
  public synchronized void clusterId(String id) {
    clusterId = id;
  }

  private synchronized DescribeClusterResponse describeCluster() {
    return new DescribeClusterResponse().clusterId(clusterId).controllerId(node);
  }

  /** Returns the versions of this broker. */
  public synchronized ApiVersionsResponse apiVersions() {
    List<ApiVersionsResponse.ApiVersion> spoken = new ArrayList<>();
    List<ApiKey> all = new ArrayList<>(SPOKEN);
    if (telemetry != null) {
      all.add(ApiKey.GET_TELEMETRY_SUBSCRIPTIONS);
      all.add(ApiKey.PUSH_TELEMETRY);
    }
    for (ApiKey api : all) {
      spoken.add(new ApiVersionsResponse.ApiVersion().apiKey(api.id()).minVersion(api.lowestVersion())
          .maxVersion(api.highestStableVersion()));
    }
    return new ApiVersionsResponse().apiKeys(spoken).finalizedFeaturesEpoch(transactionVersion).finalizedFeatures(
        List.of(new ApiVersionsResponse.FinalizedFeatureKey().name("transaction.version").minVersionLevel((short) 0)
            .maxVersionLevel((short) transactionVersion)));
  }

  private synchronized FindCoordinatorResponse coordinators(FindCoordinatorRequest request) {
    Node named = nodes.get(coordinator);
    return named == null
        ? new FindCoordinatorResponse()
        : TransactionResponses.coordinators(request, coordinator, named.host(), named.port());
  }

  /** Ends a transaction. Another producer id follows each one, as when its epochs are used up. */
  private synchronized EndTxnResponse endTransaction() {
    return transactionVersion < 2
        ? new EndTxnResponse()
        : new EndTxnResponse().producerId(++lastProducerId).producerEpoch((short) 0);
  }

  private synchronized InitProducerIdResponse initProducerId() {
    return new InitProducerIdResponse().producerId(++lastProducerId).producerEpoch((short) 0);
  }

  /** Returns the metadata with the leaders. */
  public synchronized MetadataResponse metadata(MetadataRequest request) {
    List<MetadataResponse.MetadataResponseBroker> brokers = new ArrayList<>();
    nodes.forEach((id, n) -> brokers
        .add(new MetadataResponse.MetadataResponseBroker().nodeId(id).host(n.host()).port(n.port())
            .rack(racks.get(id))));
    List<MetadataResponse.MetadataResponseTopic> topics = new ArrayList<>();
    List<MetadataRequest.MetadataRequestTopic> requested = request.topics();
    for (MetadataRequest.MetadataRequestTopic t : requested == null
        ? List.of(new MetadataRequest.MetadataRequestTopic().name(ScriptedBroker.TOPIC)) // all topics
        : requested) {
      boolean known = !deleted && (ScriptedBroker.TOPIC.equals(t.name()) || topicId.equals(t.topicId()));
      topics.add(new MetadataResponse.MetadataResponseTopic().name(known ? ScriptedBroker.TOPIC : t.name())
          .topicId(known ? topicId : Uuid.ZERO)
          .errorCode(known ? 0 : ErrorCode.UNKNOWN_TOPIC_OR_PARTITION.code())
          .partitions(known ? partitionMetadata() : List.of()));
    }
    return new MetadataResponse().clusterId(clusterId).controllerId(node).brokers(brokers).topics(topics);
  }

  private List<MetadataResponse.MetadataResponsePartition> partitionMetadata() {
    List<MetadataResponse.MetadataResponsePartition> all = new ArrayList<>();
    leaders.forEach((partition, leader) -> all.add(new MetadataResponse.MetadataResponsePartition()
        .partitionIndex(partition).leaderId(leader).leaderEpoch(leaderEpoch(partition)).replicaNodes(List.of(node))
        .isrNodes(List.of(node)).offlineReplicas(List.of())
        .errorCode(leader < 0 ? ErrorCode.LEADER_NOT_AVAILABLE.code() : 0)));
    return all;
  }

  /** Returns the first and last offsets of partitions. */
  public synchronized ListOffsetsResponse listOffsets(ListOffsetsRequest request) {
    List<ListOffsetsResponse.ListOffsetsTopicResponse> topics = new ArrayList<>();
    for (ListOffsetsRequest.ListOffsetsTopic t : request.topics()) {
      List<ListOffsetsResponse.ListOffsetsPartitionResponse> found = new ArrayList<>();
      for (ListOffsetsRequest.ListOffsetsPartition p : t.partitions()) {
        long offset = p.timestamp() == LATEST ? partitions.get(p.partitionIndex()).end() : 0;
        found.add(new ListOffsetsResponse.ListOffsetsPartitionResponse().partitionIndex(p.partitionIndex())
            .timestamp(-1).offset(offset));
      }
      topics.add(new ListOffsetsResponse.ListOffsetsTopicResponse().name(t.name()).partitions(found));
    }
    return new ListOffsetsResponse().topics(topics);
  }

  /** Stores the records of a request, each numbered batch once and in order. */
  public synchronized ProduceResponse produce(ProduceRequest request) {
    ProduceResponse response = ProduceResponses.to(request);
    for (ProduceRequest.TopicProduceData topic : request.topicData()) {
      if (!topic.topicId().equals(Uuid.ZERO) && !topic.topicId().equals(topicId)) {
        return ProduceResponses.refused(request, ErrorCode.UNKNOWN_TOPIC_ID.code());
      }
      for (ProduceRequest.PartitionProduceData data : topic.partitionData()) {
        ByteBuffer batch = data.records();
        if (batch != null) {
          ProduceResponses.store(response, data.index(), partitions.get(data.index()), batch);
        }
      }
    }
    notifyAll();
    return response;
  }

  /** Responds to a fetch, within its session. Without records it waits for some, as long as the request allows. */
  public synchronized FetchResponse fetch(FetchRequest request) {
    if (request.sessionEpoch() <= 0) {
      session.clear();
      sessionEpoch = 0;
      sessionId++;
    } else if (request.sessionId() != sessionId) {
      return new FetchResponse().errorCode(ErrorCode.FETCH_SESSION_ID_NOT_FOUND.code());
    } else if (request.sessionEpoch() != sessionEpoch) {
      return new FetchResponse().errorCode(ErrorCode.INVALID_FETCH_SESSION_EPOCH.code());
    }
    request.topics().forEach(t -> t.partitions().forEach(p -> session.put(p.partition(), p)));
    request.forgottenTopicsData().stream()
        .filter(t -> t.topicId().equals(topicId) || t.topic().equals(ScriptedBroker.TOPIC)) // not of the former topic
        .forEach(t -> t.partitions().forEach(session::remove));
    sessionEpoch++;
    boolean keep = roomForSessions && request.sessionEpoch() >= 0;
    FetchResponse response = new FetchResponse().sessionId(keep ? sessionId : 0).responses(awaitRecords(request));
    if (!keep) {
      sessionEpoch = -1;
    }
    return response;
  }

  private List<FetchResponse.FetchableTopicResponse> awaitRecords(FetchRequest request) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(request.maxWaitMs());
    List<FetchResponse.PartitionData> data = records(request.maxBytes());
    try {
      for (long left = request.maxWaitMs(); data.isEmpty() && left > 0 && !stopped;) {
        wait(left);
        left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        data = records(request.maxBytes());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return data.isEmpty()
        ? List.of()
        : List.of(new FetchResponse.FetchableTopicResponse().topicId(topicId).topic(ScriptedBroker.TOPIC)
            .partitions(data));
  }

  private List<FetchResponse.PartitionData> records(int maxBytes) {
    List<FetchResponse.PartitionData> found = new ArrayList<>();
    int[] left = {maxBytes};
    session.forEach((number, requested) -> {
      if (number >= partitions.size()) {
        found.add(new FetchResponse.PartitionData().partitionIndex(number) // deleted while the fetch waited
            .errorCode(ErrorCode.UNKNOWN_TOPIC_ID.code()).highWatermark(-1).lastStableOffset(-1).logStartOffset(-1)
            .abortedTransactions(null).preferredReadReplica(-1));
        return;
      }
      StoredPartition partition = partitions.get(number);
      FetchResponse.PartitionData data = new FetchResponse.PartitionData().partitionIndex(number)
          .highWatermark(partition.end()).lastStableOffset(partition.end()).logStartOffset(0)
          .abortedTransactions(null).preferredReadReplica(-1);
      FetchResponse.EpochEndOffset cut = cuts.get(number);
      if (cut != null && requested.lastFetchedEpoch() == cut.epoch() + 1) {
        found.add(data.divergingEpoch(cut));
      } else if (requested.fetchOffset() > partition.end()) {
        found.add(data.errorCode(ErrorCode.OFFSET_OUT_OF_RANGE.code()));
      } else if (requested.fetchOffset() < partition.end()) {
        ByteBuffer records = partition.from(requested.fetchOffset(), Math.min(requested.partitionMaxBytes(), left[0]));
        if (left[0] == maxBytes || records.limit() <= left[0]) { // the first batch of all may be larger
          left[0] -= records.limit();
          found.add(data.records(records));
        }
      }
    });
    return found;
  }
}
