package dev.decant.kafka.cluster;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.WrongClusterException;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One exchange of Metadata at a time, and the making of a snapshot from its response. A broker that is slow is
 * overtaken by another one: the first response counts, and so does each that was asked for later.
 */
final class MetadataUpdate {
  /** The first one that leaves it to the client whether a topic is made. */
  private static final int MIN_VERSION = 4;
  private static final int MAX_VERSION = 13;
  /** Brokers before 2.4 tell epochs that are not those of the leaders while replicas are being moved (KAFKA-9212). */
  private static final int FIRST_WITH_EPOCHS = 9;

  private static final int NO_EPOCH = -1;
  /** So many responses in a row with an older epoch are believed: the newer one was none. */
  private static final int OLDER_EPOCHS_TO_BELIEVE = 5;

  private final Cluster cluster;
  /** Responses in a row that told an older epoch of a partition than is known. Owner of the loop. */
  private final Map<TopicPartition, Integer> olderEpochs = new HashMap<>();
  /** How often in a row brokers have told of fewer partitions than a topic without an id had. */
  private final Map<String, Integer> fewerPartitions = new HashMap<>();
  /** The exchange that was begun last; null if that is over. */
  private @Nullable Exchange inFlight;
  private long exchanges;
  /** The number of the exchange whose response was taken last. */
  private long lastAnswered;
  // Written by the owner of the loop, answered last; read by any thread, answered first.
  private volatile long lastResponseNanos;
  private volatile boolean answered;
  /** The number of the last exchange whose response the snapshot has. */
  private volatile long published;

  MetadataUpdate(Cluster cluster) {
    this.cluster = cluster;
    this.lastResponseNanos = cluster.nowNanos() - 1_000_000_000L;
  }

  boolean isInFlight() {
    return inFlight != null;
  }

  /** The link that has the request in flight; null if there is none. */
  @Nullable
  BrokerLink asked() {
    Exchange exchange = inFlight;
    return exchange == null ? null : exchange.link;
  }

  /** Since when the request is in flight. */
  long askedNanos() {
    Exchange exchange = inFlight;
    return exchange == null ? cluster.nowNanos() : exchange.startNanos;
  }

  /** Whether there was a response yet. */
  boolean hasResponse() {
    return answered;
  }

  /** How many exchanges were begun. */
  long begun() {
    return exchanges;
  }

  /** The number of the last exchange whose response the snapshot has. Any thread, before it reads the snapshot. */
  long published() {
    return published;
  }

  long lastResponseNanos() {
    return lastResponseNanos;
  }

  void start(BrokerLink link, MetadataQuestion question) {
    List<MetadataRequest.MetadataRequestTopic> asked = new ArrayList<>(question.topics().size());
    for (String topic : question.topics()) {
      asked.add(new MetadataRequest.MetadataRequestTopic().name(topic));
    }
    MetadataRequest request = new MetadataRequest().topics(asked).allowAutoTopicCreation(question.mayCreate());
    Exchange exchange = new Exchange(link, request, question, ++exchanges, cluster.nowNanos());
    inFlight = exchange;
    link.send(exchange);
  }

  /** One request and its response. */
  private final class Exchange extends Call {
    private final BrokerLink link;
    private final MetadataRequest request;
    private final MetadataQuestion question;
    private final long number;
    private final long startNanos;

    Exchange(BrokerLink link, MetadataRequest request, MetadataQuestion question, long number, long startNanos) {
      super(ApiKey.METADATA, MIN_VERSION, MAX_VERSION);
      this.link = link;
      this.request = request;
      this.question = question;
      this.number = number;
      this.startNanos = startNanos;
    }

    @Override
    public void write(ProtocolWriter out, short version) {
      request.write(out, version);
    }

    @Override
    protected void onResponse(ProtocolReader in, short version, @Nullable PooledBuffer lease) {
      MetadataResponse response = MetadataResponse.read(in, version);
      if (number > lastAnswered) {
        lastAnswered = number;
        inFlight = null; // one that was begun later may still bring newer metadata
        if (isTaken(response, version, this)) {
          published = number;
        }
      }
    }

    @Override
    protected void onFailure(KafkaException cause) {
      if (number == exchanges) { // else it was overtaken
        failed(link, cause);
      }
    }
  }

