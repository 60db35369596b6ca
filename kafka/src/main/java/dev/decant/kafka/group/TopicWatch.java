package dev.decant.kafka.group;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.assignor.TopicLayout;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.cluster.ResponseHandler;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataResponse;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which topics there are and what they look like: of some names or of all, now and then again. For a leader, which has
 * to know topics that it does not read itself, and for subscriptions by pattern. Owner of the loop only.
 */
final class TopicWatch implements ResponseHandler {
  /** Takes what was found. */
  interface Listener {
    /** All that exist of what is watched; of those that Kafka keeps for itself only what was named. */
    void onTopics(Map<String, TopicLayout> topics);
  }

  private static final int MIN_VERSION = 12;
  private static final int MAX_VERSION = 13;
  private static final long RETRY_NANOS = 200_000_000L;
  /** A topic that does not exist yet may be about to be created. */
  private static final long MISSING_NANOS = 5_000_000_000L;

  private final EventLoop loop;
  private final Cluster cluster;
  private final long ageNanos;
  private final Listener listener;
  private final Timer timer = new Timer(this::ask);
  private Set<String> names = Set.of();
  private boolean all;
  private boolean inFlight;
  /** What is in flight was asked for before the last change. */
  private boolean outdated;

  TopicWatch(EventLoop loop, Cluster cluster, long ageNanos, Listener listener) {
    this.loop = loop;
    this.cluster = cluster;
    this.ageNanos = ageNanos;
    this.listener = listener;
  }

  /** Watches these from now on, or all there are; and has a look at once. */
  void watch(Set<String> wanted, boolean every) {
    names = Set.copyOf(wanted);
    all = every;
    outdated = inFlight;
    if (!inFlight) {
      loop.schedule(timer, loop.nowNanos());
    }
  }

  /** Watches nothing more. */
  void stop() {
    names = Set.of();
    all = false;
    outdated = inFlight;
    loop.cancel(timer);
  }

  private boolean isIdle() {
    return names.isEmpty() && !all;
  }

  private void ask() {
    if (inFlight || isIdle()) {
      return;
    }
    BrokerLink link = cluster.anyLink();
    if (link == null) {
      loop.schedule(timer, loop.nowNanos() + RETRY_NANOS);
      return;
    }
    short version;
    try {
      version = link.chooseVersion(MetadataRequest.API_KEY, MIN_VERSION, MAX_VERSION);
    } catch (KafkaException e) {
      onFailure(e);
      return;
    }
    List<MetadataRequest.MetadataRequestTopic> topics = new ArrayList<>();
    names.forEach(name -> topics.add(new MetadataRequest.MetadataRequestTopic().name(name)));
    MetadataRequest request = new MetadataRequest().topics(all ? null : topics).allowAutoTopicCreation(false);
    inFlight = true;
    outdated = false;
    link.send(MetadataRequest.API_KEY, version, true, request::write, this);
  }

  @Override
  public void onResponse(ProtocolReader in, short version, @Nullable PooledBuffer lease) {
    MetadataResponse response = MetadataResponse.read(in, version);
    inFlight = false;
    if (outdated || response.errorCode() != 0) {
      loop.schedule(timer, loop.nowNanos() + (outdated ? 0 : RETRY_NANOS));
      return;
    }
    Map<Integer, String> racks = new HashMap<>();
    for (MetadataResponse.MetadataResponseBroker broker : response.brokers()) {
      String rack = broker.rack();
      if (rack != null) {
        racks.put(broker.nodeId(), rack);
      }
    }
    Map<String, TopicLayout> found = new HashMap<>();
    for (MetadataResponse.MetadataResponseTopic topic : response.topics()) {
      String name = topic.name();
      if (name != null && topic.errorCode() == 0 && (!topic.isInternal() || names.contains(name))) {
        found.put(name, layout(topic, racks));
      }
    }
    boolean missing = !all && !found.keySet().containsAll(names);
    loop.schedule(timer, loop.nowNanos() + (missing ? Math.min(ageNanos, MISSING_NANOS) : ageNanos));
    listener.onTopics(found);
  }

  private static TopicLayout layout(MetadataResponse.MetadataResponseTopic topic, Map<Integer, String> racks) {
    List<Set<String>> partitions = new ArrayList<>();
    for (int p = 0; p < topic.partitions().size(); p++) {
      partitions.add(new HashSet<>());
    }
    for (MetadataResponse.MetadataResponsePartition p : topic.partitions()) {
      if (p.partitionIndex() >= 0 && p.partitionIndex() < partitions.size()) {
        for (int replica : p.replicaNodes()) {
          String rack = racks.get(replica);
          if (rack != null) {
            partitions.get(p.partitionIndex()).add(rack);
          }
        }
      }
    }
    return new TopicLayout(partitions);
  }

  @Override
  public void onFailure(KafkaException cause) {
    inFlight = false;
    if (!isIdle()) {
      loop.schedule(timer, loop.nowNanos() + RETRY_NANOS);
    }
  }
}
