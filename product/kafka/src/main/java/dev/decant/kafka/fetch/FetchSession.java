package dev.decant.kafka.fetch;

import dev.decant.buffer.BufferPool;
import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.Call;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.FetchRequest;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An incremental fetch session with one broker (KIP-227). The first request names every partition. Later ones name only
 * partitions whose offset has moved, and those that are no longer read. Below Fetch v7 there are no sessions, and each
 * request names every partition. One request is in flight at a time. Owner of the loop only.
 */
final class FetchSession extends Call {
  private static final int MIN_VERSION = 4;
  private static final int MAX_VERSION = 17;
  private static final int FIRST_WITH_FETCHED_EPOCH = 12;
  private static final int FIRST_WITH_IDS = FetchResponseReader.FIRST_WITH_IDS;
  private static final int FULL_EPOCH = 0;
  private static final int LEAST_ROOM_BYTES = 64 * 1024;

  private final Fetcher fetcher;
  private final FetchSettings settings;
  private final BrokerLink link;
  /** Partitions that the broker has in the session. */
  private final Map<PartitionFetchState, SessionPartition> known = new LinkedHashMap<>();
  /** The same partitions by topic id or name key, as responses name them. */
  private final SessionTopics topics = new SessionTopics();
  /** Partitions that the next request removes from the session, by topic id or name key. */
  private final Map<Uuid, FetchRequest.ForgottenTopic> forgotten = new LinkedHashMap<>();

  // One request is in flight at a time, and two buffers are enough for the polling thread: all of these are used again.
  private final FetchRequest message;
  private final List<FetchRequest.FetchTopic> requested = new ArrayList<>();
  private final FetchResponseReader response = new FetchResponseReader();
  private final FetchBuffer[] buffers;

  /** Partitions with records in the last response. */
  private final List<SessionPartition> moved = new ArrayList<>();
  /** True if the next request has to consider all partitions, not only those that have moved. */
  private boolean namesAll = true;
  /**
   * True if the session has names of topics in place of ids. Then the broker knows no ids (below Fetch v13), or the
   * client lacks one.
   */
  private boolean byName;
  /** Id that the broker has given to the session; 0 for none. */
  private int id;
  /** Number of the next request within the session; 0 for one that names every partition. */
  private int epoch = FULL_EPOCH;
  /** Number of requests. */
  private int request;
  /** True until {@link #retryAtNanos}, unless new metadata or a connection ends the back-off before. */
  private boolean backingOff;
  private long retryAtNanos;
  /** True if the last response was larger than all memory: the next request then asks for few records. */
  private boolean wasOversized;

  FetchSession(Fetcher fetcher, FetchSettings settings, BrokerLink link) {
    super(ApiKey.FETCH, MIN_VERSION, MAX_VERSION);
    this.fetcher = fetcher;
    this.settings = settings;
    this.link = link;
    this.message = new FetchRequest().maxWaitMs(settings.maxWaitMillis()).minBytes(settings.minBytes())
        .isolationLevel(settings.isolation()).topics(requested);
    this.buffers = new FetchBuffer[] {new FetchBuffer(fetcher, link.name()),
        new FetchBuffer(fetcher, link.name())};
  }

  BrokerLink link() {
    return link;
  }

  boolean maySend() {
    return !isInFlight() && freeBuffer() != null;
  }

  private @Nullable FetchBuffer freeBuffer() {
    for (FetchBuffer buffer : buffers) {
      if (!buffer.isHandedOver()) {
        return buffer;
      }
    }
    return null;
  }

  /** Returns true until {@link #retryAtNanos()}. */
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

  void resume() {
    backingOff = false;
  }

  /** Fetches the partitions, each of which has a readable replica on this broker. */
  void fetch(List<PartitionFetchState> partitions, String rack) {
    if (!link.isReady()) {
      link.ensureConnected();
      return;
    }
    if (id == 0) {
      reset(); // there is no session, or the broker had no room for one: the request names every partition
    }
    if (namesAll && namesTopics(partitions) != byName) {
      byName = !byName;
      reset();
    }
    request++;
    requested.clear();
    if (namesAll) {
      addAll(partitions);
    } else {
      addMoved();
    }
    moved.clear();
    message.maxWaitMs(fetcher.maxWaitMillis()).sessionId(id).sessionEpoch(epoch)
        .forgottenTopicsData(forgotten(partitions.size())).rackId(rack)
        .maxBytes(Math.min(settings.maxBytes(), room()));
    link.send(this);
  }

