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

/** Asks the coordinator for committed offsets (OffsetFetch), again and again until it says. Owner of the loop only. */
final class OffsetFetches {
  private static final int MIN_VERSION = 1;
  private static final int MAX_VERSION = 10;
  /** Brokers before 2.5 may tell an offset that a transaction is about to replace (KIP-447). */
  private static final int FIRST_WITH_STABLE = 7;
  /** Below it a request asks for one group. */
  private static final int FIRST_WITH_GROUPS = 8;
  private static final int FIRST_WITH_TOPIC_IDS = 10;
  private static final long RETRY_NANOS = 100_000_000L;
  private static final long REFUSED_RETRY_NANOS = 1_000_000_000L;

  private final GroupMember member;
  private final List<Question> waiting = new ArrayList<>();
  private long retryAtNanos;

  OffsetFetches(GroupMember member, long nowNanos) {
    this.member = member;
    this.retryAtNanos = nowNanos;
  }

  void ask(Collection<TopicPartition> partitions, OffsetFetchListener query) {
    waiting.add(new Question(List.copyOf(partitions), query));
  }

  /** When {@link #work} has something to do by itself; {@link Long#MAX_VALUE} for never. */
  long nextNanos(long now) {
    return waiting.isEmpty() || retryAtNanos - now <= 0 ? Long.MAX_VALUE : retryAtNanos;
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Tells all that wait why they are refused for now. The coordinator is asked again, as long as they want to know. */
  void refuse(KafkaException cause) {
    for (Question q : List.copyOf(waiting)) {
      q.query.onRefused(cause);
    }
    waiting.removeIf(q -> !q.query.isWanted());
    member.wakeWaiters();
  }

  /** Ends all that wait. */
  void refuseAll(KafkaException cause) {
    List<Question> refused = List.copyOf(waiting);
    waiting.clear();
    refused.forEach(q -> q.query.onRefused(cause));
    member.wakeWaiters();
  }

  void work(@Nullable BrokerLink link, long now) {
    waiting.removeIf(q -> !q.query.isWanted());
    if (link == null || waiting.isEmpty() || retryAtNanos - now > 0 || !member.mayAsk()) {
      return;
    }
    List<Question> due = List.copyOf(waiting);
    waiting.clear();
    due.forEach(q -> q.send(link));
  }

  /** The question for some partitions, repeated until the coordinator has answered it. */
  private final class Question extends Call {
    private final List<TopicPartition> partitions;
    private final OffsetFetchListener query;
    private Map<Uuid, String> namesSent = Map.of();
    private @Nullable Map<String, Uuid> ids;
    /** The epoch that the coordinator was asked with; -1 for nobody in particular. */
    private int epochSent;
    /** Whose error counts, if it is that of a topic. */
    private String refusedTopic = "";
    /** Partitions that the response names. */
    private final Set<TopicPartition> answered = new HashSet<>();

    Question(List<TopicPartition> partitions, OffsetFetchListener query) {
      super(ApiKey.OFFSET_FETCH, MIN_VERSION, MAX_VERSION);
      this.partitions = partitions;
      this.query = query;
    }

    void send(BrokerLink link) {
      ids = member.topicIds(partitions);
      epochSent = member.askingEpoch();
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
              .memberId(member.askingMemberId()).memberEpoch(member.askingEpoch())
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
      answered.clear();
      Map<TopicPartition, OffsetAndMetadata> found = new LinkedHashMap<>();
      ErrorCode worst = version < FIRST_WITH_GROUPS
          ? readGroup(response, found)
          : readGroups(response, version, found);
      if (worst == ErrorCode.NONE && !answered.containsAll(partitions)) {
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
            answered.add(new TopicPartition(name, p.partitionIndex()));
            if (p.committedOffset() >= 0) {
              found.put(new TopicPartition(name, p.partitionIndex()),
                  committed(p.committedOffset(), p.committedLeaderEpoch(), p.metadata()));
            }
          }
        }
      }
      return worst;
    }

    /** The form of brokers before 3.0. */
    private ErrorCode readGroup(OffsetFetchResponse response, Map<TopicPartition, OffsetAndMetadata> found) {
      ErrorCode worst = worse(ErrorCode.NONE, response.errorCode());
      for (OffsetFetchResponse.OffsetFetchResponseTopic topic : response.topics()) {
        for (OffsetFetchResponse.OffsetFetchResponsePartition p : topic.partitions()) {
          worst = worse(worst, topic.name(), p.errorCode());
          answered.add(new TopicPartition(topic.name(), p.partitionIndex()));
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

    /** An epoch changes with a heartbeat, and a member that is not known any more will hear of it by one. */
    private boolean passes(ErrorCode code) {
      return code.isRetriable() || code == ErrorCode.STALE_MEMBER_EPOCH || code == ErrorCode.UNKNOWN_MEMBER_ID;
    }

    private void failed(KafkaException cause) {
      if (passes(cause.code())) {
        again(cause);
      } else {
        query.onRefused(cause);
        member.wakeWaiters();
        if (query.isWanted()) { // the application may have mended it when it has heard of it
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
