package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every callback and future has one outcome, independent of the closing thread and the number of closes. */
@ExtendWith(PlainCluster.class)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class OutcomesAtCloseTest {
  private static final int COUNT = 200;
  private static final int LONG_LINGER_MILLIS = 60_000;

  private final String topic = PlainCluster.createTopic(1);
  private final AtomicIntegerArray outcomes = new AtomicIntegerArray(COUNT);

  /** The threads that close the producer, and their timeouts. */
  enum Closers {
    IN_TIME, AT_ONCE, LONG_AND_SHORT, CALLBACK, CROWD
  }

  private DecantProducer<String, String> producer() {
    Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers", PlainCluster.bootstrap(),
        "linger.ms", LONG_LINGER_MILLIS, "delivery.timeout.ms", 2 * LONG_LINGER_MILLIS));
    return new DecantProducer<>(settings, new StringSerializer(), new StringSerializer());
  }

  private DecantConsumer<String, String> consumer(String group) {
    return new DecantConsumer<>(Map.of("bootstrap.servers", PlainCluster.bootstrap(), "group.id", group,
        "enable.auto.commit", "false"), new StringDeserializer(), new StringDeserializer());
  }

  private void eachHasOne() {
    for (int i = 0; i < COUNT; i++) {
      assertThat(outcomes.get(i)).as("outcomes of %d", i).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void ofRecords(Closers closers) throws Exception {
    DecantProducer<String, String> producer = producer();
    List<Future<RecordMetadata>> futures = new ArrayList<>();
    for (int i = 0; i < COUNT; i++) {
      int number = i;
      Callback count = (metadata, failure) -> {
        outcomes.incrementAndGet(number);
        if (closers == Closers.CALLBACK) {
          producer.close();
        }
      };
      futures.add(producer.send(new ProducerRecord<>(topic, "k", "v"), count));
    }
    switch (closers) {
      case IN_TIME -> producer.close();
      case AT_ONCE -> producer.close(Duration.ZERO);
      case LONG_AND_SHORT -> together(producer::close, () -> producer.close(Duration.ZERO));
      case CALLBACK -> {
        producer.flush();
        producer.close();
      }
      case CROWD -> {
        Runnable[] all = new Runnable[8];
        Arrays.setAll(all, i -> i % 2 == 0 ? producer::close : () -> producer.close(Duration.ofMillis(50)));
        together(all);
      }
    }
    for (Future<RecordMetadata> future : futures) {
      try {
        assertThat(future.get(30, TimeUnit.SECONDS).hasOffset()).isTrue();
      } catch (ExecutionException e) {
        assertThat(e).hasCauseInstanceOf(KafkaException.class);
      }
    }
    eachHasOne();
  }

  private static void together(Runnable... closers) throws Exception {
    try (var threads = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
      for (var ended : threads.invokeAll(Arrays.stream(closers).map(Executors::callable).toList())) {
        ended.get(30, TimeUnit.SECONDS);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"IN_TIME", "AT_ONCE"})
  @SuppressWarnings("deprecation") // each release of kafka-clients has this close
  void ofCommits(Closers closers) {
    TopicPartition partition = new TopicPartition(topic, 0);
    List<Integer> told = new ArrayList<>();
    DecantConsumer<String, String> consumer = consumer("close-" + closers);
    consumer.assign(List.of(partition));
    for (int i = 0; i < COUNT; i++) {
      int number = i;
      consumer.commitAsync(Map.of(partition, new OffsetAndMetadata(i + 1)), (offsets, error) -> {
        outcomes.incrementAndGet(number);
        told.add(number);
      });
    }
    consumer.close(closers == Closers.IN_TIME ? Duration.ofSeconds(30) : Duration.ZERO);
    eachHasOne();
    assertThat(told).isSorted();
    if (closers == Closers.IN_TIME) {
      try (DecantConsumer<String, String> next = consumer("close-" + closers)) {
        assertThat(next.committed(Set.of(partition))).containsEntry(partition, new OffsetAndMetadata(COUNT));
      }
    }
  }

  /** Callbacks behind one that throws were dropped. */
  @Test
  void ofCommitsBehindACallbackThatThrows() {
    TopicPartition partition = new TopicPartition(topic, 0);
    DecantConsumer<String, String> consumer = consumer("close-throws");
    consumer.assign(List.of(partition));
    for (int i = 0; i < COUNT; i++) {
      int number = i;
      consumer.commitAsync(Map.of(partition, new OffsetAndMetadata(i + 1)), (offsets, error) -> {
        outcomes.incrementAndGet(number);
        if (number == COUNT - 3) {
          throw new IllegalStateException("a callback of this test throws on purpose");
        }
      });
    }
    assertThatThrownBy(consumer::close).isInstanceOf(KafkaException.class).cause()
        .hasMessage("a callback of this test throws on purpose");
    eachHasOne();
  }
}