  private boolean namesTopics(List<PartitionFetchState> partitions) {
    if (!link.versions().offers(ApiKey.FETCH, FIRST_WITH_IDS)) {
      return true;
    }
    for (int i = 0; i < partitions.size(); i++) {
      if (partitions.get(i).topicId.equals(Uuid.ZERO)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns how many bytes of records to ask for. The response needs a lease of a power of two, which takes half of the
   * free memory, so that a second response finds room. A sixteenth of the lease is left for the rest of the response.
   * While another connection waits for much memory, the request asks for so little that it needs none of the pool. With
   * {@code fetch.max.bytes} alone, a client with less memory than that would request the same response for ever.
   */
  private int room() {
    BufferPool memory = fetcher.memory();
    long half = Long.highestOneBit((memory.limit() - memory.leasedBytes()) / 2);
    long lease = wasOversized || memory.isMemoryAwaited()
        ? LEAST_ROOM_BYTES
        : Math.clamp(half, LEAST_ROOM_BYTES, memory.largestLeaseBytes());
    return (int) (lease - lease / 16);
  }

  /** Considers all partitions in the next request, since some may have come, gone or changed. */
  void rerouted() {
    namesAll = true;
  }

  /** Notes that a response had records of a partition. */
  void moved(SessionPartition entry) {
    moved.add(entry);
  }

  private void addMoved() {
    fetcher.countVisits(moved.size());
    for (int i = 0; i < moved.size(); i++) {
      SessionPartition entry = moved.get(i);
      if (entry.hasMoved()) {
        put(entry);
      }
    }
  }

  private void addAll(List<PartitionFetchState> partitions) {
    namesAll = false;
    fetcher.countVisits(partitions.size());
    for (int i = 0; i < partitions.size(); i++) {
      PartitionFetchState p = partitions.get(i);
      SessionPartition entry = known.get(p);
      if (entry == null) {
        entry = new SessionPartition(p);
        known.put(p, entry);
      }
      entry.seeks = p.seeks;
      entry.request = request;
      if (entry.hasMoved()) {
        put(entry);
      }
    }
  }

  /** Adds an entry to the request, under the id that its topic has now, or under its name. */
  private void put(SessionPartition entry) {
    Uuid key = byName ? entry.nameKey() : entry.partition.topicId;
    if (!entry.key.equals(key)) {
      forget(entry);
      entry.key = key;
    }
    SessionTopic topic = topics.find(key.mostSignificantBits(), key.leastSignificantBits());
    if (topic == null) {
      topic = new SessionTopic(key, entry.partition.topic);
      topics.add(topic);
    }
    if (topic.request != request) {
      topic.request = request;
      topic.requested.partitions().clear();
      requested.add(topic.requested);
    }
    topic.requested.partitions().add(entry.sent(settings.maxPartitionBytes()));
    topic.put(entry);
  }

  private void forget(SessionPartition entry) {
    SessionTopic topic = topics.find(entry.key.mostSignificantBits(), entry.key.leastSignificantBits());
    if (topic == null || !topic.remove(entry)) {
      // The partition was revoked and assigned again between two requests, as another entry. Forgetting it here would
      // remove that one in the same request that adds it, and it would never be fetched again.
      return;
    }
    forgotten.computeIfAbsent(entry.key, uuid -> new FetchRequest.ForgottenTopic().topicId(uuid)
        .topic(entry.partition.topic).partitions(new ArrayList<>())).partitions().add(entry.partition.partition);
    if (topic.isEmpty()) {
      topics.remove(topic);
    }
  }

  private List<FetchRequest.ForgottenTopic> forgotten(int count) {
    if (known.size() != count) {
      forgetOthers();
    }
    if (forgotten.isEmpty()) {
      return List.of();
    }
    List<FetchRequest.ForgottenTopic> named = epoch == FULL_EPOCH ? List.of() : new ArrayList<>(forgotten.values());
    forgotten.clear();
    return named;
  }

  private void forgetOthers() {
    for (Iterator<SessionPartition> i = known.values().iterator(); i.hasNext();) {
      SessionPartition entry = i.next();
      if (entry.request != request) {
        i.remove();
        forget(entry);
      }
    }
  }

  /** Returns the partition that the reader is at; null if the last request did not name it. */
  @Nullable
  SessionPartition requested(FetchResponseReader at) {
    SessionTopic topic = topics.find(at.topicIdHigh(), at.topicIdLow());
    return topic == null ? null : topic.get(at.partition());
  }

  private void reset() {
    id = 0;
    epoch = FULL_EPOCH;
    namesAll = true;
    known.clear();
    topics.clear();
    forgotten.clear();
  }

  @Override
  protected int lowestVersion() {
    return byName ? MIN_VERSION : FIRST_WITH_IDS;
  }

  @Override
  protected int highestVersion() {
    return byName ? FIRST_WITH_IDS - 1 : MAX_VERSION;
  }

  @Override
  public void write(ProtocolWriter out, short version) {
    if (version < FIRST_WITH_FETCHED_EPOCH) {
      requested.forEach(topic -> topic.partitions().forEach(p -> p.lastFetchedEpoch(PartitionFetchState.NO_EPOCH)));
    }
    message.write(out, version);
  }

  @Override
  protected void onResponse(ProtocolReader in, short version, @Nullable PooledBuffer lease) {
    FetchBuffer buffer = freeBuffer();
    if (buffer == null) {
      throw new IllegalStateException("a fetch was sent while nobody could take its response");
    }
    int bytes = in.remaining();
    try {
      response.wrap(buffer.keep(in, lease, fetcher.memory()), version);
    } catch (Throwable e) { // there may be no memory for it
      buffer.releaseMemory(); // the link then fails the request and ends the connection
      throw e;
    }
    throttle(response.throttleMillis());
    if (response.topLevelError() != 0) {
      buffer.releaseMemory();
      onError(ErrorCode.of(response.topLevelError()));
      return;
    }
    wasOversized = false;
    continueSession();
    fetcher.onFetched(this, response, buffer, bytes);
  }

  private void continueSession() {
    id = response.sessionId();
    epoch = epoch == Integer.MAX_VALUE ? 1 : epoch + 1;
  }

  @Override
  protected boolean takesOversizedResponse() {
    return true;
  }

  /**
   * Handles a response that did not fit. There are three causes. Its first batch may be larger than the request's
   * bound, and brokers send it nevertheless. It may name more partitions than there is memory for; the next response of
   * the session names only changes. Or records that the application does not poll hold the memory.
   */
  @Override
  protected void onOversizedResponse(ProtocolReader in, short version, long bytes) {
    boolean isCutInRecords = response.findCut(in, version);
    throttle(response.throttleMillis());
    if (response.topLevelError() != 0) {
      onError(ErrorCode.of(response.topLevelError()));
      return;
    }
    continueSession();
    boolean isSecond = wasOversized;
    wasOversized = true;
    SessionPartition cut = isCutInRecords ? requested(response) : null;
    if (bytes <= fetcher.memory().maxBytes()) {
      fetcher.onMemoryExhausted(this, cut, bytes);
      return;
    }
    OversizedBatch batch = OversizedBatch.of(response, bytes);
    if (cut != null && (isSecond || batch.bytes() > fetcher.memory().maxBytes() - LEAST_ROOM_BYTES)) {
      wasOversized = false;
      fetcher.oversized(this, cut, batch);
    } else if (isSecond || id == 0) {
      fetcher.sessionFailed(this, new KafkaException(ErrorCode.MESSAGE_TOO_LARGE, "fetch: broker " + link.name()
          + " answered with " + bytes + " bytes about " + known.size() + " partitions; the client's fetch memory"
          + " (decant.fetch.memory.bytes) of " + fetcher.memory().maxBytes() + " bytes has no room for that: raise it"),
          false);
    } else {
      fetcher.fetchAgain();
    }
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
  protected void onFailure(KafkaException cause) {
    reset();
    fetcher.sessionFailed(this, cause, true);
  }

  @Override
  protected void onUnsupported(KafkaException cause) {
    reset();
    fetcher.sessionFailed(this, cause, false);
  }
}
