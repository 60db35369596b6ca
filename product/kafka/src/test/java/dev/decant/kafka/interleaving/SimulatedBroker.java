package dev.decant.kafka.interleaving;

import dev.decant.kafka.broker.Batches;
import dev.decant.kafka.broker.Body;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.ApiVersionsResponse;
import dev.decant.kafka.protocol.message.DescribeClusterRequest;
import dev.decant.kafka.protocol.message.DescribeClusterResponse;
import dev.decant.kafka.protocol.message.FetchRequest;
import dev.decant.kafka.protocol.message.FetchResponse;
import dev.decant.kafka.protocol.message.FindCoordinatorRequest;
import dev.decant.kafka.protocol.message.FindCoordinatorResponse;
import dev.decant.kafka.protocol.message.ListOffsetsRequest;
import dev.decant.kafka.protocol.message.ListOffsetsResponse;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataResponse;
import dev.decant.kafka.protocol.message.OffsetCommitRequest;
import dev.decant.kafka.protocol.message.OffsetCommitResponse;
import dev.decant.kafka.protocol.message.OffsetFetchRequest;
import dev.decant.kafka.protocol.message.OffsetFetchResponse;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One broker with one topic, which coordinates one group. It responds when the test wants. */
final class SimulatedBroker {
  static final String TOPIC = "orders";
  static final Uuid TOPIC_ID = new Uuid(7, 11);
  private static final int NODE = 1;
  private static final int PORT = 9092;
  private static final String HOST = "simulated";
  private static final int MOST_RECORDS = 3;
  private static final List<ApiKey> SPOKEN = List.of(ApiKey.API_VERSIONS, ApiKey.METADATA,
      ApiKey.DESCRIBE_CLUSTER, ApiKey.FETCH,
      ApiKey.LIST_OFFSETS, ApiKey.FIND_COORDINATOR, ApiKey.CONSUMER_GROUP_HEARTBEAT, ApiKey.OFFSET_COMMIT,
      ApiKey.OFFSET_FETCH, ApiKey.JOIN_GROUP, ApiKey.SYNC_GROUP, ApiKey.HEARTBEAT, ApiKey.LEAVE_GROUP);

  private final SimulatedClock clock;
  private final Ledger ledger;
  private final SimulatedGroup group;
  private final long[] ends;
  private int leader = NODE;

  SimulatedBroker(SimulatedClock clock, Ledger ledger, SimulatedGroup group, int partitions) {
    this.clock = clock;
    this.ledger = ledger;
    this.group = group;
    this.ends = new long[partitions];
  }

  SimulatedGroup group() {
    return group;
  }

  int partitions() {
    return ends.length;
  }

  long end(int partition) {
    return ends[partition];
  }

  /** Sets whether metadata names a leader of the partitions. */
  void lead(boolean leads) {
    leader = leads ? NODE : -1;
  }

  /** Appends records. */
  void append(int partition, int count) {
    ends[partition] += count;
  }

  /** Makes the other member read and commit in a partition, if it owns that. */
  void rivalReads(int partition, int most) {
    if (!group.held.contains(partition)) {
      long next = Math.min(ends[partition], Math.max(0, ledger.committed(partition)) + most);
      ledger.step("the rival commits " + partition + "@" + next);
      ledger.committedByRival(partition, next);
    }
  }

  /** Returns the response to a request that the test does not order; null for a request that waits for its turn. */
  @Nullable
  Body answerAtOnce(Request request) {
    return switch (request.body()) {
      case MetadataRequest unused -> metadata()::write;
      case DescribeClusterRequest unused -> new DescribeClusterResponse().clusterId(HOST).controllerId(NODE)::write;
      case FindCoordinatorRequest r -> new FindCoordinatorResponse().coordinators(r.coordinatorKeys().stream()
          .map(key -> new FindCoordinatorResponse.Coordinator().key(key).nodeId(NODE).host(HOST).port(PORT))
          .toList())::write;
      default -> request.api() == ApiKey.API_VERSIONS ? versions()::write : null;
    };
  }

  private static ApiVersionsResponse versions() {
    return new ApiVersionsResponse().apiKeys(SPOKEN.stream().map(api -> new ApiVersionsResponse.ApiVersion()
        .apiKey(api.id()).minVersion(api.lowestVersion()).maxVersion(api.highestStableVersion())).toList());
  }

  private MetadataResponse metadata() {
    List<MetadataResponse.MetadataResponsePartition> all = new ArrayList<>();
    for (int p = 0; p < ends.length; p++) {
      all.add(new MetadataResponse.MetadataResponsePartition().partitionIndex(p).leaderId(leader)
          .replicaNodes(List.of(NODE)).isrNodes(List.of(NODE)).offlineReplicas(List.of()));
    }
    return new MetadataResponse().clusterId(HOST).controllerId(NODE)
        .brokers(List.of(new MetadataResponse.MetadataResponseBroker().nodeId(NODE).host(HOST).port(PORT)))
        .topics(List.of(new MetadataResponse.MetadataResponseTopic().name(TOPIC).topicId(TOPIC_ID).partitions(all)));
  }

  /** Returns true if the request can have a response. A fetch without records has to wait as long as it names. */
  boolean mayAnswer(SimulatedNetwork.Waiting waiting) {
    return !(waiting.request().body() instanceof FetchRequest fetch)
        || clock.millis() - waiting.sinceMillis() >= fetch.maxWaitMs()
        || fetch.topics().stream().anyMatch(
            t -> t.partitions().stream().anyMatch(p -> p.fetchOffset() < ends[p.partition()]));
  }

