package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

/** Commits with and without a wait, one after another: requests, and the order of callbacks and interceptors. */
class CommitCallsTest extends ReadsFromFake {
  private static final int MORE_METADATA_THAN_BROKERS_TAKE = 5_000;

  /** Records its calls among those of callbacks; the consumer makes it. */
  public static final class Interceptor implements ConsumerInterceptor<String, String> {
    static final List<String> CALLS = new ArrayList<>();

    /** Made by its name. */
    public Interceptor() {}

    @Override
    public ConsumerRecords<String, String> onConsume(ConsumerRecords<String, String> records) {
      return records;
    }

    @Override
    public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {
      CALLS.add("interceptor " + offsets.values().iterator().next().offset());
    }

    @Override
    public void close() {}

    @Override
    public void configure(Map<String, ?> configs) {}
  }

  private final TopicPartition partition = new TopicPartition(topic(1), 0);

  private DecantConsumer<String, String> assigned() {
    DecantConsumer<String, String> consumer = consumer("classic", fresh("group"), "interceptor.classes",
        List.of(Interceptor.class));
    consumer.assign(Set.of(partition));
    return consumer;
  }

  private Map<TopicPartition, OffsetAndMetadata> at(long offset) {
    return Map.of(partition, new OffsetAndMetadata(offset));
  }

  private static OffsetCommitCallback recorded() {
    return (offsets, error) -> Interceptor.CALLS
        .add((error == null ? "callback " : "failed ") + offsets.values().iterator().next().offset());
  }

  @Test
  void callbacksOfEarlierCommitsRunBeforeTheInterceptorsOfTheCommitThatWaits() {
    Interceptor.CALLS.clear();
    try (DecantConsumer<String, String> consumer = assigned()) {
      consumer.commitSync(at(1)); // finds the coordinator
      consumer.commitAsync(at(2), recorded());
      consumer.commitSync(at(3));
    }
    assertThat(Interceptor.CALLS).containsExactly("interceptor 1", "interceptor 2", "callback 2", "interceptor 3");
  }

  @Test
  void callbacksOfEarlierCommitsRunBeforeACommitThatWaitsFails() {
    Interceptor.CALLS.clear();
    try (DecantConsumer<String, String> consumer = assigned()) {
      consumer.commitSync(at(1)); // finds the coordinator
      OffsetAndMetadata tooLarge = new OffsetAndMetadata(3, "x".repeat(MORE_METADATA_THAN_BROKERS_TAKE));
      assertThatThrownBy(() -> {
        consumer.commitAsync(at(2), recorded());
        consumer.commitSync(Map.of(partition, tooLarge));
      }).isInstanceOf(KafkaException.class);
      assertThat(Interceptor.CALLS).containsExactly("interceptor 1", "interceptor 2", "callback 2");
    }
  }

  /** The end of a commit woke the next call, which then sent its offsets a second time. */
  @Test
  void endOfACommitDoesNotRepeatTheNextOne() throws InterruptedException {
    try (DecantConsumer<String, String> consumer = assigned()) {
      consumer.commitSync(at(1)); // finds the coordinator
      consumer.commitAsync(at(2), null);
      awaitCommits(consumer, 2);
      consumer.commitSync(at(3));
      assertThat(metric(consumer, "commit-total")).isEqualTo(3.0);
    }
  }

  private static void awaitCommits(DecantConsumer<?, ?> consumer, int count) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (metric(consumer, "commit-total") < count) {
      assertThat(deadline - System.nanoTime()).as("time left").isPositive();
      LockSupport.parkNanos(100_000);
    }
  }

  @Test
  void callbackEndsAPollThatWaits() {
    Interceptor.CALLS.clear();
    try (DecantConsumer<String, String> consumer = assigned()) {
      consumer.commitAsync(at(2), (offsets, error) -> {
        Interceptor.CALLS.add("callback 2");
        consumer.wakeup();
      });
      assertThatThrownBy(() -> consumer.poll(Duration.ofSeconds(60)))
          .isInstanceOf(org.apache.kafka.common.errors.WakeupException.class);
    }
    assertThat(Interceptor.CALLS).contains("callback 2");
  }

  @Test
  void timeOfALookupThatFailsCounts() {
    try (DecantConsumer<String, String> consumer = assigned()) {
      assertThatThrownBy(() -> consumer.committed(Set.of(partition), Duration.ZERO))
          .isInstanceOf(TimeoutException.class);
      assertThat(metric(consumer, "committed-time-ns-total")).isPositive();
    }
  }

  private static double metric(DecantConsumer<?, ?> consumer, String name) {
    List<Double> found = new ArrayList<>();
    consumer.metrics().forEach((metric, value) -> {
      if (metric.name().equals(name)) {
        found.add((Double) value.metricValue());
      }
    });
    assertThat(found).as(name).hasSize(1);
    return found.getFirst();
  }
}
