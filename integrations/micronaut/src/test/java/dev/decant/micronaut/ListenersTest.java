package dev.decant.micronaut;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.junit.FakeKafka;
import io.micronaut.configuration.kafka.ConsumerRegistry;
import io.micronaut.configuration.kafka.KafkaAcknowledgement;
import io.micronaut.configuration.kafka.annotation.KafkaClient;
import io.micronaut.configuration.kafka.annotation.KafkaKey;
import io.micronaut.configuration.kafka.annotation.KafkaListener;
import io.micronaut.configuration.kafka.annotation.KafkaPartition;
import io.micronaut.configuration.kafka.annotation.OffsetStrategy;
import io.micronaut.configuration.kafka.annotation.Topic;
import io.micronaut.context.ApplicationContext;
import io.micronaut.context.annotation.Requires;
import io.micronaut.messaging.annotation.MessageBody;
import io.micronaut.messaging.annotation.MessageHeader;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Listeners, each on Decant's clients and on Apache's. */
@Tag("full")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
@FakeKafka(lifetime = FakeKafka.Lifetime.CLASS)
class ListenersTest {
  private static FakeCluster kafka;

  @BeforeAll
  static void use(FakeCluster given) {
    kafka = given;
  }

  @KafkaClient
  @Requires(property = "test")
  interface Sender {
    void send(@Topic String topic, @KafkaKey String key, String value);

    void sendWithHeader(@Topic String topic, @KafkaKey String key, @MessageHeader("trace") String trace,
        @MessageBody String value);
  }

  private static String topic(String name, boolean decant) {
    String topic = "micronaut-" + name + "-" + Applications.run(decant);
    kafka.createTopic(topic, 1);
    return topic;
  }

  private static void send(ApplicationContext context, String topic, int from, int to) {
    Sender sender = context.getBean(Sender.class);
    for (int i = from; i < to; i++) {
      sender.send(topic, "key-" + i, "value-" + i);
    }
  }

