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
  /** What the broker has in the session: partition and offset as last sent. */
  private final Map<AssignedPartition, Long> known = new LinkedHashMap<>();
  /** What the request in flight asked for, by topic id and number. */
  private final Map<Uuid, Map<Integer, AskedPartition>> asked = new HashMap<>();
  private int id;
  private int epoch = FULL_EPOCH;
  private boolean inFlight;
  /** Responses that the polling thread has not used up. */
  private int undelivered;

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

  void delivered() {
    undelivered--;
  }

  void handedOver() {
    undelivered++;
  }

  /** Asks for the partitions, all of which this broker leads. */
  void ask(List<AssignedPartition> partitions) {
    if (!link.isReady()) {
      link.ensureConnected();
      return;
    }
    short version;
    try {
      version = link.versions().choose(FetchRequest.API_KEY, MIN_VERSION, MAX_VERSION, link.name());
    } catch (KafkaException e) {
      fetcher.sessionFailed(link, e, false);
      return;
    }
    FetchRequest request = new FetchRequest().maxWaitMs(settings.maxWaitMillis()).minBytes(settings.minBytes())
        .maxBytes(settings.maxBytes()).isolationLevel(settings.isolation().wire()).sessionId(id).sessionEpoch(epoch)
        .topics(changed(partitions)).forgottenTopicsData(forgotten(partitions)).rackId("");
    inFlight = true;
    link.send(FetchRequest.API_KEY, version, true, request::write, this);
  }

  private List<FetchRequest.FetchTopic> changed(List<AssignedPartition> partitions) {
    Map<Uuid, FetchRequest.FetchTopic> topics = new LinkedHashMap<>();
    asked.clear();
    for (AssignedPartition p : partitions) {
      asked.computeIfAbsent(p.topicId, _ -> new HashMap<>()).put(p.partition,
          new AskedPartition(p, p.fetchSeeks, p.fetchOffset));
      Long sent = known.get(p);
      if (sent != null && sent == p.fetchOffset) {
        continue;
      }
      known.put(p, p.fetchOffset);
      FetchRequest.FetchTopic topic = topics.computeIfAbsent(p.topicId,
          uuid -> new FetchRequest.FetchTopic().topicId(uuid).partitions(new ArrayList<>()));
      topic.partitions().add(new FetchRequest.FetchPartition().partition(p.partition).currentLeaderEpoch(-1)
          .fetchOffset(p.fetchOffset).lastFetchedEpoch(-1).logStartOffset(-1)
          .partitionMaxBytes(settings.maxPartitionBytes()));
    }
    return new ArrayList<>(topics.values());
  }

  private List<FetchRequest.ForgottenTopic> forgotten(List<AssignedPartition> partitions) {
    Map<Uuid, FetchRequest.ForgottenTopic> topics = new LinkedHashMap<>();
    for (Iterator<AssignedPartition> i = known.keySet().iterator(); i.hasNext();) {
      AssignedPartition p = i.next();
      if (!partitions.contains(p)) {
        i.remove();
        if (!asked.getOrDefault(p.topicId, Map.of()).containsKey(p.partition)) { // else it went and came back
          topics.computeIfAbsent(p.topicId,
              uuid -> new FetchRequest.ForgottenTopic().topicId(uuid).partitions(new ArrayList<>())).partitions()
              .add(p.partition);
        }
      }
    }
    return epoch == FULL_EPOCH ? List.of() : new ArrayList<>(topics.values());
  }

  private void reset() {
    id = 0;
    epoch = FULL_EPOCH;
    known.clear();
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
    if (id == 0) {
      reset(); // the broker has no room for a session: every request names everything
    } else {
      epoch = epoch == Integer.MAX_VALUE ? 1 : epoch + 1;
    }
    fetcher.onFetched(this, response, asked, body);
  }

  private void onError(ErrorCode code) {
    boolean lost = code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND || code == ErrorCode.INVALID_FETCH_SESSION_EPOCH;
    boolean wasFull = epoch == FULL_EPOCH;
    reset();
    if (lost && !wasFull) {
      fetcher.sessionLost();
    } else {
      fetcher.sessionFailed(link, new KafkaException(code, "fetch: broker " + link.name() + " answered " + code),
          lost || code.isRetriable());
    }
  }

  @Override
  public void onFailure(KafkaException cause) {
    inFlight = false;
    reset();
    fetcher.sessionFailed(link, cause, true);
  }
}
