package dev.decant.kafka.consumer;

import dev.decant.buffer.BytesReader;
import dev.decant.buffer.PooledBuffer;
import dev.decant.buffer.Uuid;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.ResponseHandler;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.FetchRequest;
import dev.decant.kafka.protocol.message.FetchResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An incremental fetch session with one broker (KIP-227): the first request names every partition, later ones only
 * those
 * whose offset has moved, and those that are read no more. One request is in flight at a time. Owner of the loop only.
 */
final class FetchSession implements ResponseHandler {
  private static final int MIN_VERSION = 13;
  private static final int MAX_VERSION = 17;
  private static final int FULL_EPOCH = 0;

  private final Fetcher fetcher;
  private final FetchSettings settings;
  private final BrokerLink link;
  /** What the broker has in the session. */
  private final Map<AssignedPartition, SessionPartition> known = new LinkedHashMap<>();
  /** The same by topic id and number, as answers name it. */
  private final Map<Uuid, Map<Integer, SessionPartition>> byId = new HashMap<>();
  private final Map<Uuid, FetchRequest.ForgottenTopic> forgotten = new LinkedHashMap<>();
  private int id;
  private int epoch = FULL_EPOCH;
  /** Counts requests. */
  private int request;
  private boolean inFlight;
  /** Responses that the polling thread has not used up. */
  private int undelivered;
  private boolean backingOff;
  private long retryAtNanos;

  FetchSession(Fetcher fetcher, FetchSettings settings, BrokerLink link) {
    this.fetcher = fetcher;
    this.settings = settings;
    this.link = link;
  }

  BrokerLink link() {
    return link;
  }

  boolean mayAsk() {
    return !inFlight && undelivered < 2;
  }

  /** The next request has to wait until {@link #retryAtNanos()}. */
  boolean backsOff(long nowNanos) {
    backingOff = backingOff && retryAtNanos - nowNanos > 0;
    return backingOff;
  }

  long retryAtNanos() {
    return retryAtNanos;
  }

  void backOff(long untilNanos) {
    backingOff = true;
    retryAtNanos = untilNanos;
  }

  void goOn() {
    backingOff = false;
  }

  void delivered() {
    undelivered--;
  }

  void handedOver() {
    undelivered++;
  }

  /** Asks for the partitions, of all of which this broker has a replica that may be read. */
  void ask(List<AssignedPartition> partitions, String rack) {
    if (!link.isReady()) {
      link.ensureConnected();
      return;
    }
    short version;
    try {
      version = link.versions().choose(FetchRequest.API_KEY, MIN_VERSION, MAX_VERSION, link.name());
    } catch (KafkaException e) {
      fetcher.sessionFailed(this, e, false);
      return;
    }
    if (id == 0) {
      reset(); // there is none, or the broker had no room for one: the request names everything
    }
    request++;
    FetchRequest body = new FetchRequest().maxWaitMs(settings.maxWaitMillis()).minBytes(settings.minBytes())
        .maxBytes(settings.maxBytes()).isolationLevel(settings.isolation().wire()).sessionId(id).sessionEpoch(epoch)
        .topics(changed(partitions)).forgottenTopicsData(forgotten()).rackId(rack);
    inFlight = true;
    link.send(FetchRequest.API_KEY, version, true, body::write, this);
  }

  private List<FetchRequest.FetchTopic> changed(List<AssignedPartition> partitions) {
    Map<Uuid, FetchRequest.FetchTopic> topics = new LinkedHashMap<>();
    for (int i = 0; i < partitions.size(); i++) {
      AssignedPartition p = partitions.get(i);
      SessionPartition entry = known.get(p);
      if (entry == null) {
        entry = new SessionPartition(p);
        known.put(p, entry);
      }
      entry.seeks = p.fetchSeeks;
      entry.request = request;
      if (entry.hasMoved()) {
        put(entry);
        topics.computeIfAbsent(p.topicId, uuid -> new FetchRequest.FetchTopic().topicId(uuid)
            .partitions(new ArrayList<>())).partitions().add(asked(p));
      }
    }
    return new ArrayList<>(topics.values());
  }

  private FetchRequest.FetchPartition asked(AssignedPartition p) {
    return new FetchRequest.FetchPartition().partition(p.partition).currentLeaderEpoch(p.leaderEpoch)
        .fetchOffset(p.fetchOffset).lastFetchedEpoch(p.sentEpoch()).logStartOffset(-1)
        .partitionMaxBytes(settings.maxPartitionBytes());
  }

  /** Makes an entry what the broker will have, under the id that its topic has now. */
  private void put(SessionPartition entry) {
    if (!entry.topicId.equals(entry.partition.topicId)) {
      forget(entry);
    }
    entry.sent();
    byId.computeIfAbsent(entry.topicId, _ -> new HashMap<>()).put(entry.partition.partition, entry);
  }

  private void forget(SessionPartition entry) {
    Map<Integer, SessionPartition> topic = byId.get(entry.topicId);
    if (topic != null && topic.remove(entry.partition.partition, entry)) { // else it went and came back
      forgotten.computeIfAbsent(entry.topicId,
          uuid -> new FetchRequest.ForgottenTopic().topicId(uuid).partitions(new ArrayList<>())).partitions()
          .add(entry.partition.partition);
    }
  }

  private List<FetchRequest.ForgottenTopic> forgotten() {
    for (Iterator<SessionPartition> i = known.values().iterator(); i.hasNext();) {
      SessionPartition entry = i.next();
      if (entry.request != request) {
        i.remove();
        forget(entry);
      }
    }
    List<FetchRequest.ForgottenTopic> topics = epoch == FULL_EPOCH ? List.of() : new ArrayList<>(forgotten.values());
    forgotten.clear();
    return topics;
  }

  /** A partition of an answer; null if the last request did not ask for it. */
  @Nullable
  SessionPartition asked(Uuid topicId, int partition) {
    Map<Integer, SessionPartition> topic = byId.get(topicId);
    SessionPartition entry = topic == null ? null : topic.get(partition);
    return entry == null || entry.request != request ? null : entry;
  }

  private void reset() {
    id = 0;
    epoch = FULL_EPOCH;
    known.clear();
    byId.clear();
  }

  @Override
  public void onResponse(BytesReader in, short version, @Nullable PooledBuffer lease) {
    inFlight = false;
    FetchBody body = FetchBody.keep(in, lease, fetcher.memory());
    FetchResponse response;
    try {
      response = FetchResponse.read(body.reader(), version);
    } catch (RuntimeException e) {
      body.release(); // the link fails the request and ends the connection
      throw e;
    }
    link.throttle(response.throttleTimeMs());
    if (response.errorCode() != 0) {
      body.release();
      onError(ErrorCode.of(response.errorCode()));
      return;
    }
    id = response.sessionId();
    epoch = epoch == Integer.MAX_VALUE ? 1 : epoch + 1;
    fetcher.onFetched(this, response, body);
  }

  private void onError(ErrorCode code) {
    boolean lost = code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND || code == ErrorCode.INVALID_FETCH_SESSION_EPOCH;
    boolean wasFull = epoch == FULL_EPOCH;
    reset();
    if (lost && !wasFull) {
      fetcher.sessionLost();
    } else {
      fetcher.sessionFailed(this, new KafkaException(code, "fetch: broker " + link.name() + " answered " + code),
          lost || code.isRetriable());
    }
  }

  @Override
  public void onFailure(KafkaException cause) {
    inFlight = false;
    reset();
    fetcher.sessionFailed(this, cause, true);
  }
}
