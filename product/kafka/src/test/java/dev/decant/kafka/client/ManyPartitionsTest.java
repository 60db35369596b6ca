package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.broker.ManyTopics;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests as many partitions and topics as large clusters have. Each step for one of them once scanned all of them. */
class ManyPartitionsTest extends AgainstScriptedBroker {
  private static final int PARTITIONS = 5_000;
  private static final int TOPICS = 10_000;

  ManyPartitionsTest() {
    super(PARTITIONS, LATER);
  }

  @Test
  void fiveThousandPartitionsAreReadAndReplaced() throws InterruptedException {
    for (int p = 0; p < PARTITIONS; p++) {
      broker.state().store(p, "value " + p);
    }
    try (Consumer<String, String> consumer = consumer()) {
      consumer.assign(ScriptedBroker.TOPIC, IntStream.range(0, PARTITIONS).toArray());
      assertThat(new HashSet<>(read(consumer, PARTITIONS))).hasSize(PARTITIONS);
      for (int p = 0; p < PARTITIONS; p++) {
        assertThat(consumer.position(ScriptedBroker.TOPIC, p, LATER)).isOne();
      }
      consumer.assign(ScriptedBroker.TOPIC, IntStream.range(0, PARTITIONS).filter(p -> p % 2 == 0).toArray());
      assertThat(consumer.assignment()).hasSize(PARTITIONS / 2);
      consumer.seekToBeginning();
      assertThat(new HashSet<>(read(consumer, PARTITIONS / 2))).hasSize(PARTITIONS / 2);
      consumer.assign(ScriptedBroker.TOPIC, 1);
      assertThat(read(consumer, 1)).containsExactly("value 1");
    }
  }

  @Test
  void patternThatMeansTenThousandTopicsIsRead() throws InterruptedException {
    ManyTopics topics = new ManyTopics(broker, TOPICS);
    Set<String> values = new HashSet<>();
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).group("all")
        .groupProtocol(GroupProtocol.CONSUMER).subscribePattern("topic-.*").offsetReset(OffsetReset.EARLIEST)
        .autoCommit(false).open()) {
      pollUntil(consumer, values, () -> values.size() == TOPICS);
      assertThat(consumer.assignment()).hasSize(TOPICS);
      assertThat(topics.pattern()).isEqualTo("topic-.*");
      topics.assign(TOPICS / 2);
      pollUntil(consumer, values, () -> consumer.assignment().size() == TOPICS / 2);
      topics.assign(TOPICS);
      values.clear();
      pollUntil(consumer, values, () -> values.size() == TOPICS / 2);
    }
    assertThat(values).contains(ManyTopics.name(TOPICS - 1)).doesNotContain(ManyTopics.name(0));
  }

  private static void pollUntil(Consumer<String, String> consumer, Set<String> values, BooleanSupplier done)
      throws InterruptedException {
    while (!done.getAsBoolean()) { // the class has a deadline
      consumer.poll(Duration.ofMillis(100), record -> values.add(String.valueOf(record.value())));
    }
  }

  @Test
  void partitionThatIsNamedTwiceIsReadOnce() throws InterruptedException {
    broker.state().store(0, "a");
    try (Consumer<String, String> consumer = consumer(10, 0, 0)) {
      assertThat(consumer.assignment()).containsExactly(new TopicPartition(ScriptedBroker.TOPIC, 0));
      assertThat(read(consumer, 1)).isEqualTo(List.of("a"));
      assertThat(consumer.poll(SOON, record -> {})).isZero();
    }
  }
}
