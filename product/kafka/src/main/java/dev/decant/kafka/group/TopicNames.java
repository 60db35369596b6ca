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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Names of topics by their ids. What the cluster's metadata does not have is asked for by id (Metadata v12), again and
 * again: a broker may hear of a new topic after the coordinator. Owner of the loop only.
 */
final class TopicNames {
  private static final int MIN_VERSION = 12;
  private static final int MAX_VERSION = 13;
  /** How many names are remembered of topics that the cluster's metadata does not have. */
  private static final int MOST_OTHERS = 10_000;

  private final EventLoop loop;
  private final Cluster cluster;
  private final Runnable onFound;
  /** Which names may be meant: others are those of a wrong response, and are asked for again. */
  private final Predicate<String> plausible;
  private final Map<Uuid, String> names = new HashMap<>();
  private final Set<Uuid> wanted = new LinkedHashSet<>();
  private final CallQueue calls;
  private final NamesCall call = new NamesCall();
  private final Timer timer = new Timer(this::ask);
  private boolean asking;
  /** The snapshot whose names are known. */
  private long seenVersion = -1;

  TopicNames(EventLoop loop, Cluster cluster, Predicate<String> plausible, Runnable onFound) {
    this.plausible = plausible;
    this.loop = loop;
    this.cluster = cluster;
    this.onFound = onFound;
    this.calls = new CallQueue(loop, "names of topics", RetryBackoff.DEFAULT,
        pump -> Target.anyBroker(cluster, pump), cause -> {});
  }

  /** The name; null while it is being asked for. */
  @Nullable
  String nameOf(Uuid id) {
    if (seenVersion != cluster.snapshot().version()) {
      learn(cluster.snapshot());
    }
    String known = names.get(id);
    if (known != null) {
      return known;
    }
    if (wanted.add(id)) {
      loop.schedule(timer, loop.nowNanos()); // with all that are wanted in this round
    }
    return null;
  }

  /** Once for each snapshot, however many ids are looked for in it. */
  private void learn(ClusterSnapshot snapshot) {
    seenVersion = snapshot.version();
    if (names.size() > MOST_OTHERS + snapshot.topics().size()) {
      names.clear(); // topics come and go; what is still wanted is asked for again
    }
    for (TopicMetadata topic : snapshot.topics().values()) {
      if (plausible.test(topic.name())) {
        names.put(topic.id(), topic.name());
      }
    }
  }

  /** Asks no more for what is not found yet; who still wants it asks again. */
  void forgetWanted() {
    wanted.clear();
    loop.cancel(timer);
  }

  /** Asks for nothing any more. */
  void close() {
    forgetWanted();
    calls.close();
  }

  private void ask() {
    if (!asking && !wanted.isEmpty()) {
      asking = true;
      calls.submit(call);
    }
  }

  /** Metadata of topics by their ids, repeated until each has a name. */
  private final class NamesCall extends RetriableCall {
    private final Set<Uuid> asked = new HashSet<>();
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
      asked.clear();
      asked.addAll(wanted);
      asked.forEach(id -> topics.add(new MetadataRequest.MetadataRequestTopic().topicId(id).name(null)));
      new MetadataRequest().topics(topics).allowAutoTopicCreation(false).write(out, version);
    }

    @Override
    protected ErrorCode read(ProtocolReader in, short version) {
      MetadataResponse response = MetadataResponse.read(in, version);
      throttle(response.throttleTimeMs());
      found.clear();
      for (MetadataResponse.MetadataResponseTopic topic : response.topics()) {
        String name = topic.name();
        if (name != null && !name.isEmpty() && plausible.test(name) && asked.contains(topic.topicId())) {
          found.put(topic.topicId(), name);
        }
      }
      return found.keySet().containsAll(asked) ? ErrorCode.NONE : ErrorCode.UNKNOWN_TOPIC_ID;
    }

    @Override
    protected void done() {
      asking = false;
      take();
      ask(); // for those that came meanwhile
    }

    /** Some may have been found. */
    @Override
    protected void paused(KafkaException cause) {
      take();
    }

    private void take() {
      if (found.isEmpty()) {
        return;
      }
      names.putAll(found);
      wanted.removeAll(found.keySet());
      found.clear();
      onFound.run();
    }

    /** Whoever still wants a name asks again. */
    @Override
    protected void failed(KafkaException cause) {
      asking = false;
    }

    @Override
    protected void dropped() {
      asking = false;
    }
  }
}
