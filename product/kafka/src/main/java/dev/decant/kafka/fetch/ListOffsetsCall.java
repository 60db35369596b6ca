package dev.decant.kafka.fetch;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.TopicException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.Call;
import dev.decant.kafka.cluster.TopicMetadata;
import dev.decant.kafka.cluster.TopicUser;
import dev.decant.kafka.cluster.Waiting;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.message.ListOffsetsRequest;
import dev.decant.kafka.protocol.message.ListOffsetsResponse;
import dev.decant.kafka.telemetry.LastError;
import dev.decant.loop.Timer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Looks up offsets of any partitions (ListOffsets), with one request per leader, until all leaders have responded. One
 * thread waits; everything else runs on the owner of the loop.
 */
public final class ListOffsetsCall {
  private static final int MAX_VERSION = 10;
  private static final int CONSUMER = -1;
  private static final long RETRY_NANOS = 100_000_000L;

  /**
   * A record that was found.
   *
   * @param offset of the record, or of the end
   * @param timestamp of the record, in epoch milliseconds
   * @param leaderEpoch of the leader that appended it; -1 if not known
   */
  public record Found(long offset, long timestamp, int leaderEpoch) {}

  private final ClientInternals client;
  private final byte isolation;
  /** Timestamps of the partitions without a response. */
  private final Map<TopicPartition, Long> open;
  /** Partitions whose request has no response yet. */
  private final Set<TopicPartition> inFlight = new HashSet<>();
  private final Map<TopicPartition, Found> found = new LinkedHashMap<>();
  private final Runnable step = this::step;
  private final TopicUser topicUser = topics -> open().forEach(p -> topics.add(p.topic()));
  private final Timer timer = new Timer(step);
  /** Deadline of the caller. Set by the owner of the loop. */
  private long untilNanos;
  /** Last error that was retried, for the exception of a timeout. */
  private @Nullable KafkaException last;
  /** Error that retries do not cure. Written by the owner of the loop before {@link #done}. */
  private @Nullable KafkaException error;
  /** Written by the owner of the loop, read by the waiting thread. */
  private volatile boolean done;

  /**
   * Creates a call without sending it.
   *
   * @param readsCommitted whether the end of a log is that of committed records
   * @param timestamps special timestamps of ListOffsets, or epoch milliseconds
   */
  public ListOffsetsCall(ClientInternals client, boolean readsCommitted, Map<TopicPartition, Long> timestamps) {
    this.client = client;
    this.isolation = FetchSettings.isolation(readsCommitted);
    this.open = new LinkedHashMap<>(timestamps);
  }

  /**
   * Sends the requests, and waits for all responses. Any thread but the owner of the loop.
   *
   * @throws KafkaException if a broker refuses the request, or does not respond in time
   */
  public Map<TopicPartition, Found> await(long deadlineNanos) throws InterruptedException {
    return await(client.cluster().waiters(), deadlineNanos);
  }

  /**
   * Sends the requests, and waits in a way that may end by an exception.
   *
   * @param how waits
   */
  public Map<TopicPartition, Found> await(Waiting how, long deadlineNanos) throws InterruptedException {
    if (client.loop().isOwner()) {
      throw new IllegalStateException("a listener of the client's loop cannot wait for what that loop does");
    }
    client.loop().execute(() -> {
      untilNanos = deadlineNanos;
      client.cluster().onChange(step);
      client.cluster().addTopicUser(topicUser);
      step();
    });
    try {
      how.await(() -> done, deadlineNanos);
    } finally {
      client.runOnLoop(this::end);
    }
    KafkaException failed = error;
    if (failed != null) {
      throw failed;
    }
    if (!open.isEmpty()) {
      throw new KafkaTimeoutException("offsets of " + open.keySet() + " did not come in time; " + LastError.words(last),
          last);
    }
    return found;
  }

  private void end() {
    done = true;
    client.cluster().removeOnChange(step);
    client.cluster().removeTopicUser(topicUser);
    client.loop().cancel(timer);
  }

  private Set<TopicPartition> open() {
    return open.keySet();
  }

  private void step() {
    if (done) {
      return;
    }
    if (open.isEmpty()) {
      done = true;
      client.cluster().waiters().signalAll();
      return;
    }
    Map<BrokerLink, List<TopicPartition>> byLeader = new HashMap<>();
    for (TopicPartition p : open.keySet()) {
      BrokerLink link = inFlight.contains(p) ? null : leader(p);
      if (link != null) {
        byLeader.computeIfAbsent(link, key -> new ArrayList<>()).add(p);
      }
    }
    byLeader.forEach(this::send);
    if (inFlight.isEmpty()) {
      client.loop().schedule(timer, client.loop().nowNanos() + RETRY_NANOS);
    }
  }