  /** Does what a request wants, and returns the response. */
  Body answer(Request request) {
    group.expireIfSilent();
    Body ofGroup = group.answer(request);
    if (ofGroup != null) {
      return ofGroup;
    }
    return switch (request.body()) {
      case FetchRequest r -> fetch(r)::write;
      case ListOffsetsRequest r -> listOffsets(r)::write;
      case OffsetCommitRequest r -> commit(r, group.check(r.memberId(), r.generationIdOrMemberEpoch()))::write;
      case OffsetFetchRequest r -> offsets(r, check(r))::write;
      default -> throw new IllegalArgumentException("nobody answers " + request);
    };
  }

  /** Returns a refusal of the request; null if there is no such refusal. */
  @Nullable
  Body refuse(Request request, ErrorCode code) {
    return switch (request.body()) {
      case OffsetCommitRequest r -> commit(r, code)::write;
      case OffsetFetchRequest r -> offsets(r, code)::write;
      default -> group.refusal(request, code);
    };
  }

  private FetchResponse fetch(FetchRequest request) {
    List<FetchResponse.PartitionData> data = new ArrayList<>();
    request.topics().forEach(t -> t.partitions().forEach(p -> {
      long end = ends[p.partition()];
      FetchResponse.PartitionData found = new FetchResponse.PartitionData().partitionIndex(p.partition())
          .highWatermark(end).lastStableOffset(end).logStartOffset(0).abortedTransactions(null)
          .preferredReadReplica(-1);
      if (p.fetchOffset() > end) {
        ledger.fail("a fetch of " + p.partition() + " at " + p.fetchOffset() + ", and the log ends at " + end);
      }
      int count = (int) Math.min(MOST_RECORDS, end - p.fetchOffset());
      if (count > 0) {
        String[] values = new String[count];
        for (int i = 0; i < count; i++) {
          values[i] = "r" + (p.fetchOffset() + i);
        }
        data.add(found.records(Batches.of(p.fetchOffset(), values)));
      }
    }));
    return new FetchResponse().responses(data.isEmpty()
        ? List.of()
        : List.of(new FetchResponse.FetchableTopicResponse().topicId(TOPIC_ID).partitions(data)));
  }

  private ListOffsetsResponse listOffsets(ListOffsetsRequest request) {
    return new ListOffsetsResponse().topics(request.topics().stream()
        .map(t -> new ListOffsetsResponse.ListOffsetsTopicResponse().name(t.name()).partitions(t.partitions().stream()
            .map(p -> new ListOffsetsResponse.ListOffsetsPartitionResponse().partitionIndex(p.partitionIndex())
                .timestamp(-1).offset(0))
            .toList()))
        .toList());
  }

  private OffsetCommitResponse commit(OffsetCommitRequest request, ErrorCode code) {
    List<OffsetCommitResponse.OffsetCommitResponseTopic> topics = new ArrayList<>();
    for (OffsetCommitRequest.OffsetCommitRequestTopic topic : request.topics()) {
      List<OffsetCommitResponse.OffsetCommitResponsePartition> partitions = new ArrayList<>();
      for (OffsetCommitRequest.OffsetCommitRequestPartition p : topic.partitions()) {
        if (code == ErrorCode.NONE) {
          ledger.committed(p.partitionIndex(), p.committedOffset(), group.held.contains(p.partitionIndex()));
        }
        partitions.add(new OffsetCommitResponse.OffsetCommitResponsePartition().partitionIndex(p.partitionIndex())
            .errorCode(code.code()));
      }
      topics.add(new OffsetCommitResponse.OffsetCommitResponseTopic().name(topic.name()).topicId(topic.topicId())
          .partitions(partitions));
    }
    return new OffsetCommitResponse().topics(topics);
  }

  private ErrorCode check(OffsetFetchRequest request) {
    OffsetFetchRequest.OffsetFetchRequestGroup asks = request.groups().getFirst();
    String member = asks.memberId();
    return member == null ? ErrorCode.NONE : group.check(member, asks.memberEpoch());
  }

  private OffsetFetchResponse offsets(OffsetFetchRequest request, ErrorCode code) {
    OffsetFetchRequest.OffsetFetchRequestGroup asks = request.groups().getFirst();
    List<OffsetFetchResponse.OffsetFetchResponseTopics> topics = new ArrayList<>();
    List<OffsetFetchRequest.OffsetFetchRequestTopics> asked = asks.topics();
    if (asked != null && code == ErrorCode.NONE) {
      asked.forEach(t -> topics.add(new OffsetFetchResponse.OffsetFetchResponseTopics().name(t.name())
          .topicId(t.topicId()).partitions(t.partitionIndexes().stream().map(this::offset).toList())));
    }
    return new OffsetFetchResponse().groups(List.of(new OffsetFetchResponse.OffsetFetchResponseGroup()
        .groupId(asks.groupId()).errorCode(code.code()).topics(topics)));
  }

  private OffsetFetchResponse.OffsetFetchResponsePartitions offset(int partition) {
    long committed = ledger.committed(partition);
    ledger.started(partition, Math.max(0, committed));
    return new OffsetFetchResponse.OffsetFetchResponsePartitions().partitionIndex(partition)
        .committedOffset(committed).committedLeaderEpoch(-1).metadata("");
  }
}
