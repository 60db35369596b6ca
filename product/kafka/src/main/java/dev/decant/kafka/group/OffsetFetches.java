package dev.decant.kafka.group;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.Call;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.OffsetFetchRequest;
import dev.decant.kafka.protocol.message.OffsetFetchResponse;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Looks up committed offsets at the coordinator (OffsetFetch), with retries. Owner of the loop only. */
final class OffsetFetches {
  private static final int MIN_VERSION = 1;
  private static final int MAX_VERSION = 10;
  /**
   * First version with stable offsets. Brokers before 2.5 may return an offset that an open transaction replaces
   * (KIP-447).
   */
  private static final int FIRST_WITH_STABLE = 7;
  /** Below this version a request has one group. */
  private static final int FIRST_WITH_GROUPS = 8;
  private static final int FIRST_WITH_TOPIC_IDS = 10;
  private static final long RETRY_NANOS = 100_000_000L;
  private static final long REFUSED_RETRY_NANOS = 1_000_000_000L;

  private final GroupMember member;
  /** Lookups without a request in flight. */
  private final List<Lookup> waiting = new ArrayList<>();
  /** When the next request may be sent. */
  private long retryAtNanos;

  OffsetFetches(GroupMember member, long nowNanos) {
    this.member = member;
    this.retryAtNanos = nowNanos;
  }

  void add(Collection<TopicPartition> partitions, OffsetFetchListener query) {
    waiting.add(new Lookup(List.copyOf(partitions), query));
  }

