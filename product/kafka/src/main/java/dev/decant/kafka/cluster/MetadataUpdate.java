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
 * Makes snapshots from Metadata responses, one request at a time. If a broker is slow, another one is asked, too: the
 * first response counts, and so does each response to a later request.
 *
 * <p>Owner of the loop only, except methods that name any thread.
 */
final class MetadataUpdate {
  /** The first version in which the client decides whether a topic is created. */
  private static final int MIN_VERSION = 4;
  private static final int MAX_VERSION = 13;
  /**
   * The first version whose leader epochs count. Brokers before 2.4 report wrong ones during a reassignment
   * (KAFKA-9212).
   */
  private static final int FIRST_WITH_EPOCHS = 9;

  private static final int NO_EPOCH = -1;
  /** Responses in a row with an older epoch, or with fewer partitions, after which the client believes them. */
  private static final int OLDER_EPOCHS_TO_BELIEVE = 5;

  private final Cluster cluster;
  /** Number of responses in a row with an older epoch than the known one, by partition. */
  private final Map<TopicPartition, Integer> olderEpochs = new HashMap<>();
  /** Number of responses in a row with fewer partitions than known, by topic. Only topics without an id are counted. */
  private final Map<String, Integer> fewerPartitions = new HashMap<>();
  /** The exchange that was started last; null if it is over. */
  private @Nullable Exchange inFlight;
  private long exchanges;
  /** The number of the exchange whose response was taken last. */
  private long lastTaken;
  // The owner of the loop writes lastResponseNanos before hasResponded. Other threads read them in the other order.
  private volatile long lastResponseNanos;
  private volatile boolean hasResponded;
  /**
   * The number of the last exchange whose response is in the snapshot. A response that is not taken over does not
   * count. One once made trySend to a new partition throw, although the cluster had not reported the topic.
   */
  private volatile long published;

  MetadataUpdate(Cluster cluster) {
    this.cluster = cluster;
    this.lastResponseNanos = cluster.nowNanos() - 1_000_000_000L;
  }

  boolean isInFlight() {
    return inFlight != null;
  }

  /** Returns the link that has the request in flight; null if there is none. */
  @Nullable
  BrokerLink inFlightLink() {
    Exchange exchange = inFlight;
    return exchange == null ? null : exchange.link;
  }

  /** Returns the time since which the request is in flight. */
  long startedNanos() {
    Exchange exchange = inFlight;
    return exchange == null ? cluster.nowNanos() : exchange.startNanos;
  }

  /** Returns true after the first response. Any thread. */
  boolean hasResponse() {
    return hasResponded;
  }

  /** Returns the number of exchanges so far. */
  long begun() {
    return exchanges;
  }

  /**
   * Returns the number of the last exchange whose response is in the snapshot. Any thread; read it before the snapshot.
   */
  long published() {
    return published;
  }

  long lastResponseNanos() {
    return lastResponseNanos;
  }

  void start(BrokerLink link, RequestedTopics requested) {
    List<MetadataRequest.MetadataRequestTopic> named = new ArrayList<>(requested.topics().size());
    for (String topic : requested.topics()) {
      named.add(new MetadataRequest.MetadataRequestTopic().name(topic));
    }
    MetadataRequest request = new MetadataRequest().topics(named).allowAutoTopicCreation(requested.mayCreate());
    Exchange exchange = new Exchange(link, request, requested, ++exchanges, cluster.nowNanos());
    inFlight = exchange;
    link.send(exchange);
  }

  /** One request and its response. */
  private final class Exchange extends Call {
    private final BrokerLink link;
    private final MetadataRequest request;
    private final RequestedTopics requested;
    private final long number;
    private final long startNanos;

    Exchange(BrokerLink link, MetadataRequest request, RequestedTopics requested, long number, long startNanos) {
      super(ApiKey.METADATA, MIN_VERSION, MAX_VERSION);
      this.link = link;
      this.request = request;
      this.requested = requested;
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
      if (number > lastTaken) {
        lastTaken = number;
        inFlight = null; // a later exchange may still bring newer metadata
        if (isTaken(response, version, this)) {
          published = number;
        }
      }
    }

