package dev.decant.fake.differential;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatResponse;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatResponse.Assignment;
import dev.decant.kafka.protocol.message.EndTxnResponse;
import dev.decant.kafka.protocol.message.FetchResponse;
import dev.decant.kafka.protocol.message.InitProducerIdResponse;
import dev.decant.kafka.protocol.message.JoinGroupResponse;
import dev.decant.kafka.protocol.message.LeaveGroupResponse;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataRequest.MetadataRequestTopic;
import dev.decant.kafka.protocol.message.MetadataResponse;
import dev.decant.kafka.protocol.message.ProduceRequest;
import dev.decant.kafka.protocol.message.ProduceResponse;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One of the two clusters during a scenario, with the ids that it has given. */
final class World implements AutoCloseable {
  private static final int LOAD_IN_PROGRESS = 14;

  private final String bootstrap;
  private final Settling settling;
  private final Dump dump;
  private final Map<String, RawClient> clients = new HashMap<>();
  private final Map<String, Object> begun = new HashMap<>();
  private final Map<String, Uuid> ids = new HashMap<>();
  private final Map<String, Producer> producers = new HashMap<>();
  private final Map<String, Integer> sequences = new HashMap<>();
  private final Map<String, Integer> writing = new HashMap<>();
  private final Map<String, Member> members = new HashMap<>();
  private int sessionId;

  /** A producer's id and epoch. */
  record Producer(long id, int epoch) {}

  /** What a member of a group knows: its id, generation or epoch, assignment or protocol. */
  record Member(String id, int generation, @Nullable Assignment assignment, String protocol) {}

  /**
   * Begins a scenario.
   *
   * @param bootstrap address of the cluster
   * @param isReal whether it applies later than it answers
   * @param prefix begins all names of the scenario
   */
  World(String bootstrap, boolean isReal, String prefix) {
    this.bootstrap = bootstrap;
    this.dump = new Dump(prefix);
    this.settling = new Settling(client(Step.MAIN), isReal);
  }

  private RawClient client(String name) {
    return clients.computeIfAbsent(name, n -> new RawClient(bootstrap, n));
  }

  /** The id of a topic, zero if there is none. A deleted topic keeps its id here. */
  Uuid id(String topic) {
    return ids.getOrDefault(topic, Uuid.ZERO);
  }

  /** A producer by its name, which the cluster has given an id; an unknown one before that. */
  Producer producer(String name) {
    return producers.getOrDefault(name, new Producer(1L << 40, 0));
  }

  /** The sequence number after the last one that was appended. */
  int nextSequence(String producer, String partition) {
    return sequences.getOrDefault(keyOf(producer, partition), 0);
  }

  /** The member of a group that a client is; one without an id at first. */
  Member member(String client, String group) {
    return members.getOrDefault(client + " " + group, new Member("", -1, null, ""));
  }

  /** The fetch session that began last. */
  int sessionId() {
    return sessionId;
  }

  /** Does a step; the result is the response's fields, or that there is none. */
  SortedMap<String, String> run(Step step) throws IOException {
    RawClient client = client(step.client());
    Object request;
    Object response;
    if (step.part() == Step.Part.RESPONSE) {
      request = begun.remove(step.client());
      if (request == null) {
        return new TreeMap<>(Map.of("request", "none"));
      }
      response = client.receive(step.api(), step.version(), request);
    } else {
      request = step.request().apply(this);
      if (step.part() == Step.Part.REQUEST || (request instanceof ProduceRequest produce && produce.acks() == 0)) {
        return begin(step, client, request);
      }
      response = client.exchange(step.api(), step.version(), request);
    }
    while (response instanceof InitProducerIdResponse init && init.errorCode() == LOAD_IN_PROGRESS) {
      settling.pause(step); // the broker awaits its first ids
      response = client.exchange(step.api(), step.version(), request);
    }
    if (response == null) {
      return new TreeMap<>(Map.of("connection", "closed"));
    }
    if (RawClient.SILENCE.equals(response)) {
      return new TreeMap<>(Map.of("connection", response.toString()));
    }
    learn(step, request, response);
    settling.after(step, request);
    if (step.changesMetadata()) {
      learnIds(step);
    }
    return dump.of(response);
  }

