package dev.decant.kafka.internal;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.TopicException;
import dev.decant.kafka.cluster.CallQueue;
import dev.decant.kafka.cluster.RetriableCall;
import dev.decant.kafka.cluster.RetryBackoff;
import dev.decant.kafka.cluster.Target;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.message.DescribeConfigsRequest;
import dev.decant.kafka.protocol.message.DescribeConfigsResponse;
import dev.decant.kafka.telemetry.LastError;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads settings of a topic (DescribeConfigs). One thread calls it and waits; everything else runs on the owner of the
 * loop.
 */
public final class TopicConfigs {
  private static final int MIN_VERSION = 1;
  private static final int MAX_VERSION = 4;
  /** The type of a topic in Kafka's ConfigResource. */
  private static final byte TOPIC = 2;

  private final ClientInternals client;
  private final String topic;
  private final List<String> names;
  private final CallQueue calls;

  // Written by the owner of the loop before done.
  private Map<String, String> found = Map.of();
  private @Nullable KafkaException error;
  /** True once there is a result. Read by the thread that waits. */
  private volatile boolean done;
  /** True once the thread has stopped waiting. */
  private volatile boolean unwanted;

  private TopicConfigs(ClientInternals client, String topic, List<String> names) {
    this.client = client;
    this.topic = topic;
    this.names = names;
    this.calls = new CallQueue(client.loop(), "topic " + topic, RetryBackoff.DEFAULT,
        pump -> Target.anyBroker(client.cluster(), pump), cause -> {});
  }

  /**
   * Reads settings of a topic, with the brokers' defaults for those that the topic does not set. Any thread but the
   * owner of the loop.
   *
   * @param names of settings, as Kafka has them
   * @param timeoutMillis how long to wait
   * @return values by name, without settings that the broker does not know or that have no value
   * @throws KafkaTimeoutException if no broker responds in time
   * @throws KafkaException if a broker refuses
   * @throws InterruptedException if the thread was interrupted
   */
  public static Map<String, String> describe(InternalsHolder client, String topic, List<String> names,
      int timeoutMillis) throws InterruptedException {
    ClientInternals internals = ClientInternals.of(client);
    return new TopicConfigs(internals, topic, List.copyOf(names))
        .await(internals.loop().clock().nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis));
  }

  private Map<String, String> await(long deadlineNanos) throws InterruptedException {
    if (client.loop().isOwner()) {
      throw new IllegalStateException("a listener of the client's loop cannot wait for what that loop does");
    }
    client.loop().execute(() -> calls.submit(new DescriptionCall()));
    try {
      client.cluster().waiters().await(() -> done, deadlineNanos);
    } finally {
      unwanted = true;
      client.loop().execute(calls::close);
    }
    if (!done) {
      Throwable own = calls.lastError();
      Throwable last = own != null ? own : client.cluster().lastError();
      throw new KafkaTimeoutException("settings of topic " + topic + " did not come in time; " + LastError.words(last),
          last);
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

  /** The request, repeated until a broker responds. */
  private final class DescriptionCall extends RetriableCall {
    private Map<String, String> values = Map.of();

    DescriptionCall() {
      super(ApiKey.DESCRIBE_CONFIGS, MIN_VERSION, MAX_VERSION);
    }

    @Override
    protected boolean isWanted() {
      return !unwanted;
    }

    @Override
    public void write(ProtocolWriter out, short version) {
      new DescribeConfigsRequest().resources(List.of(new DescribeConfigsRequest.DescribeConfigsResource()
          .resourceType(TOPIC).resourceName(topic).configurationKeys(names))).write(out, version);
    }

    @Override
    protected ErrorCode read(ProtocolReader in, short version) {
      DescribeConfigsResponse response = DescribeConfigsResponse.read(in, version);
      throttle(response.throttleTimeMs());
      for (DescribeConfigsResponse.DescribeConfigsResult result : response.results()) {
        if (result.resourceType() == TOPIC && topic.equals(result.resourceName())) {
          values = new HashMap<>();
          for (DescribeConfigsResponse.DescribeConfigsResourceResult config : result.configs()) {
            String value = config.value();
            if (value != null) {
              values.put(config.name(), value);
            }
          }
          return ErrorCode.of(result.errorCode());
        }
      }
      return ErrorCode.UNKNOWN_SERVER_ERROR; // the response does not name the topic
    }

    @Override
    protected void done() {
      found = values;
      end();
    }

    @Override
    protected void failed(KafkaException cause) {
      error = TopicException.of(cause.code(), topic, "settings of topic " + topic + ": " + cause.getMessage());
      end();
    }
  }
}
