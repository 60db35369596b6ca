package dev.decant.kafka.group;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.assignor.TopicLayout;
import dev.decant.kafka.cluster.CallQueue;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.cluster.ClusterSnapshot;
import dev.decant.kafka.cluster.RetriableCall;
import dev.decant.kafka.cluster.RetryBackoff;
import dev.decant.kafka.cluster.Target;
import dev.decant.kafka.cluster.TopicMetadata;
import dev.decant.kafka.cluster.TopicName;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
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
 * Watches the layout of some topics or of all, at intervals: for a leader, which needs topics that it does not read
 * itself, and for subscriptions by pattern. Owner of the loop only.
 */
final class TopicWatch {
  /** Takes the results. */
  interface Listener {
    /** Takes all existing topics that are watched; internal ones only if they were named or wanted. */
    void onTopics(Map<String, TopicLayout> topics);

    /** Takes a named topic that the user may not describe. It is requested again: the permission may come later. */
    default void onRefused(String topic) {}
  }

  /** First version in which the client decides on automatic creation. */
  private static final int MIN_VERSION = 4;
  private static final int MAX_VERSION = 13;
  /** Pause before a missing topic is requested again: it may be about to be created. */
  private static final long MISSING_NANOS = 5_000_000_000L;

  private final EventLoop loop;
  private final Cluster cluster;
  private final long ageNanos;
  private final Listener listener;
  private final Timer timer = new Timer(this::request);
  /** Topics to watch by name. */
  private Set<String> names = Set.of();
  /** True to watch all topics. */
  private boolean all;
  /** True if Kafka's internal topics are included without being named. */
  private boolean internal;
  private final CallQueue calls;
  private final WatchCall call = new WatchCall();
  /** True while the request is queued or in flight. */
  private boolean inFlight;
  /** Metadata of the last {@link #checkGone}. */
  private @Nullable ClusterSnapshot seen;
  /** Topics that were gone then. */
  private Set<String> gone = Set.of();
  /** True if the request in flight began before the last change. */
  private boolean outdated;

  TopicWatch(EventLoop loop, Cluster cluster, long ageNanos, Listener listener) {
    this.loop = loop;
    this.cluster = cluster;
    this.ageNanos = ageNanos;
    this.listener = listener;
    this.calls = new CallQueue(loop, "topics of a group", RetryBackoff.DEFAULT,
        pump -> Target.anyBroker(cluster, pump), cause -> {});
  }

  /** Watches these topics from now on, or all; requests them at once. */
  void watch(Set<String> wanted, boolean every) {
    watch(wanted, every, false);
  }

  /** Watches all topics from now on, for a filter that chooses among them. */
  void watch(TopicFilter filter) {
    watch(Set.of(), true, filter.withInternal());
  }

  /** Watches these topics from now on, or all, with or without Kafka's internal ones. */
  void watch(Set<String> wanted, boolean every, boolean withInternal) {
    names = Set.copyOf(wanted);
    all = every;
    internal = withInternal;
    outdated = inFlight;
    if (!inFlight) {
      loop.schedule(timer, loop.nowNanos());
    }
  }

  /**
   * Requests the topics at once if new metadata says that one of them is gone, as a failed fetch does. Otherwise a
   * deleted topic would leave the group only after {@code metadata.max.age.ms}. Each topic that goes causes one
   * request, or new metadata would cause one each time.
   */
  @SuppressWarnings("ReferenceEquality") // reference: each update makes another object
  void checkGone() {
    ClusterSnapshot present = cluster.snapshot();
    if (present != seen) {
      seen = present;
      Set<String> nowGone = new HashSet<>();
      names.forEach(name -> {
        if (isGone(present.topic(name))) {
          nowGone.add(name);
        }
      });
      if (!gone.containsAll(nowGone)) {
        request();
      }
      gone = nowGone;
    }
  }

  private static boolean isGone(@Nullable TopicMetadata topic) {
    return topic != null && topic.error() == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
  }

  /** Watches nothing more. */
  void stop() {
    names = Set.of();
    all = false;
    outdated = inFlight;
    loop.cancel(timer);
  }

  /** Sends nothing more. */
  void close() {
    stop();
    calls.close();
  }

  private boolean isIdle() {
    return names.isEmpty() && !all;
  }

  private void request() {
    if (!inFlight && !isIdle()) {
      inFlight = true;
      calls.submit(call);
    }
  }

  private void found(Map<String, TopicLayout> topics) {
    boolean missing = !all && !topics.keySet().containsAll(names);
    loop.schedule(timer, loop.nowNanos() + (missing ? Math.min(ageNanos, MISSING_NANOS) : ageNanos));
    listener.onTopics(topics);
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

  /** Metadata of all topics or of some, repeated until a broker has it. */
  private final class WatchCall extends RetriableCall {
    private Map<String, TopicLayout> topics = Map.of();
    private final List<String> refused = new ArrayList<>();

    WatchCall() {
      super(ApiKey.METADATA, MIN_VERSION, MAX_VERSION);
    }

    @Override
    protected boolean isWanted() {
      return !isIdle();
    }

    @Override
    public void write(ProtocolWriter out, short version) {
      outdated = false;
      List<MetadataRequest.MetadataRequestTopic> wanted = new ArrayList<>();
      names.forEach(name -> wanted.add(new MetadataRequest.MetadataRequestTopic().name(name)));
      new MetadataRequest().topics(all ? null : wanted).allowAutoTopicCreation(false).write(out, version);
    }

    @Override
    protected ErrorCode read(ProtocolReader in, short version) {
      MetadataResponse response = MetadataResponse.read(in, version);
      throttle(response.throttleTimeMs());
      if (response.errorCode() != 0) {
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION; // any other broker may know
      }
      Map<Integer, String> racks = new HashMap<>();
      for (MetadataResponse.MetadataResponseBroker broker : response.brokers()) {
        String rack = broker.rack();
        if (rack != null) {
          racks.put(broker.nodeId(), rack);
        }
      }
      topics = new HashMap<>();
      refused.clear();
      for (MetadataResponse.MetadataResponseTopic topic : response.topics()) {
        String name = topic.name();
        if (name != null && TopicName.isLegal(name) && topic.errorCode() == 0
            && (internal || !topic.isInternal() || names.contains(name))) {
          topics.put(name, layout(topic, racks));
        } else if (name != null && names.contains(name)
            && topic.errorCode() == ErrorCode.TOPIC_AUTHORIZATION_FAILED.code()) {
          refused.add(name);
        }
      }
      return ErrorCode.NONE;
    }

    @Override
    protected void done() {
      inFlight = false;
      if (outdated) {
        request();
      } else {
        refused.forEach(listener::onRefused);
        found(topics);
      }
    }

    @Override
    protected void failed(KafkaException cause) {
      inFlight = false;
      if (!isIdle()) {
        loop.schedule(timer, loop.nowNanos() + Math.min(ageNanos, MISSING_NANOS));
      }
    }

    @Override
    protected void dropped() {
      inFlight = false;
    }
  }
}
