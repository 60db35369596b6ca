package dev.decant.kafka.group;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.cluster.ClusterSnapshot;
import dev.decant.kafka.cluster.ResponseHandler;
import dev.decant.kafka.cluster.TopicMetadata;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataResponse;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import java.util.ArrayList;
import java.util.HashMap;
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
final class TopicNames implements ResponseHandler {
  private static final int MIN_VERSION = 12;
  private static final int MAX_VERSION = 13;
  private static final long RETRY_NANOS = 200_000_000L;

  private final EventLoop loop;
  private final Cluster cluster;
  private final Runnable onFound;
  /** Which names may be meant: others are those of a wrong answer, and are asked for again. */
  private final Predicate<String> plausible;
  private final Map<Uuid, String> names = new HashMap<>();
  private final Set<Uuid> wanted = new LinkedHashSet<>();
  private final Timer timer = new Timer(this::ask);
  private boolean inFlight;
  /** The snapshot whose names are known. */
  private long seenVersion = -1;

  TopicNames(EventLoop loop, Cluster cluster, Predicate<String> plausible, Runnable onFound) {
    this.plausible = plausible;
    this.loop = loop;
    this.cluster = cluster;
    this.onFound = onFound;
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
    if (wanted.add(id) && !inFlight) {
      loop.schedule(timer, loop.nowNanos());
    }
    return null;
  }

  /** Once for each snapshot, however many ids are looked for in it. */
  private void learn(ClusterSnapshot snapshot) {
    seenVersion = snapshot.version();
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

  private void ask() {
    if (inFlight || wanted.isEmpty()) {
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
    wanted.forEach(id -> topics.add(new MetadataRequest.MetadataRequestTopic().topicId(id).name(null)));
    MetadataRequest request = new MetadataRequest().topics(topics).allowAutoTopicCreation(false);
    inFlight = true;
    link.send(MetadataRequest.API_KEY, version, true, request::write, this);
  }

  @Override
  public void onResponse(ProtocolReader in, short version, @Nullable PooledBuffer lease) {
    MetadataResponse response = MetadataResponse.read(in, version);
    inFlight = false;
    boolean found = false;
    for (MetadataResponse.MetadataResponseTopic topic : response.topics()) {
      String name = topic.name();
      if (name != null && !name.isEmpty() && plausible.test(name) && wanted.remove(topic.topicId())) {
        names.put(topic.topicId(), name);
        found = true;
      }
    }
    if (!wanted.isEmpty()) {
      loop.schedule(timer, loop.nowNanos() + RETRY_NANOS);
    }
    if (found) {
      onFound.run();
    }
  }

  @Override
  public void onFailure(KafkaException cause) {
    inFlight = false;
    loop.schedule(timer, loop.nowNanos() + RETRY_NANOS);
  }
}
