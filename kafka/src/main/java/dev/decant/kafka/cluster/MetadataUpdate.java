package dev.decant.kafka.cluster;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One exchange of Metadata at a time, and the making of a snapshot from its answer. */
final class MetadataUpdate implements ResponseHandler {
  private static final int MIN_VERSION = 12;
  private static final int MAX_VERSION = 13;

  /** So many answers in a row with an older epoch are believed: the newer one was none. */
  private static final int OLDER_EPOCHS_TO_BELIEVE = 5;

  private final Cluster cluster;
  /** Answers in a row that told an older epoch of a partition than is known. Owner of the loop. */
  private final Map<TopicPartition, Integer> olderEpochs = new HashMap<>();
  private boolean wanted = true;
  private boolean inFlight;
  // Written by the owner of the loop, answered last; read by any thread, answered first.
  private volatile long lastAnswerNanos;
  private volatile boolean answered;
  /** How many topics the request in flight names. */
  private int askedTopics;
  private String broker = "";

  MetadataUpdate(Cluster cluster) {
    this.cluster = cluster;
    this.lastAnswerNanos = cluster.nowNanos() - 1_000_000_000L;
  }

  void want() {
    wanted = true;
  }

  boolean isWanted() {
    return wanted;
  }

  boolean isInFlight() {
    return inFlight;
  }

  /** Whether there was an answer yet. */
  boolean hasAnswer() {
    return answered;
  }

  long lastAnswerNanos() {
    return lastAnswerNanos;
  }

  void start(BrokerLink link, List<String> topics) {
    List<MetadataRequest.MetadataRequestTopic> asked = new ArrayList<>();
    for (String topic : topics) {
      asked.add(new MetadataRequest.MetadataRequestTopic().name(topic));
    }
    MetadataRequest request = new MetadataRequest().topics(asked).allowAutoTopicCreation(false);
    short version;
    try {
      version = link.chooseVersion(MetadataRequest.API_KEY, MIN_VERSION, MAX_VERSION);
    } catch (KafkaException e) {
      onFailure(e);
      return;
    }
    wanted = false;
    inFlight = true;
    askedTopics = topics.size();
    broker = link.name();
    link.send(MetadataRequest.API_KEY, version, true, request::write, this);
  }

  @Override
  public void onResponse(ProtocolReader in, short version, @Nullable PooledBuffer lease) {
    MetadataResponse response = MetadataResponse.read(in, version);
    inFlight = false;
    lastAnswerNanos = cluster.nowNanos();
    answered = true;
    wanted = false;
    if (version >= 13 && response.errorCode() != 0) {
      ErrorCode error = ErrorCode.of(response.errorCode());
      KafkaException refused = new KafkaException(error, "broker " + broker + " refused Metadata: " + error);
      wanted = true;
      cluster.updateFailed(broker, refused);
      if (error == ErrorCode.REBOOTSTRAP_REQUIRED) {
        cluster.rebootstrap(refused);
      }
      return;
    }
    Map<Integer, BrokerAddress> brokers = new HashMap<>();
    Map<Integer, String> racks = new HashMap<>();
    for (MetadataResponse.MetadataResponseBroker b : response.brokers()) {
      brokers.put(b.nodeId(), new BrokerAddress(b.host(), b.port()));
      String rack = b.rack();
      if (rack != null) {
        racks.put(b.nodeId(), rack);
      }
    }
    Map<String, TopicMetadata> topics = new HashMap<>();
    boolean complete = true;
    for (MetadataResponse.MetadataResponseTopic t : response.topics()) {
      String name = t.name();
      if (name != null) {
        TopicMetadata topic = topic(name, t);
        topics.put(name, topic);
        complete &= isComplete(topic);
      }
    }
    cluster.updated(new ClusterSnapshot(cluster.snapshot().version() + 1, response.clusterId(), Map.copyOf(brokers),
        Map.copyOf(racks), Map.copyOf(topics)), askedTopics, complete);
  }

  private TopicMetadata topic(String name, MetadataResponse.MetadataResponseTopic t) {
    TopicMetadata before = cluster.snapshot().topic(name);
    TopicMetadata known = before != null && before.id().equals(t.topicId()) ? before : null;
    PartitionMetadata[] partitions = new PartitionMetadata[t.partitions().size()];
    for (MetadataResponse.MetadataResponsePartition p : t.partitions()) {
      if (p.partitionIndex() < 0 || p.partitionIndex() >= partitions.length) {
        throw new KafkaException(ErrorCode.UNKNOWN_SERVER_ERROR,
            "metadata of topic " + name + " names partition " + p.partitionIndex() + " of " + partitions.length);
      }
      partitions[p.partitionIndex()] = newer(name, known, p.partitionIndex(),
          new PartitionMetadata(p.leaderId(), p.leaderEpoch()));
    }
    return new TopicMetadata(name, t.topicId(), ErrorCode.of(t.errorCode()), List.of(partitions));
  }

  /**
   * A broker that lags behind may answer with an older epoch than another one has told of already. It does so for a
   * moment; an epoch that the brokers contradict for longer was wrong, and its leader may be.
   */
  private PartitionMetadata newer(String name, @Nullable TopicMetadata known, int partition, PartitionMetadata told) {
    PartitionMetadata before = known == null || partition >= known.partitions().size()
        ? told
        : known.partitions().get(partition);
    if (before.leaderEpoch() <= told.leaderEpoch()) {
      if (!olderEpochs.isEmpty()) {
        olderEpochs.remove(new TopicPartition(name, partition));
      }
      return told;
    }
    TopicPartition contradicted = new TopicPartition(name, partition);
    if (olderEpochs.merge(contradicted, 1, Integer::sum) < OLDER_EPOCHS_TO_BELIEVE) {
      return before;
    }
    olderEpochs.remove(contradicted);
    return told;
  }

  /** Without an error and with a leader for each partition; otherwise it is worth asking again soon. */
  private static boolean isComplete(TopicMetadata topic) {
    return topic.error() == ErrorCode.NONE && topic.partitions().stream().allMatch(p -> p.leaderId() >= 0);
  }

  @Override
  public void onFailure(KafkaException cause) {
    inFlight = false;
    wanted = true;
    cluster.updateFailed(broker, cause);
  }
}
