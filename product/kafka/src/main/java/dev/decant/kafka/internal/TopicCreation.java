package dev.decant.kafka.internal;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.cluster.CallQueue;
import dev.decant.kafka.cluster.RetriableCall;
import dev.decant.kafka.cluster.RetryBackoff;
import dev.decant.kafka.cluster.Target;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.message.CreateTopicsRequest;
import dev.decant.kafka.protocol.message.CreateTopicsResponse;
import dev.decant.kafka.telemetry.LastError;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Creates a topic (CreateTopics). One thread calls it and waits; everything else runs on the owner of the loop. */
public final class TopicCreation {
  private static final int MIN_VERSION = 2;
  private static final int MAX_VERSION = 7;

  private final ClientInternals client;
  private final String topic;
  private final CreateTopicsRequest.CreatableTopic wanted;
  private final CallQueue calls;
  /** The refusal of the controller. Written by the owner of the loop before done. */
  private @Nullable KafkaException error;
  /** True once there is a result. Read by the thread that waits. */
  private volatile boolean done;
  /** True once the wait of the thread has expired. */
  private volatile boolean unwanted;

  private TopicCreation(ClientInternals client, CreateTopicsRequest.CreatableTopic wanted) {
    this.client = client;
    this.topic = wanted.name();
    this.wanted = wanted;
    this.calls = new CallQueue(client.loop(), "topic " + topic, RetryBackoff.DEFAULT,
        pump -> Target.controller(client.cluster(), pump), cause -> {});
  }

  /**
   * Creates a topic and waits for the response. Does nothing if the topic exists. Any thread but the owner of the loop.
   *
   * @param replicas the replication factor
   * @param settings of the topic, by Kafka's names
   * @param timeoutMillis how long to wait
   * @throws KafkaException if the controller refuses, or does not respond in time
   * @throws InterruptedException if the thread was interrupted
   */
  public static void create(InternalsHolder client, String topic, int partitions, int replicas,
      Map<String, String> settings, int timeoutMillis) throws InterruptedException {
    List<CreateTopicsRequest.CreatableTopicConfig> configs = new ArrayList<>();
    settings.forEach((name, value) -> configs.add(new CreateTopicsRequest.CreatableTopicConfig().name(name)
        .value(value)));
    ClientInternals internals = ClientInternals.of(client);
    new TopicCreation(internals, new CreateTopicsRequest.CreatableTopic().name(topic).numPartitions(partitions)
        .replicationFactor((short) replicas).assignments(List.of()).configs(configs))
        .await(internals.loop().clock().nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis));
  }

  private void await(long deadlineNanos) throws InterruptedException {
    if (client.loop().isOwner()) {
      throw new IllegalStateException("a listener of the client's loop cannot wait for what that loop does");
    }
    client.loop().execute(() -> calls.submit(new CreationCall()));
    try {
      client.cluster().waiters().await(() -> done, deadlineNanos);
    } finally {
      unwanted = true;
      client.loop().execute(calls::close);
    }
    if (!done) {
      Throwable own = calls.lastError();
      Throwable last = own != null ? own : client.cluster().lastError();
      throw new KafkaTimeoutException("topic " + topic + " was not created in time; " + LastError.words(last), last);
    }
    KafkaException failed = error;
    if (failed != null) {
      throw failed;
    }
  }

  private void end() {
    done = true;
    client.cluster().waiters().signalAll();
  }

  /** The request, repeated until the controller responds. */
  private final class CreationCall extends RetriableCall {
    private @Nullable String refusal;

    CreationCall() {
      super(ApiKey.CREATE_TOPICS, MIN_VERSION, MAX_VERSION);
    }

    @Override
    protected boolean isWanted() {
      return !unwanted;
    }

    @Override
    public void write(ProtocolWriter out, short version) {
      new CreateTopicsRequest().topics(List.of(wanted)).timeoutMs(client.requestTimeoutMillis()).validateOnly(false)
          .write(out, version);
    }

    @Override
    protected ErrorCode read(ProtocolReader in, short version) {
      CreateTopicsResponse response = CreateTopicsResponse.read(in, version);
      throttle(response.throttleTimeMs());
      for (CreateTopicsResponse.CreatableTopicResult result : response.topics()) {
        if (topic.equals(result.name())) {
          refusal = result.errorMessage();
          ErrorCode code = ErrorCode.of(result.errorCode());
          return code == ErrorCode.TOPIC_ALREADY_EXISTS ? ErrorCode.NONE : code;
        }
      }
      refusal = "the response does not name the topic";
      return ErrorCode.UNKNOWN_SERVER_ERROR;
    }

    @Override
    protected void done() {
      end();
    }

    @Override
    protected void failed(KafkaException cause) {
      String why = refusal == null ? cause.getMessage() : refusal;
      error = new KafkaException(cause.code(), "topic " + topic + " was not created: " + why, cause);
      end();
    }
  }
}
