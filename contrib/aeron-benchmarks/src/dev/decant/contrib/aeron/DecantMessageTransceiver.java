package dev.decant.contrib.aeron;

import dev.decant.buffer.BytesReader;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.consumer.RecordHandler;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.serialization.Serdes;
import io.aeron.benchmarks.Configuration;
import io.aeron.benchmarks.MessageTransceiver;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.ValueRecorder;
import org.agrona.concurrent.NanoClock;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/**
 * Sends messages to partition 0 of a new topic by Decant's own interfaces, and reads them from there. It takes the
 * system properties that the harness's transceiver for kafka-clients takes, with the same defaults: a topic of two
 * partitions, and at most 1,000 messages that are not acknowledged.
 */
public final class DecantMessageTransceiver extends MessageTransceiver implements SendListener {
  private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration POLL_TIMEOUT = Duration.ofMillis(100);
  private static final int PARTITIONS = 2;
  /** Settings of Kafka that the harness's client.properties names and Decant's builders have. */
  private static final List<String> PRODUCER = List.of("acks", "linger.ms", "batch.size", "buffer.memory",
      "max.request.size", "max.block.ms", "compression.type");

  private final int mostInFlight = Integer.getInteger("io.aeron.benchmarks.kafka.producer.max.in.flight.messages",
      1_000);
  private final AtomicInteger inFlight = new AtomicInteger();
  private final SendOptions options = new SendOptions().partition(0);
  private final RecordHandler<byte[], byte[]> handler = this::onRecord;
  private volatile KafkaException failure;
  private KafkaClient client;
  private Producer<byte[], byte[]> producer;
  private Consumer<byte[], byte[]> consumer;
  private byte[] payload;

  /**
   * Called by the harness.
   *
   * @param clock of timestamps
   * @param recorder of latencies
   */
  public DecantMessageTransceiver(NanoClock clock, ValueRecorder recorder) {
    super(clock, recorder);
  }

  @Override
  public void init(Configuration configuration) throws Exception {
    String servers = System.getProperty("bootstrap.servers");
    String topic = UUID.randomUUID().toString();
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
      admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1))).all().get();
    }
    client = KafkaClient.connect(servers);
    consumer = client.consumer(Serdes.bytes(), Serdes.bytes())
        .fetchMaxWait(Duration.ofMillis(Integer.getInteger("fetch.max.wait.ms", 0))).open();
    consumer.assign(topic, 0, 1);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      consumer.position(topic, partition, PATIENCE);
    }
    Map<String, String> settings = new HashMap<>(Map.of("acks", "0", "linger.ms", "0"));
    for (String name : PRODUCER) {
      String value = System.getProperty(name);
      if (value != null) {
        settings.put(name, value);
      }
    }
    settings.put("enable.idempotence", Boolean.toString(settings.get("acks").equals("all")));
    producer = client.producer(Serdes.bytes(), Serdes.bytes()).topic(topic).properties(settings).open();
    payload = new byte[configuration.messageLength()];
  }

  @Override
  public int send(int numberOfMessages, int messageLength, long timestamp, long checksum) {
    LONG.set(payload, 0, timestamp);
    LONG.set(payload, messageLength - Long.BYTES, checksum);
    int sent = 0;
    while (sent < numberOfMessages && inFlight.get() < mostInFlight) {
      inFlight.incrementAndGet();
      producer.send(null, payload, options, 0, this); // copies the payload
      sent++;
    }
    return sent;
  }

  @Override
  public void receive() {
    try {
      consumer.poll(POLL_TIMEOUT, handler);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void onRecord(ConsumerRecord<byte[], byte[]> message) {
    BytesReader value = message.valueBytes();
    long timestamp = value.readLong();
    value.skip(value.remaining() - Long.BYTES);
    onMessageReceived(timestamp, value.readLong());
  }

  @Override
  public void onAck(long tag, int partition, long offset, long timestamp) {
    inFlight.decrementAndGet();
  }

  @Override
  public void onFailure(long tag, KafkaException error) {
    failure = error;
  }

  @Override
  public void destroy() {
    try {
      producer.close();
      consumer.close();
    } finally {
      client.close();
    }
    if (failure != null) {
      throw failure;
    }
  }
}
