package dev.decant.kafka.group;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.CallQueue;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.cluster.ClusterSnapshot;
import dev.decant.kafka.cluster.RetriableCall;
import dev.decant.kafka.cluster.RetryBackoff;
import dev.decant.kafka.cluster.Target;
import dev.decant.kafka.cluster.TopicMetadata;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataResponse;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Names of topics by their ids, for all members of a client. An id without metadata is requested (Metadata v12), with
 * retries, because a broker may hear of a new topic after the coordinator. One request serves all members, since each
 * response has all partitions of the topic. Owner of the loop only.
 */
final class TopicNames {
  /** A member that wants names. */
  interface Listener {
    /** Returns true if the member may have been assigned the topic; another name comes from a wrong response. */
    boolean mayRead(String topic);

    /** Called when a name is known that {@link #nameOf} did not know. */
    void onNameFound();
  }

  private static final int MIN_VERSION = 12;
  private static final int MAX_VERSION = 13;
  /**
   * Bound of the names kept for topics without metadata. Without one, each topic that ever existed would stay in
   * memory.
   */
  private static final int MOST_OTHERS = 10_000;

  private final EventLoop loop;
  private final Cluster cluster;
  private final Map<Uuid, String> names = new HashMap<>();
  /** Requested ids with the members that want their names. */
  private final Map<Uuid, Set<Listener>> wanted = new LinkedHashMap<>();
  private final CallQueue calls;
  private final NamesCall call = new NamesCall();
  private final Timer timer = new Timer(this::request);
  /** True while the request is queued or in flight. */
  private boolean inFlight;
  /** Version of the metadata whose names are known. */
  private long seenVersion = -1;

  /** Called on any thread, once per client. */
  TopicNames(EventLoop loop, Cluster cluster) {
    this.loop = loop;
    this.cluster = cluster;
    this.calls = new CallQueue(loop, "names of topics", RetryBackoff.DEFAULT,
        pump -> Target.anyBroker(cluster, pump), cause -> {});
  }

  /** Returns the name; null while it is being requested. The listener is called when it is known. */
  @Nullable
  String nameOf(Uuid id, Listener listener) {
    if (seenVersion != cluster.snapshot().version()) {
      addNames(cluster.snapshot());
    }
    String known = names.get(id);
    if (known != null && listener.mayRead(known)) {
      return known;
    }
    if (wanted.computeIfAbsent(id, key -> new LinkedHashSet<>()).add(listener)) {
      loop.schedule(timer, loop.nowNanos()); // one request has all ids of this round
    }
    return null;
  }

  /** Takes the names of new metadata, once for all members. A name that was requested by its id stays. */
  private void addNames(ClusterSnapshot snapshot) {
    seenVersion = snapshot.version();
    if (names.size() > MOST_OTHERS + snapshot.topics().size()) {
      names.clear(); // topics come and go; a name that is still wanted is requested again
    }
    for (TopicMetadata topic : snapshot.topics().values()) {
      names.putIfAbsent(topic.id(), topic.name());
    }
  }

  /** Drops the requests of a member; {@link #nameOf} begins them again. */
  void forget(Listener listener) {
    for (Iterator<Set<Listener>> all = wanted.values().iterator(); all.hasNext();) {
      Set<Listener> listeners = all.next();
      if (listeners.remove(listener) && listeners.isEmpty()) {
        all.remove();
      }
    }
    if (wanted.isEmpty()) {
      loop.cancel(timer);
    }
  }

  private void request() {
    if (!inFlight && !wanted.isEmpty()) {
      inFlight = true;
      calls.submit(call);
    }
  }

  /** Metadata by topic ids, repeated until each id has a name. */
  private final class NamesCall extends RetriableCall {
    private final Set<Uuid> requested = new HashSet<>();
    private final Map<Uuid, String> found = new HashMap<>();

    NamesCall() {
      super(ApiKey.METADATA, MIN_VERSION, MAX_VERSION);
    }

    @Override
    protected boolean isWanted() {
      return !wanted.isEmpty();
    }

    @Override
    public void write(ProtocolWriter out, short version) {
      List<MetadataRequest.MetadataRequestTopic> topics = new ArrayList<>();
      requested.clear();
      requested.addAll(wanted.keySet());
      requested.forEach(id -> topics.add(new MetadataRequest.MetadataRequestTopic().topicId(id).name(null)));
      new MetadataRequest().topics(topics).allowAutoTopicCreation(false).write(out, version);
    }

    @Override
    protected ErrorCode read(ProtocolReader in, short version) {
      MetadataResponse response = MetadataResponse.read(in, version);
      throttle(response.throttleTimeMs());
      found.clear();
      for (MetadataResponse.MetadataResponseTopic topic : response.topics()) {
        String name = topic.name();
        if (name != null && !name.isEmpty() && requested.contains(topic.topicId())) {
          found.put(topic.topicId(), name);
        }
      }
      return requested.stream().allMatch(this::satisfiesAll) ? ErrorCode.NONE : ErrorCode.UNKNOWN_TOPIC_ID;
    }

    private boolean satisfiesAll(Uuid id) {
      String name = found.get(id);
      return wanted.getOrDefault(id, Set.of()).stream().allMatch(listener -> name != null && listener.mayRead(name));
    }

    @Override
    protected void done() {
      inFlight = false;
      take();
      request(); // for ids that came meanwhile
    }

    /** Takes the names found so far. */
    @Override
    protected void paused(KafkaException cause) {
      take();
    }

    private void take() {
      Set<Listener> satisfied = new LinkedHashSet<>();
      found.forEach((id, name) -> {
        List<Listener> takers = wanted.getOrDefault(id, Set.of()).stream().filter(s -> s.mayRead(name)).toList();
        if (!takers.isEmpty()) {
          names.put(id, name);
          satisfied.addAll(takers);
          takers.forEach(taker -> satisfy(id, taker));
        }
      });
      found.clear();
      satisfied.forEach(Listener::onNameFound);
    }

    private void satisfy(Uuid id, Listener listener) {
      Set<Listener> left = wanted.get(id);
      if (left != null && left.remove(listener) && left.isEmpty()) {
        wanted.remove(id);
      }
    }

    /** Ends the request; members that still want a name call {@link #nameOf} again. */
    @Override
    protected void failed(KafkaException cause) {
      inFlight = false;
    }

    @Override
    protected void dropped() {
      inFlight = false;
    }
  }
}