  /** Returns when {@link #work} has something to do; {@link Long#MAX_VALUE} for never. */
  long nextNanos(long now) {
    return waiting.isEmpty() || retryAtNanos - now <= 0 ? Long.MAX_VALUE : retryAtNanos;
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Passes a refusal that may pass to all waiting lookups. They are repeated as long as their listeners want. */
  void refuse(KafkaException cause) {
    for (Lookup q : List.copyOf(waiting)) {
      q.query.onRefused(cause);
    }
    waiting.removeIf(q -> !q.query.isWanted());
    member.wakeWaiters();
  }

  /** Ends all waiting lookups. */
  void refuseAll(KafkaException cause) {
    List<Lookup> refused = List.copyOf(waiting);
    waiting.clear();
    refused.forEach(q -> q.query.onRefused(cause));
    member.wakeWaiters();
  }

  void work(@Nullable BrokerLink link, long now) {
    waiting.removeIf(q -> !q.query.isWanted());
    if (link == null || waiting.isEmpty() || retryAtNanos - now > 0 || !member.mayLookUp()) {
      return;
    }
    List<Lookup> due = List.copyOf(waiting);
    waiting.clear();
    due.forEach(q -> q.send(link));
  }

  /** A lookup for some partitions, repeated until the coordinator has responded. */
  private final class Lookup extends Call {
    private final List<TopicPartition> partitions;
    private final OffsetFetchListener query;
    private Map<Uuid, String> namesSent = Map.of();
    private @Nullable Map<String, Uuid> ids;
    /** Epoch in the request; -1 if it names no member. */
    private int epochSent;
    /** Topic whose error counts; empty for none. */
    private String refusedTopic = "";
    /**
     * Partitions that the response names. If it leaves some out, the lookup is repeated: they would otherwise start
     * where the reset says, despite their offsets.
     */
    private final Set<TopicPartition> named = new HashSet<>();

    Lookup(List<TopicPartition> partitions, OffsetFetchListener query) {
      super(ApiKey.OFFSET_FETCH, MIN_VERSION, MAX_VERSION);
      this.partitions = partitions;
      this.query = query;
    }

    void send(BrokerLink link) {
      ids = member.topicIds(partitions);
      epochSent = member.lookupEpoch();
      link.send(this);
    }

    @Override
    protected int highestVersion() {
      return ids == null ? FIRST_WITH_TOPIC_IDS - 1 : MAX_VERSION;
    }

    @Override
    public void write(ProtocolWriter out, short version) {
      if (version < FIRST_WITH_GROUPS) {
        new OffsetFetchRequest().requireStable(version >= FIRST_WITH_STABLE).groupId(member.groupId())
            .topics(topicsByName()).write(out, version);
        return;
      }
      new OffsetFetchRequest().requireStable(true)
          .groups(List.of(new OffsetFetchRequest.OffsetFetchRequestGroup().groupId(member.groupId())
              .memberId(member.lookupMemberId()).memberEpoch(member.lookupEpoch())
              .topics(topics(version >= FIRST_WITH_TOPIC_IDS ? ids : null))))
          .write(out, version);
    }

    private List<OffsetFetchRequest.OffsetFetchRequestTopic> topicsByName() {
      Map<String, OffsetFetchRequest.OffsetFetchRequestTopic> topics = new LinkedHashMap<>();
      for (TopicPartition p : partitions) {
        topics.computeIfAbsent(p.topic(), name -> new OffsetFetchRequest.OffsetFetchRequestTopic().name(name)
            .partitionIndexes(new ArrayList<>())).partitionIndexes().add(p.partition());
      }
      return new ArrayList<>(topics.values());
    }

    private List<OffsetFetchRequest.OffsetFetchRequestTopics> topics(@Nullable Map<String, Uuid> known) {
      namesSent = new HashMap<>();
      Map<String, OffsetFetchRequest.OffsetFetchRequestTopics> topics = new LinkedHashMap<>();
      for (TopicPartition p : partitions) {
        topics.computeIfAbsent(p.topic(), name -> topic(name, known == null ? null : known.get(name)))
            .partitionIndexes()
            .add(p.partition());
      }
      return new ArrayList<>(topics.values());
    }

    private OffsetFetchRequest.OffsetFetchRequestTopics topic(String name, @Nullable Uuid id) {
      OffsetFetchRequest.OffsetFetchRequestTopics topic = new OffsetFetchRequest.OffsetFetchRequestTopics()
          .partitionIndexes(new ArrayList<>());
      if (id == null) {
        return topic.name(name);
      }
      namesSent.put(id, name);
      return topic.topicId(id);
    }

    @Override
    protected void onResponse(ProtocolReader in, short version, @Nullable PooledBuffer lease) {
      OffsetFetchResponse response = OffsetFetchResponse.read(in, version);
      if (!query.isWanted()) {
        return;
      }
      named.clear();
      Map<TopicPartition, OffsetAndMetadata> found = new LinkedHashMap<>();
      ErrorCode worst = version < FIRST_WITH_GROUPS
          ? readGroup(response, found)
          : readGroups(response, version, found);
      if (worst == ErrorCode.NONE && !named.containsAll(partitions)) {
        again(new KafkaException(ErrorCode.UNKNOWN_SERVER_ERROR, "committed offsets of " + partitions + " in group "
            + member.groupId() + ": coordinator " + brokerName() + " did not name all of them in its response"));
      } else if (worst == ErrorCode.NONE) {
        query.onFound(found);
        member.wakeWaiters();
      } else {
        failed(TopicException.of(worst, refusedTopic, "committed offsets of " + partitions + " in group "
            + member.groupId() + ": coordinator " + brokerName() + " answered " + worst));
      }
    }

    private ErrorCode readGroups(OffsetFetchResponse response, short version,
        Map<TopicPartition, OffsetAndMetadata> found) {
      ErrorCode worst = ErrorCode.NONE;
      for (OffsetFetchResponse.OffsetFetchResponseGroup group : response.groups()) {
        if (!group.groupId().equals(member.groupId())) {
          continue;
        }
        worst = worse(worst, group.errorCode());
        for (OffsetFetchResponse.OffsetFetchResponseTopics topic : group.topics()) {
          String name = version >= FIRST_WITH_TOPIC_IDS ? namesSent.getOrDefault(topic.topicId(), "") : topic.name();
          for (OffsetFetchResponse.OffsetFetchResponsePartitions p : topic.partitions()) {
            worst = worse(worst, name, p.errorCode());
            named.add(new TopicPartition(name, p.partitionIndex()));
            if (p.committedOffset() >= 0) {
              found.put(new TopicPartition(name, p.partitionIndex()),
                  committed(p.committedOffset(), p.committedLeaderEpoch(), p.metadata()));
            }
          }
        }
      }
      return worst;
    }

    /** Reads the form of brokers before 3.0. */
    private ErrorCode readGroup(OffsetFetchResponse response, Map<TopicPartition, OffsetAndMetadata> found) {
      ErrorCode worst = worse(ErrorCode.NONE, response.errorCode());
      for (OffsetFetchResponse.OffsetFetchResponseTopic topic : response.topics()) {
        for (OffsetFetchResponse.OffsetFetchResponsePartition p : topic.partitions()) {
          worst = worse(worst, topic.name(), p.errorCode());
          named.add(new TopicPartition(topic.name(), p.partitionIndex()));
          if (p.committedOffset() >= 0) {
            found.put(new TopicPartition(topic.name(), p.partitionIndex()),
                committed(p.committedOffset(), p.committedLeaderEpoch(), p.metadata()));
          }
        }
      }
      return worst;
    }

    private static OffsetAndMetadata committed(long offset, int epoch, @Nullable String text) {
      return new OffsetAndMetadata(offset, epoch, text == null ? "" : text);
    }

    private ErrorCode worse(ErrorCode before, String topic, short code) {
      ErrorCode worst = worse(before, code);
      refusedTopic = worst == before ? refusedTopic : topic;
      return worst;
    }

    private ErrorCode worse(ErrorCode before, short code) {
      ErrorCode now = ErrorCode.of(code);
      return now == ErrorCode.NONE || (before != ErrorCode.NONE && !passes(before)) ? before : now;
    }

    /** Returns true if a retry may help. A heartbeat brings a new epoch, or the news that the member is lost. */
    private boolean passes(ErrorCode code) {
      return code.isRetriable() || code == ErrorCode.STALE_MEMBER_EPOCH || code == ErrorCode.UNKNOWN_MEMBER_ID;
    }

    private void failed(KafkaException cause) {
      if (passes(cause.code())) {
        again(cause);
      } else {
        query.onRefused(cause);
        member.wakeWaiters();
        if (query.isWanted()) { // the application may have cured the cause meanwhile
          waiting.add(this);
          retryAtNanos = member.nowNanos() + REFUSED_RETRY_NANOS;
          member.workLater();
        }
      }
    }

    private void again(KafkaException cause) {
      if (cause.code() == ErrorCode.UNKNOWN_MEMBER_ID) {
        member.verifyMembership(epochSent);
      }
      retryAtNanos = member.nowNanos() + RETRY_NANOS;
      waiting.add(this);
      member.offsetsRetried(cause);
      member.workLater();
    }

    @Override
    protected void onFailure(KafkaException cause) {
      again(cause);
    }

    @Override
    protected void onUnsupported(KafkaException cause) {
      failed(cause);
    }
  }
}