  private SortedMap<String, String> begin(Step step, RawClient client, Object request) throws IOException {
    client.send(step.api(), step.version(), request);
    if (step.part() == Step.Part.REQUEST) {
      begun.put(step.client(), request);
      settling.afterRequest(step, client, request);
    } else {
      settling.afterUnanswered();
    }
    return new TreeMap<>();
  }

  private void learn(Step step, Object request, @Nullable Object response) {
    switch (response) {
      case InitProducerIdResponse init when init.errorCode() == 0 ->
        producers.put(step.text().split(" ", -1)[0], new Producer(init.producerId(), init.producerEpoch()));
      case EndTxnResponse end when end.errorCode() == 0 && end.producerId() >= 0 ->
        producers.put(step.text().split(" ", -1)[0], new Producer(end.producerId(), end.producerEpoch()));
      case FetchResponse fetch when fetch.sessionId() != 0 -> sessionId = fetch.sessionId();
      case JoinGroupResponse join when !join.memberId().isEmpty() -> {
        String key = step.client() + " " + Dump.field(request, "groupId");
        int generation = join.errorCode() == 0 ? join.generationId() : -1;
        members.put(key, new Member(join.memberId(), generation, null,
            String.valueOf(join.protocolName())));
      }
      case LeaveGroupResponse leave when leave.errorCode() == 0 && step.text().startsWith(step.client()) ->
        members.remove(step.client() + " " + Dump.field(request, "groupId"));
      case ConsumerGroupHeartbeatResponse beat when beat.errorCode() == 0 -> learnEpoch(step, request, beat);
      case ProduceResponse produce -> learnSequence(produce);
      case null, default -> {
      }
    }
  }

  private void learnEpoch(Step step, Object request, ConsumerGroupHeartbeatResponse beat) {
    String key = step.client() + " " + Dump.field(request, "groupId");
    Member before = members.get(key);
    Assignment assignment = beat.assignment() != null || before == null ? beat.assignment() : before.assignment();
    members.put(key, new Member(String.valueOf(beat.memberId()), Math.max(0, beat.memberEpoch()),
        beat.memberEpoch() <= 0 ? null : assignment, ""));
  }

  /** A batch is about to be sent that has a partition expect a sequence number next, if it is appended. */
  void writing(String producer, String partition, int next) {
    writing.clear();
    writing.put(keyOf(producer, partition), next);
  }

  private String keyOf(String producer, String partition) {
    return producer + " " + partition + " " + producer(producer);
  }

  private void learnSequence(ProduceResponse produce) {
    if (!produce.responses().isEmpty()
        && produce.responses().getFirst().partitionResponses().getFirst().errorCode() == 0) {
      sequences.putAll(writing);
    }
    writing.clear();
  }

  private void learnIds(Step step) throws IOException {
    String topic = step.text().split(" ", -1)[0];
    if (topic.isEmpty() || topic.length() > 249) {
      return;
    }
    Object response = client(Step.MAIN).exchange(ApiKey.METADATA, (short) 12,
        metadataOf(topic).allowAutoTopicCreation(false));
    if (RawClient.SILENCE.equals(response)) {
      throw new IOException("the broker at " + bootstrap + " was " + response + " after a request for metadata of "
          + topic + "; wait longer on a busy machine: -Ddecant.fake.wait=MILLISECONDS");
    }
    if (response instanceof MetadataResponse all) {
      all.topics().stream().filter(t -> t.errorCode() == 0)
          .forEach(t -> ids.put(String.valueOf(t.name()), t.topicId()));
    }
  }

  static MetadataRequest metadataOf(String topic) {
    return new MetadataRequest().topics(List.of(new MetadataRequestTopic().name(topic)));
  }

  @Override
  public void close() throws IOException {
    for (RawClient client : clients.values()) {
      client.close();
    }
  }
}