    @Override
    protected void onFailure(KafkaException cause) {
      if (number == exchanges) { // an exchange that was overtaken does not count
        failed(link, cause);
      }
    }
  }

  /** Takes a response; returns false if it must not change the snapshot. */
  private boolean isTaken(MetadataResponse response, short version, Exchange exchange) {
    String broker = exchange.link.name();
    lastResponseNanos = cluster.nowNanos();
    hasResponded = true;
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
    } catch (WrongClusterException e) {
      // The address has passed to another cluster: requests in flight there are sent to another broker.
      cluster.updateFailed(broker, e);
      exchange.link.close(new KafkaException(ErrorCode.NETWORK_EXCEPTION, String.valueOf(e.getMessage()), e));
      return false;
    }
    // A broker that has just started names no brokers for a moment; every connection would be closed.
    if (response.brokers().isEmpty()) {
      cluster.updateFailed(broker, new KafkaException(ErrorCode.BROKER_NOT_AVAILABLE, "broker " + broker
          + " names no brokers: it has just started, and knows nothing of its cluster yet"));
      return false;
    }
    take(response, version, exchange.requested);
    return true;
  }

  /** Publishes the content of a good response. */
  private void take(MetadataResponse response, short version, RequestedTopics requested) {
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
    if (!requested.everything() && !isAnotherCluster) {
      topics.putAll(cluster.snapshot().topics());
    }
    for (MetadataResponse.MetadataResponseTopic t : response.topics()) {
      String name = t.name();
      if (name != null && requested.topics().contains(name)) {
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
        response.controllerId(), Map.copyOf(brokers), Map.copyOf(racks), Map.copyOf(topics)), requested);
    contradicted.forEach(cluster::requestUpdate); // the next broker may know better
    if (isAnotherCluster && !requested.everything()) {
      cluster.requestUpdate(); // the other topics were those of the former cluster
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
      if (partitions[p.partitionIndex()] != null) { // another one is missing then
        throw new KafkaException(ErrorCode.UNKNOWN_SERVER_ERROR,
            "metadata of topic " + name + " names partition " + p.partitionIndex() + " twice");
      }
      partitions[p.partitionIndex()] = version < FIRST_WITH_EPOCHS
          ? new PartitionMetadata(p.leaderId(), NO_EPOCH, replicas(p))
          : newer(name, known, p.partitionIndex(), new PartitionMetadata(p.leaderId(), p.leaderEpoch(), replicas(p)));
    }
    return new TopicMetadata(name, t.topicId(), ErrorCode.of(t.errorCode()), List.of(partitions));
  }

  /**
   * Returns true if a response has fewer partitions than known and must not be believed. A topic never loses
   * partitions: either it was deleted and created again with another id, or the broker lags behind. Metadata that
   * lagged once closed the queues of new partitions. Their sequence numbers began again at 0 under the same producer
   * id. A broker could then take a batch for one that it had. Without ids, {@link #OLDER_EPOCHS_TO_BELIEVE} responses
   * in a row decide.
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
   * Returns the leader to believe. A broker that lags behind may report an older epoch than another one has reported,
   * but only for a moment. An epoch that brokers contradict for longer was wrong, and its leader may be wrong, too.
   */
  private PartitionMetadata newer(String name, @Nullable TopicMetadata known, int partition,
      PartitionMetadata reported) {
    PartitionMetadata before = known == null || partition >= known.partitions().size()
        ? reported
        : known.partitions().get(partition);
    if (before.leaderEpoch() <= reported.leaderEpoch()) {
      if (!olderEpochs.isEmpty()) {
        olderEpochs.remove(new TopicPartition(name, partition));
      }
      return reported;
    }
    TopicPartition contradicted = new TopicPartition(name, partition);
    if (olderEpochs.merge(contradicted, 1, Integer::sum) < OLDER_EPOCHS_TO_BELIEVE) {
      return before;
    }
    olderEpochs.remove(contradicted);
    return reported;
  }

  /** The broker has no connection for the request, or has not responded. */
  void failed(BrokerLink link, KafkaException cause) {
    inFlight = null;
    cluster.updateFailed(link.name(), cause);
  }
}