  /** Returns a leader that is connected; null if there is none now. */
  private @Nullable BrokerLink leader(TopicPartition p) {
    TopicMetadata topic = client.cluster().snapshot().topic(p.topic());
    if (topic == null) {
      client.cluster().requestTopicFor(p.topic(), untilNanos);
      return null;
    }
    if (topic.error() != ErrorCode.NONE) {
      client.cluster().requestTopicFor(p.topic(), untilNanos);
      refused(topic.error(), p, "metadata of topic " + topic.name() + ": " + topic.error());
      return null;
    }
    BrokerLink link = client.cluster().link(topic.leader(p.partition()));
    if (link == null) {
      client.cluster().requestTopicFor(p.topic(), untilNanos);
      return null;
    }
    if (!link.isReady()) {
      link.ensureConnected();
      return null;
    }
    return link;
  }

  /** Retries after a retriable error, ends the call after any other. */
  private void refused(ErrorCode code, TopicPartition p, String message) {
    last = TopicException.of(code, p.topic(), message);
    client.cluster().requestUpdate(p.topic());
    if (!code.isRetriable()) {
      fail(last);
    }
  }

  private void fail(KafkaException cause) {
    error = cause;
    done = true;
    client.cluster().waiters().signalAll();
  }

  private void send(BrokerLink link, List<TopicPartition> partitions) {
    Map<String, ListOffsetsRequest.ListOffsetsTopic> topics = new LinkedHashMap<>();
    for (TopicPartition p : partitions) {
      inFlight.add(p);
      topics.computeIfAbsent(p.topic(), name -> new ListOffsetsRequest.ListOffsetsTopic().name(name)
          .partitions(new ArrayList<>())).partitions().add(new ListOffsetsRequest.ListOffsetsPartition()
              .partitionIndex(p.partition()).currentLeaderEpoch(-1).timestamp(open.getOrDefault(p, 0L)));
    }
    ListOffsetsRequest request = new ListOffsetsRequest().replicaId(CONSUMER).isolationLevel(isolation)
        .topics(new ArrayList<>(topics.values())).timeoutMs(client.requestTimeoutMillis());
    link.send(new LeaderCall(request, partitions));
  }

  /** The request to one leader. */
  private final class LeaderCall extends Call {
    private final ListOffsetsRequest request;
    private final List<TopicPartition> requested;

    LeaderCall(ListOffsetsRequest request, List<TopicPartition> requested) {
      super(ApiKey.LIST_OFFSETS, FetchSettings.leastListOffsetsVersion(request.isolationLevel()), MAX_VERSION);
      this.request = request;
      this.requested = requested;
    }

    @Override
    public void write(ProtocolWriter out, short version) {
      request.write(out, version);
    }

    @Override
    protected void onResponse(ProtocolReader in, short version, @Nullable PooledBuffer lease) {
      ListOffsetsResponse response = ListOffsetsResponse.read(in, version);
      requested.forEach(inFlight::remove);
      boolean complete = true;
      for (ListOffsetsResponse.ListOffsetsTopicResponse topic : response.topics()) {
        for (ListOffsetsResponse.ListOffsetsPartitionResponse p : topic.partitions()) {
          complete &= take(new TopicPartition(topic.name(), Math.max(0, p.partitionIndex())), p);
        }
      }
      if (complete && Collections.disjoint(requested, open.keySet())) {
        step();
      } else {
        last = complete ? notNamed() : last;
        client.loop().schedule(timer, client.loop().nowNanos() + RETRY_NANOS);
      }
    }

    private KafkaException notNamed() {
      return new KafkaException(ErrorCode.UNKNOWN_SERVER_ERROR,
          "offsets of " + requested + ": broker " + brokerName() + " did not name all of them in its response");
    }

    private boolean take(TopicPartition partition, ListOffsetsResponse.ListOffsetsPartitionResponse response) {
      ErrorCode code = ErrorCode.of(response.errorCode());
      if (done || !requested.contains(partition)) {
        return true; // not requested, or too late
      }
      if (code != ErrorCode.NONE) {
        refused(code, partition, "offset of " + partition + ": broker " + brokerName() + " answered " + code);
        return false;
      }
      open.remove(partition);
      if (response.offset() >= 0) { // else all records are older
        found.put(partition, new Found(response.offset(), response.timestamp(), response.leaderEpoch()));
      }
      return true;
    }

    @Override
    protected void onUnsupported(KafkaException cause) {
      requested.forEach(inFlight::remove);
      fail(cause);
    }

    @Override
    protected void onFailure(KafkaException cause) {
      requested.forEach(inFlight::remove);
      last = cause;
      client.cluster().requestUpdate();
      client.loop().schedule(timer, client.loop().nowNanos() + RETRY_NANOS);
    }
  }
}
