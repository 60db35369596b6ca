package dev.decant.kafka.fetch;

import dev.decant.kafka.Broker;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.PartitionInfo;
import dev.decant.kafka.TopicException;
import dev.decant.kafka.cluster.CallQueue;
import dev.decant.kafka.cluster.RetriableCall;
import dev.decant.kafka.cluster.RetryBackoff;
import dev.decant.kafka.cluster.Target;
import dev.decant.kafka.cluster.TopicName;
import dev.decant.kafka.cluster.Waiting;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataResponse;
import dev.decant.kafka.telemetry.LastError;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Requests all topics, or one of them, from any broker (Metadata). One thread waits; everything else runs on the owner
 * of the loop.
 */
public final class TopicListing {
  private static final int MIN_VERSION = 4;
  private static final int MAX_VERSION = 13;

  private final ClientInternals client;
  private final @Nullable String topic;
  private final CallQueue calls;

  // Written by the owner of the loop before done.
  private Map<String, List<PartitionInfo>> found = Map.of();
  private @Nullable KafkaException error;
  /** Read by the waiting thread. */
  private volatile boolean done;
  /** True once the waiting thread has stopped waiting. */
  private volatile boolean unwanted;

  private TopicListing(ClientInternals client, @Nullable String topic) {
    this.client = client;
    this.topic = topic;
    this.calls = new CallQueue(client.loop(), "a listing of topics", RetryBackoff.DEFAULT,
        pump -> Target.anyBroker(client.cluster(), pump), cause -> {});
  }

  /** Returns a listing of all topics that this client may describe. It is not sent yet. */
  public static TopicListing all(ClientInternals client) {
    return new TopicListing(client, null);
  }

  /** Returns a listing of one topic, which a broker may create if the client allows that. It is not sent yet. */
  public static TopicListing of(ClientInternals client, String topic) {
    return new TopicListing(client, topic);
  }

  /**
   * Sends the request, and waits for the response. Any thread but the owner of the loop.
   *
   * @return partitions by topic, without topics that do not exist
   * @throws KafkaException if a broker refuses the request, or does not respond in time
   * @throws InterruptedException if the thread was interrupted
   */
  public Map<String, List<PartitionInfo>> await(Waiting how, long deadlineNanos) throws InterruptedException {
    if (client.loop().isOwner()) {
      throw new IllegalStateException("a listener of the client's loop cannot wait for what that loop does");
    }
    client.loop().execute(() -> calls.submit(new ListingCall()));
    try {
      how.await(() -> done, deadlineNanos);
    } finally {
      unwanted = true;
      client.loop().execute(calls::close);
    }
    if (!done) {
      Throwable own = calls.lastError();
      Throwable last = own != null ? own : client.cluster().lastError();
      throw new KafkaTimeoutException("metadata of " + (topic == null ? "all topics" : "topic " + topic)
          + " did not come in time; " + LastError.words(last), last);
    }
    KafkaException failed = error;
    if (failed != null) {
      throw failed;
    }
    return found;
  }

  private void end() {
    done = true;
    client.cluster().waiters().signalAll();
  }

  /** Repeated until a broker has responded without a retriable error. */
  private final class ListingCall extends RetriableCall {
    private Map<String, List<PartitionInfo>> topics = Map.of();

    ListingCall() {
      super(ApiKey.METADATA, MIN_VERSION, MAX_VERSION);
    }

    @Override
    protected boolean isWanted() {
      return !unwanted;
    }

    @Override
    public void write(ProtocolWriter out, short version) {
      String name = topic;
      new MetadataRequest()
          .topics(name == null ? null : List.of(new MetadataRequest.MetadataRequestTopic().name(name)))
          .allowAutoTopicCreation(name != null && client.cluster().allowsAutoCreateTopics()).write(out, version);
    }

    @Override
    protected ErrorCode read(ProtocolReader in, short version) {
      MetadataResponse response = MetadataResponse.read(in, version);
      throttle(response.throttleTimeMs());
      if (response.errorCode() != 0) {
        return ErrorCode.of(response.errorCode());
      }
      Map<Integer, Broker> brokers = new HashMap<>();
      for (MetadataResponse.MetadataResponseBroker b : response.brokers()) {
        brokers.put(b.nodeId(), new Broker(b.nodeId(), b.host(), b.port(), b.rack()));
      }
      topics = new LinkedHashMap<>();
      for (MetadataResponse.MetadataResponseTopic t : response.topics()) {
        ErrorCode code = take(t, brokers);
        if (code != ErrorCode.NONE) {
          return code;
        }
      }
      return ErrorCode.NONE;
    }

    /** Takes over a topic. Returns the error of the one topic that was requested, or NONE. */
    private ErrorCode take(MetadataResponse.MetadataResponseTopic t, Map<Integer, Broker> brokers) {
      String name = t.name();
      ErrorCode code = ErrorCode.of(t.errorCode());
      if (name != null && TopicName.isLegal(name) && code == ErrorCode.NONE) {
        topics.put(name, partitions(name, t, brokers));
      }
      boolean isMissing = code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
      return topic == null || isMissing ? ErrorCode.NONE : code;
    }

    private static List<PartitionInfo> partitions(String name, MetadataResponse.MetadataResponseTopic t,
        Map<Integer, Broker> brokers) {
      List<PartitionInfo> partitions = new ArrayList<>();
      for (MetadataResponse.MetadataResponsePartition p : t.partitions()) {
        partitions.add(new PartitionInfo(name, p.partitionIndex(), brokers.get(p.leaderId()),
            named(p.replicaNodes(), brokers), named(p.isrNodes(), brokers), named(p.offlineReplicas(), brokers)));
      }
      return partitions;
    }

    private static List<Broker> named(List<Integer> ids, Map<Integer, Broker> brokers) {
      List<Broker> named = new ArrayList<>();
      for (int id : ids) {
        named.add(brokers.getOrDefault(id, new Broker(id, "", -1, null)));
      }
      return named;
    }

    @Override
    protected void done() {
      found = topics;
      end();
    }

    @Override
    protected void failed(KafkaException cause) {
      error = topic == null
          ? cause
          : TopicException.of(cause.code(), topic, "metadata of topic " + topic + ": "
              + cause.getMessage());
      end();
    }
  }
}
