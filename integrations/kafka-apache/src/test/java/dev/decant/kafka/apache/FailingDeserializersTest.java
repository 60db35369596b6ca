package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Deserializers and interceptors that fail once, or for a while: no record is lost, and none is committed before the
 * application has it.
 */
class FailingDeserializersTest extends ReadsFromFake {
  private static final Duration LONG = Duration.ofSeconds(30);

  /** Throws at the calls with the given numbers, counted from 1. */
  private static final class Flaky implements Deserializer<String> {
    private final IntFunction<@Nullable Throwable> failure;
    private int calls;

    Flaky(IntFunction<@Nullable Throwable> failure) {
      this.failure = failure;
    }

    @Override
    public String deserialize(String topic, byte[] data) {
      switch (failure.apply(++calls)) {
        case null -> {
        }
        case Error e -> throw e;
        case RuntimeException e -> throw e;
        case Throwable e -> throw new AssertionError(e);
      }
      return new String(data, StandardCharsets.UTF_8);
    }
  }

  private DecantConsumer<String, String> consumer(String group, Deserializer<String> values) {
    Map<String, Object> settings = settings("classic", group);
    settings.remove("value.deserializer");
    return new DecantConsumer<>(settings, new StringDeserializer(), values);
  }

  private static List<String> values(ConsumerRecords<String, String> records) {
    List<String> values = new ArrayList<>();
    records.forEach(record -> values.add(record.value()));
    return values;
  }

  /** The exception was kept and thrown until a seek, and the deserializer was never called again. */
  @Test
  void nextPollCallsTheDeserializerAgain() {
    String topic = topic(1);
    send(topic, 0, "a", "b", "c");
    Flaky flaky = new Flaky(call -> call == 1 || call == 3 ? new SerializationException("registry is away") : null);
    try (DecantConsumer<String, String> consumer = consumer(fresh("group"), flaky)) {
      TopicPartition only = new TopicPartition(topic, 0);
      consumer.assign(List.of(only));
      assertThatThrownBy(() -> consumer.poll(LONG)).isInstanceOf(RecordDeserializationException.class)
          .hasRootCauseMessage("registry is away");
      assertThat(consumer.position(only)).isZero();
      assertThat(values(consumer.poll(LONG))).containsExactly("a");
      assertThat(consumer.position(only)).isEqualTo(1);
      assertThat(values(consumer.poll(LONG))).containsExactly("b", "c");
      assertThat(flaky.calls).isEqualTo(5);
    }
  }

  /** Records were lost with a small heap, and a commit passed them. */
  @ParameterizedTest
  @ValueSource(strings = {"OutOfMemoryError", "StackOverflowError"})
  void errorOfADeserializerLosesNoRecord(String name) {
    String topic = topic(2);
    List<String> sent = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      sent.add("v" + i);
      send(topic, i % 2, "v" + i);
    }
    Error error = name.equals("OutOfMemoryError") ? new OutOfMemoryError("of this test") : new StackOverflowError();
    Flaky flaky = new Flaky(call -> call % 3 == 0 ? error : null);
    List<String> got = new ArrayList<>();
    int errors = 0;
    try (DecantConsumer<String, String> consumer = consumer(fresh("group"), flaky)) {
      List<TopicPartition> both = List.of(new TopicPartition(topic, 0), new TopicPartition(topic, 1));
      consumer.assign(both);
      while (got.size() < 10) {
        try {
          got.addAll(values(consumer.poll(LONG)));
        } catch (OutOfMemoryError | StackOverflowError e) {
          assertThat(e).isSameAs(error);
          errors++;
        }
        long positions = both.stream().mapToLong(consumer::position).sum();
        assertThat(positions).as("a commit says no more than what was returned").isEqualTo(got.size());
      }
    }
    assertThat(got).containsExactlyInAnyOrderElementsOf(sent);
    assertThat(errors).isPositive();
  }

  /** Throws an Error once, which only the application catches. */
  public static final class FailingOnce implements ConsumerInterceptor<String, String> {
    private boolean failed;

    @Override
    public ConsumerRecords<String, String> onConsume(ConsumerRecords<String, String> records) {
      if (!failed) {
        failed = true;
        throw new NoClassDefFoundError("of this test");
      }
      return records;
    }

    @Override
    public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

    @Override
    public void close() {}

    @Override
    public void configure(Map<String, ?> configs) {}
  }

  /** The error was swallowed. */
  @Test
  void errorOfARebalanceListenerIsThrownByClose() {
    String topic = topic(1);
    send(topic, 0, "a");
    DecantConsumer<String, String> consumer = new DecantConsumer<>(settings("classic", fresh("group")));
    consumer.subscribe(List.of(topic), new ConsumerRebalanceListener() {
      @Override
      public void onPartitionsAssigned(Collection<TopicPartition> partitions) {}

      @Override
      public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        throw new NoClassDefFoundError("of this test");
      }
    });
    assertThat(read(consumer, 1)).hasSize(1);
    assertThatThrownBy(consumer::close).isInstanceOf(KafkaException.class)
        .hasRootCauseInstanceOf(NoClassDefFoundError.class);
  }

  @Test
  void errorOfAnInterceptorLosesNoRecord() {
    String topic = topic(1);
    send(topic, 0, "a", "b");
    Map<String, Object> settings = settings("classic", fresh("group"));
    settings.put("interceptor.classes", List.of(FailingOnce.class));
    settings.put("enable.auto.commit", "true");
    TopicPartition only = new TopicPartition(topic, 0);
    try (DecantConsumer<String, String> consumer = new DecantConsumer<>(settings)) {
      consumer.subscribe(List.of(topic));
      Throwable thrown = null;
      while (thrown == null) {
        thrown = catchThrowable(() -> assertThat(consumer.poll(LONG)).isEmpty());
      }
      assertThat(thrown).isInstanceOf(NoClassDefFoundError.class);
      assertThat(consumer.position(only)).isZero();
    }
    settings.remove("interceptor.classes");
    try (DecantConsumer<String, String> next = new DecantConsumer<>(settings)) {
      next.subscribe(List.of(topic));
      assertThat(read(next, 2)).extracting(ConsumerRecord::value).containsExactly("a", "b");
    }
  }
}