  private static List<String> values(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "value-" + i).toList();
  }

  record Order(String key, String value, String trace, int partition, long offset, String topic) {}

  @KafkaListener("micronaut-records-${run}")
  @Requires(property = "test", value = "records")
  static class Records {
    final BlockingQueue<Order> received = new LinkedBlockingQueue<>();
    final BlockingQueue<ConsumerRecord<String, String>> whole = new LinkedBlockingQueue<>();

    @Topic("micronaut-records-${run}")
    void receive(@KafkaKey String key, @MessageBody String value, @MessageHeader("trace") String trace,
        @KafkaPartition int partition, long offset, String topic) {
      received.add(new Order(key, value, trace, partition, offset, topic));
    }

    @KafkaListener("micronaut-whole-${run}")
    @Topic("micronaut-records-${run}")
    void receiveWhole(ConsumerRecord<String, String> record) {
      whole.add(record);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aListenerReceivesKeyBodyHeaderAndPlace(boolean decant) throws Exception {
    String topic = topic("records", decant);
    try (ApplicationContext context = Applications.start(kafka.bootstrap(), "records", decant)) {
      Sender sender = context.getBean(Sender.class);
      for (int i = 0; i < 20; i++) {
        sender.sendWithHeader(topic, "key-" + i, "trace-" + i, "value-" + i);
      }

      Records records = context.getBean(Records.class);
      assertThat(Applications.take(records.received, 20)).containsExactlyElementsOf(IntStream.range(0, 20)
          .mapToObj(i -> new Order("key-" + i, "value-" + i, "trace-" + i, 0, i, topic)).toList());
      assertThat(Applications.take(records.whole, 20)).extracting(ConsumerRecord::value)
          .containsExactlyElementsOf(values(0, 20));
      Applications.checkClients(context, decant);
    }
    // Micronaut's default strategy is Kafka's automatic commit, with the last one as the context closes
    Applications.awaitCommitted(kafka.bootstrap(), "micronaut-records-" + Applications.run(decant), topic, 20);
  }

  @KafkaListener(value = "micronaut-batches-${run}", batch = true, offsetStrategy = OffsetStrategy.SYNC)
  @Requires(property = "test", value = "batches")
  static class Batches {
    final BlockingQueue<String> received = new LinkedBlockingQueue<>();
    final BlockingQueue<Boolean> aligned = new LinkedBlockingQueue<>();

    @Topic("micronaut-batches-${run}")
    void receive(@MessageBody List<String> values, List<Long> offsets) {
      aligned.add(offsets.size() == values.size());
      received.addAll(values);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aBatchListenerReceivesAllAndCommitsAfterEachBatch(boolean decant) throws Exception {
    String topic = topic("batches", decant);
    try (ApplicationContext context = Applications.start(kafka.bootstrap(), "batches", decant)) {
      send(context, topic, 0, 50);

      Batches batches = context.getBean(Batches.class);
      assertThat(Applications.take(batches.received, 50)).containsExactlyElementsOf(values(0, 50));
      assertThat(batches.aligned).isNotEmpty().allMatch(each -> each);
      Applications.awaitCommitted(kafka.bootstrap(), "micronaut-batches-" + Applications.run(decant), topic, 50);
    }
  }

  @KafkaListener(value = "micronaut-acks-${run}", offsetStrategy = OffsetStrategy.DISABLED)
  @Requires(property = "test", value = "acks")
  static class Acks {
    final BlockingQueue<String> received = new LinkedBlockingQueue<>();

    @Topic("micronaut-acks-${run}")
    void receive(String value, KafkaAcknowledgement acknowledgement) {
      if (value.equals("value-6")) {
        acknowledgement.ack();
      }
      received.add(value);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatIsAcknowledgedByHandIsCommittedAndNothingElse(boolean decant) throws Exception {
    String topic = topic("acks", decant);
    String group = "micronaut-acks-" + Applications.run(decant);
    try (ApplicationContext context = Applications.start(kafka.bootstrap(), "acks", decant)) {
      send(context, topic, 0, 10);
      assertThat(Applications.take(context.getBean(Acks.class).received, 10)).containsExactlyElementsOf(values(0, 10));
    }
    Applications.awaitCommitted(kafka.bootstrap(), group, topic, 7);
    try (ApplicationContext context = Applications.start(kafka.bootstrap(), "acks", decant)) {
      assertThat(Applications.take(context.getBean(Acks.class).received, 3)).containsExactlyElementsOf(values(7, 10));
    }
  }

  /** Tells of each commit that Micronaut has started without waiting. */
  abstract static class Committing implements OffsetCommitCallback {
    final BlockingQueue<String> received = new LinkedBlockingQueue<>();
    final BlockingQueue<Long> committed = new LinkedBlockingQueue<>();

    @Override
    public void onComplete(Map<TopicPartition, OffsetAndMetadata> offsets, @Nullable Exception failure) {
      offsets.values().forEach(offset -> committed.add(failure == null ? offset.offset() : -1));
    }
  }

  @KafkaListener(value = "micronaut-async-${run}", offsetStrategy = OffsetStrategy.ASYNC)
  @Requires(property = "test", value = "strategies")
  static class Async extends Committing {
    @Topic("micronaut-strategies-${run}")
    void receive(String value) {
      received.add(value);
    }
  }

  @KafkaListener(value = "micronaut-each-async-${run}", offsetStrategy = OffsetStrategy.ASYNC_PER_RECORD)
  @Requires(property = "test", value = "strategies")
  static class EachAsync extends Committing {
    @Topic("micronaut-strategies-${run}")
    void receive(String value) {
      received.add(value);
    }
  }

  @KafkaListener(value = "micronaut-each-sync-${run}", offsetStrategy = OffsetStrategy.SYNC_PER_RECORD)
  @Requires(property = "test", value = "strategies")
  static class EachSync extends Committing {
    @Topic("micronaut-strategies-${run}")
    void receive(String value) {
      received.add(value);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void eachOffsetStrategyCommitsWhatHasBeenProcessed(boolean decant) throws Exception {
    String topic = topic("strategies", decant);
    String run = Applications.run(decant);
    try (ApplicationContext context = Applications.start(kafka.bootstrap(), "strategies", decant)) {
      send(context, topic, 0, 10);
      for (Committing listener : List.of(context.getBean(Async.class), context.getBean(EachAsync.class),
          context.getBean(EachSync.class))) {
        assertThat(Applications.take(listener.received, 10)).containsExactlyElementsOf(values(0, 10));
      }
      for (String group : List.of("async", "each-async", "each-sync")) {
        Applications.awaitCommitted(kafka.bootstrap(), "micronaut-" + group + "-" + run, topic, 10);
      }
      assertThat(Applications.take(context.getBean(EachAsync.class).committed, 10))
          .containsExactlyElementsOf(IntStream.rangeClosed(1, 10).mapToObj(Long::valueOf).toList());
    }
  }

  @KafkaListener(value = "micronaut-pauses-${run}", clientId = "pausing", threads = 1)
  @Requires(property = "test", value = "pauses")
  static class Pauses {
    final BlockingQueue<String> received = new LinkedBlockingQueue<>();

    @Topic("micronaut-pauses-${run}")
    void receive(String value) {
      received.add(value);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aPausedListenerReceivesNothingUntilItIsResumed(boolean decant) throws Exception {
    String topic = topic("pauses", decant);
    try (ApplicationContext context = Applications.start(kafka.bootstrap(), "pauses", decant)) {
      ConsumerRegistry registry = context.getBean(ConsumerRegistry.class);
      BlockingQueue<String> received = context.getBean(Pauses.class).received;
      send(context, topic, 0, 1);
      Applications.take(received, 1);
      assertThat(registry.getConsumerIds()).containsExactly("pausing");

      Applications.await(() -> {
        registry.pause("pausing"); // again: one that comes before Micronaut has noted the assignment pauses nothing
        return registry.isPaused("pausing");
      });
      send(context, topic, 1, 10);
      assertThat(received).isEmpty();
      registry.resume("pausing");

      assertThat(Applications.take(received, 9)).containsExactlyElementsOf(values(1, 10));
    }
  }
}
