package dev.decant.kafka.broker;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatRequest;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatResponse;
import dev.decant.kafka.protocol.message.FetchRequest;
import dev.decant.kafka.protocol.message.FetchResponse;
import dev.decant.kafka.protocol.message.ListOffsetsRequest;
import dev.decant.kafka.protocol.message.ListOffsetsResponse;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataResponse;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Topics of one partition and one record each, which a scripted broker has instead of its own, and a group with one
 * member. The member is assigned the first of the topics. Any thread.
 */
public final class ManyTopics {
  private static final long ID_HIGH = 77;
  private static final Duration NO_RECORDS = Duration.ofMillis(100);

  private final ScriptedBroker broker;
  // Guarded by the monitor.
  private int assigned;
  private int reported = -1;
  private int epoch = 1;
  private @Nullable String pattern;

  /** Makes a broker know each topic of this kind that a request names; other responses stay. */
  public static void named(ScriptedBroker broker) {
    ManyTopics topics = new ManyTopics(broker, 0);
    for (ApiKey api : List.of(ApiKey.CONSUMER_GROUP_HEARTBEAT, ApiKey.LIST_OFFSETS, ApiKey.FETCH)) {
      topics.broker.always(api, Script.STANDARD);
    }
  }

  /** Replaces the responses of a broker. */
  public ManyTopics(ScriptedBroker broker, int assigned) {
    this.broker = broker;
    this.assigned = assigned;
    broker.always(ApiKey.METADATA,
        exchange -> exchange.answer(metadata((MetadataRequest) exchange.request().body())::write));
    broker.always(ApiKey.CONSUMER_GROUP_HEARTBEAT,
        exchange -> exchange.answer(heartbeat((ConsumerGroupHeartbeatRequest) exchange.request().body())::write));
    broker.always(ApiKey.LIST_OFFSETS,
        exchange -> exchange.answer(offsets((ListOffsetsRequest) exchange.request().body())::write));
    broker.always(ApiKey.FETCH, this::fetch);
  }

  /** Returns the name of a topic, which is also the value of its record. */
  public static String name(int number) {
    return "topic-" + number;
  }

  private static Uuid id(int number) {
    return new Uuid(ID_HIGH, number + 1L);
  }

  /** Returns the number of a topic that a message names by name or by id. */
  public static int number(String name, Uuid id) {
    return Uuid.ZERO.equals(id) ? numberOf(name) : (int) id.leastSignificantBits() - 1;
  }

  private static int numberOf(String name) {
    return Integer.parseInt(name.substring("topic-".length()));
  }

  /** Assigns the first topics to the member, from its next heartbeat on. */
  public synchronized void assign(int topics) {
    assigned = topics;
    epoch++;
  }

  /** Returns the pattern to which the member has subscribed; null before that. */
  public synchronized @Nullable String pattern() {
    return pattern;
  }

  private synchronized ConsumerGroupHeartbeatResponse heartbeat(ConsumerGroupHeartbeatRequest request) {
    ConsumerGroupHeartbeatResponse response = new ConsumerGroupHeartbeatResponse().memberId(request.memberId())
        .heartbeatIntervalMs(100).memberEpoch(request.memberEpoch() < 0 ? request.memberEpoch() : epoch);
    String regex = request.subscribedTopicRegex();
    pattern = regex == null ? pattern : regex;
    if (reported != epoch && request.memberEpoch() >= 0) {
      reported = epoch;
      response.assignment(new ConsumerGroupHeartbeatResponse.Assignment().topicPartitions(
          IntStream.range(0, assigned).mapToObj(number -> new ConsumerGroupHeartbeatResponse.TopicPartitions()
              .topicId(id(number)).partitions(List.of(0))).toList()));
    }
    return response;
  }

  private MetadataResponse metadata(MetadataRequest request) {
    MetadataResponse response = broker.state().metadata(new MetadataRequest().topics(List.of()));
    List<MetadataResponse.MetadataResponseTopic> topics = new ArrayList<>();
    List<MetadataRequest.MetadataRequestTopic> requested = request.topics();
    for (MetadataRequest.MetadataRequestTopic topic : requested == null
        ? List.<MetadataRequest.MetadataRequestTopic>of()
        : requested) {
      String name = topic.name();
      int number = name == null ? (int) topic.topicId().leastSignificantBits() - 1 : numberOf(name);
      topics.add(new MetadataResponse.MetadataResponseTopic().name(name(number)).topicId(id(number))
          .partitions(List.of(new MetadataResponse.MetadataResponsePartition().partitionIndex(0).leaderId(1)
              .leaderEpoch(0).replicaNodes(List.of(1)).isrNodes(List.of(1)).offlineReplicas(List.of()))));
    }
    return response.topics(topics);
  }

  private static ListOffsetsResponse offsets(ListOffsetsRequest request) {
    List<ListOffsetsResponse.ListOffsetsTopicResponse> topics = new ArrayList<>();
    for (ListOffsetsRequest.ListOffsetsTopic topic : request.topics()) {
      topics.add(new ListOffsetsResponse.ListOffsetsTopicResponse().name(topic.name()).partitions(
          List.of(new ListOffsetsResponse.ListOffsetsPartitionResponse().partitionIndex(0).timestamp(-1).offset(0))));
    }
    return new ListOffsetsResponse().topics(topics);
  }

  /** Gives each topic's record to a fetch of offset 0; within a session the response names only new records. */
  private void fetch(Exchange exchange) throws IOException {
    FetchRequest request = exchange.request().fetch();
    List<FetchResponse.FetchableTopicResponse> found = new ArrayList<>();
    for (FetchRequest.FetchTopic topic : request.topics()) {
      if (topic.partitions().getFirst().fetchOffset() == 0) {
        ByteBuffer record = Batches.of(0, name((int) topic.topicId().leastSignificantBits() - 1));
        found.add(new FetchResponse.FetchableTopicResponse().topicId(topic.topicId())
            .partitions(List.of(new FetchResponse.PartitionData().partitionIndex(0).highWatermark(1)
                .lastStableOffset(1).logStartOffset(0).abortedTransactions(null).preferredReadReplica(-1)
                .records(record))));
      }
    }
    if (found.isEmpty()) {
      try {
        exchange.delay(NO_RECORDS);
      } catch (InterruptedException e) {
        throw new InterruptedIOException(e.toString());
      }
    }
    exchange.answer(new FetchResponse().sessionId(1).responses(found)::write);
  }
}