  /** Takes a response over; false if it says nothing of topics that is to be believed. */
  private boolean isTaken(MetadataResponse response, short version, Exchange exchange) {
    String broker = exchange.link.name();
    lastResponseNanos = cluster.nowNanos();
    answered = true;
    if (version >= 13 && response.errorCode() != 0) {
      ErrorCode error = ErrorCode.of(response.errorCode());
      KafkaException refused = new KafkaException(error, "broker " + broker + " refused Metadata: " + error);
      cluster.updateFailed(broker, refused);
      if (error == ErrorCode.REBOOTSTRAP_REQUIRED) {
        cluster.rebootstrap(refused);
      }
      return false;
    }
    try {
      cluster.identity().compare(broker, response.clusterId());
    } catch (WrongClusterException e) { // the connection has changed hands; what is in flight there is sent elsewhere
      cluster.updateFailed(broker, e);
      exchange.link.close(new KafkaException(ErrorCode.NETWORK_EXCEPTION, String.valueOf(e.getMessage()), e));
      return false;
    }
    if (response.brokers().isEmpty()) { // it would have every connection closed
      cluster.updateFailed(broker, new KafkaException(ErrorCode.BROKER_NOT_AVAILABLE, "broker " + broker
          + " names no brokers: it has just started, and knows nothing of its cluster yet"));
      return false;
    }
    take(response, version, exchange.question);
    return true;
  }

  /** Publishes what a good response says. */
  private void take(MetadataResponse response, short version, MetadataQuestion question) {
    Map<Integer, BrokerAddress> brokers = new HashMap<>();
    Map<Integer, String> racks = new HashMap<>();
    for (MetadataResponse.MetadataResponseBroker b : response.brokers()) {
      brokers.put(b.nodeId(), new BrokerAddress(b.host(), b.port()));
      String rack = b.rack();
      if (rack != null) {
        racks.put(b.nodeId(), rack);
      }
    }
    List<String> contradicted = new ArrayList<>();
    Map<String, TopicMetadata> topics = new HashMap<>();
    String knownId = cluster.snapshot().clusterId();
    boolean isAnotherCluster = knownId != null && !knownId.equals(response.clusterId());
    if (!question.everything() && !isAnotherCluster) {
      topics.putAll(cluster.snapshot().topics());
    }
    for (MetadataResponse.MetadataResponseTopic t : response.topics()) {
      String name = t.name();
      if (name != null && question.topics().contains(name)) {
        TopicMetadata topic = topic(name, t, version);
        topics.put(name, topic);
        if (topic.partitions().size() > t.partitions().size()) {
          contradicted.add(name);
        }
      }
    }
    olderEpochs.keySet().removeIf(p -> !topics.containsKey(p.topic()));
    fewerPartitions.keySet().retainAll(topics.keySet());
    cluster.updated(new ClusterSnapshot(cluster.snapshot().version() + 1, response.clusterId(),
        response.controllerId(), Map.copyOf(brokers), Map.copyOf(racks), Map.copyOf(topics)), question);
    contradicted.forEach(cluster::requestUpdate); // the next broker may know better
    if (isAnotherCluster && !question.everything()) {
      cluster.requestUpdate(); // what was known of the other topics is not true here
    }
  }

  private TopicMetadata topic(String name, MetadataResponse.MetadataResponseTopic t, short version) {
    TopicMetadata before = cluster.snapshot().topic(name);
    TopicMetadata known = before != null && before.id().equals(t.topicId()) ? before : null;
    if (known != null && losesPartitions(known, t)) {
      return known;
    }
    PartitionMetadata[] partitions = new PartitionMetadata[t.partitions().size()];
    for (MetadataResponse.MetadataResponsePartition p : t.partitions()) {
      if (p.partitionIndex() < 0 || p.partitionIndex() >= partitions.length) {
        throw new KafkaException(ErrorCode.UNKNOWN_SERVER_ERROR,
            "metadata of topic " + name + " names partition " + p.partitionIndex() + " of " + partitions.length);
      }
      partitions[p.partitionIndex()] = version < FIRST_WITH_EPOCHS
          ? new PartitionMetadata(p.leaderId(), NO_EPOCH, replicas(p))
          : newer(name, known, p.partitionIndex(), new PartitionMetadata(p.leaderId(), p.leaderEpoch(), replicas(p)));
    }
    return new TopicMetadata(name, t.topicId(), ErrorCode.of(t.errorCode()), List.of(partitions));
  }

  /**
   * Whether fewer partitions than before are not to be believed. A topic never loses any: it was deleted and made
   * again, under another id, or the broker lags behind. Where brokers tell no ids, enough responses decide.
   */
  private boolean losesPartitions(TopicMetadata known, MetadataResponse.MetadataResponseTopic t) {
    int count = t.partitions().size();
    if (count >= known.partitions().size() || count == 0) {
      fewerPartitions.remove(known.name());
      return false;
    }
    if (!known.id().equals(Uuid.ZERO)
        || fewerPartitions.merge(known.name(), 1, Integer::sum) < OLDER_EPOCHS_TO_BELIEVE) {
      return true;
    }
    fewerPartitions.remove(known.name());
    return false;
  }

  private static Replicas replicas(MetadataResponse.MetadataResponsePartition p) {
    return Replicas.of(p.replicaNodes(), p.isrNodes(), p.offlineReplicas());
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

  /** The broker cannot be asked, or has not answered. */
  void failed(BrokerLink link, KafkaException cause) {
    inFlight = null;
    cluster.updateFailed(link.name(), cause);
  }
}
