package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.IntegerDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The records, positions and exceptions of a consumer, under both group protocols. */
@Execution(ExecutionMode.CONCURRENT)
class DecantConsumerTest extends ReadsFromFake {
  @ClientsFrom(value = "4.0", because = "nextOffsets")
  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void pollGroupsRecordsByPartitionAndSaysWhereItGoesOn(String protocol) {
    String topic = topic(2);
    TopicPartition first = new TopicPartition(topic, 0);
    send(topic, 0, "a", "b", "c");
    try (DecantConsumer<String, String> consumer = consumer(protocol, fresh("group"), "max.poll.records", 2)) {
      consumer.assign(List.of(first, new TopicPartition(topic, 1)));
      ConsumerRecords<String, String> records = consumer.poll(Duration.ofSeconds(30));
      assertThat(records.count()).isEqualTo(2);
      assertThat(records.partitions()).containsExactly(first);
      assertThat(records.records(first)).extracting(ConsumerRecord::value).containsExactly("a", "b");
      assertThat(records.nextOffsets()).containsEntry(first, new OffsetAndMetadata(2, Optional.of(0), ""));
      assertThat(consumer.position(first)).isEqualTo(2);
      assertThat(values(consumer, 1)).containsExactly("c");
      assertThat(consumer.currentLag(first)).hasValue(0);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void pollReturnsOfAPartitionWhatOneFetchHasBrought(String protocol) {
    String topic = topic(1);
    TopicPartition only = new TopicPartition(topic, 0);
    send(topic, 0, "a", "b", "c", "d", "e", "f"); // batches of 69 bytes; a fetch returns three of them
    Map<String, Object> settings = settings(protocol, fresh("group"));
    settings.put("max.partition.fetch.bytes", 240);
    settings.put("max.poll.records", 2);
    try (DecantConsumer<String, String> consumer = new DecantConsumer<>(settings)) {
      consumer.assign(List.of(only));
      List<Integer> counts = new ArrayList<>();
      while (counts.stream().mapToInt(Integer::intValue).sum() < 6) {
        counts.add(consumer.poll(Duration.ofSeconds(30)).count());
        for (int i = 0; i < 5; i++) { // the next fetch completes meanwhile
          assertThat(consumer.endOffsets(List.of(only))).containsEntry(only, 6L);
        }
      }
      assertThat(counts).containsExactly(2, 1, 2, 1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void commitMayWaitForEver(String protocol) {
    try (DecantConsumer<String, String> consumer = consumer(protocol, fresh("group"))) {
      consumer.commitSync(Map.of(), Duration.ofMillis(Long.MAX_VALUE));
      consumer.commitSync(Map.of(new TopicPartition(topic(1), 0), new OffsetAndMetadata(3)),
          Duration.ofMillis(Long.MAX_VALUE));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void interruptedThreadUnsubscribesInFull(String protocol) {
    String topic = topic(1);
    TopicPartition only = new TopicPartition(topic, 0);
    send(topic, 0, "a");
    try (DecantConsumer<String, String> consumer = consumer(protocol, fresh("group"))) {
      consumer.subscribe(List.of(topic));
      assertThat(values(consumer, 1)).containsExactly("a");
      consumer.commitAsync();
      Thread.currentThread().interrupt();
      Throwable thrown = catchThrowable(consumer::unsubscribe); // null if the commit was faster
      assertThat(Thread.interrupted() || thrown instanceof InterruptException).isTrue();
      consumer.assign(List.of(only));
      consumer.seekToBeginning(List.of(only));
      assertThat(values(consumer, 1)).containsExactly("a");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void positionsMoveBySeeksAndPausedPartitionsWait(String protocol) {
    String topic = topic(2);
    TopicPartition first = new TopicPartition(topic, 0);
    TopicPartition second = new TopicPartition(topic, 1);
    send(topic, 0, "a", "b");
    send(topic, 1, "x");
    try (DecantConsumer<String, String> consumer = consumer(protocol, fresh("group"))) {
      consumer.assign(List.of(first, second));
      assertThat(values(consumer, 3)).containsExactlyInAnyOrder("a", "b", "x");
      consumer.seek(first, 1);
      consumer.pause(List.of(second));
      consumer.seekToBeginning(List.of(second));
      assertThat(consumer.paused()).containsExactly(second);
      assertThat(values(consumer, 1)).containsExactly("b");
      consumer.resume(List.of(second));
      assertThat(values(consumer, 1)).containsExactly("x");
      consumer.seekToBeginning(List.of());
      consumer.seekToEnd(List.of(first));
      assertThat(consumer.position(first)).isEqualTo(2);
      assertThat(values(consumer, 1)).containsExactly("x");
      assertThat(consumer.beginningOffsets(List.of(first, second))).isEqualTo(Map.of(first, 0L, second, 0L));
      assertThat(consumer.endOffsets(List.of(first, second))).isEqualTo(Map.of(first, 2L, second, 1L));
      long future = System.currentTimeMillis() + 1_000_000;
      assertThat(consumer.offsetsForTimes(Map.of(first, 0L, second, future)))
          .hasEntrySatisfying(first, found -> assertThat(found.offset()).isZero()).containsEntry(second, null);
      assertThatThrownBy(() -> consumer.seek(new TopicPartition(topic, 7), 0))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @ClientsFrom(value = "4.0", because = "nextOffsets")
  @Test
  void positionStaysAtARecordThatCannotBeDeserialized() {
    String topic = topic(1);
    TopicPartition only = new TopicPartition(topic, 0);
    send(topic, 0, "good", "not a number", "more");
    Map<String, Object> settings = settings("classic", fresh("group"));
    settings.put("value.deserializer", IntegerDeserializer.class);
    try (DecantConsumer<String, Integer> consumer = new DecantConsumer<>(settings)) {
      consumer.assign(List.of(only));
      ConsumerRecords<String, Integer> records = consumer.poll(Duration.ofSeconds(30));
      assertThat(records.records(only)).extracting(ConsumerRecord::offset).containsExactly(0L);
      assertThat(offset(records.nextOffsets(), only)).isEqualTo(1);
      for (int i = 0; i < 2; i++) {
        assertThat(catchThrowable(() -> consumer.poll(Duration.ofSeconds(30))))
            .isInstanceOfSatisfying(RecordDeserializationException.class, e -> {
              assertThat(e.topicPartition()).isEqualTo(only);
              assertThat(e.offset()).isEqualTo(1);
              assertThat(e.keyBuffer()).isNull();
              assertThat(e.valueBuffer().duplicate())
                  .isEqualTo(ByteBuffer.wrap("not a number".getBytes(StandardCharsets.UTF_8)));
            });
        assertThat(consumer.position(only)).isEqualTo(1);
      }
      consumer.seek(only, 2);
      assertThat(consumer.poll(Duration.ofSeconds(30)).records(only)).extracting(ConsumerRecord::offset)
          .containsExactly(2L);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void withoutResetPollNamesWhatHasNoPosition(String protocol) {
    String topic = topic(2);
    TopicPartition first = new TopicPartition(topic, 0);
    TopicPartition second = new TopicPartition(topic, 1);
    send(topic, 0, "a");
    try (DecantConsumer<String, String> consumer = consumer(protocol, fresh("group"), "auto.offset.reset", "none")) {
      consumer.assign(List.of(first, second));
      assertThat(catchThrowable(() -> values(consumer, 1))).isInstanceOfSatisfying(NoOffsetForPartitionException.class,
          e -> assertThat(e.partitions()).containsAnyOf(first, second));
      consumer.seek(first, 9);
      consumer.seek(second, 0);
      assertThat(catchThrowable(() -> values(consumer, 1))).isInstanceOfSatisfying(OffsetOutOfRangeException.class,
          e -> assertThat(e.offsetOutOfRangePartitions()).isEqualTo(Map.of(first, 9L)));
      consumer.seek(first, 0);
      assertThat(values(consumer, 1)).containsExactly("a");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void patternReadsAllTopicsThatMatch(String protocol) {
    String prefix = fresh("matched");
    createTopic(prefix + "-a", 1);
    createTopic(prefix + "-b", 1);
    send(prefix + "-a", 0, "a");
    send(prefix + "-b", 0, "b");
    try (DecantConsumer<String, String> consumer = consumer(protocol, fresh("group"), "metadata.max.age.ms", 500)) {
      consumer.subscribe(Pattern.compile(prefix + "-.", Pattern.CASE_INSENSITIVE));
      assertThat(values(consumer, 2)).containsExactlyInAnyOrder("a", "b");
      assertThat(consumer.subscription()).containsExactlyInAnyOrder(prefix + "-a", prefix + "-b");
      consumer.commitSync();
      createTopic(prefix + "-C", 1);
      send(prefix + "-C", 0, "c");
      assertThat(values(consumer, 1)).as("a topic of later").containsExactly("c");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void wakeupEndsOneCall(String protocol) throws InterruptedException {
    String topic = topic(1);
    try (DecantConsumer<String, String> consumer = consumer(protocol, fresh("group"))) {
      consumer.subscribe(List.of(topic));
      consumer.wakeup();
      assertThatThrownBy(() -> consumer.poll(Duration.ofSeconds(60))).isInstanceOf(WakeupException.class);
      consumer.poll(Duration.ZERO);
      Thread waker = Thread.ofPlatform().start(consumer::wakeup);
      assertThatThrownBy(() -> consumer.poll(Duration.ofSeconds(60))).isInstanceOf(WakeupException.class);
      waker.join();
      consumer.wakeup();
      assertThatThrownBy(consumer::commitSync).isInstanceOf(WakeupException.class);
      send(topic, 0, "a");
      assertThat(values(consumer, 1)).containsExactly("a");
    }
  }

  /** A wake-up before {@code commitSync} ended it before the commit was sent, so that records came twice in Beam. */
  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void wakeupBeforeACommitEndsTheWaitForItAndNotTheCommit(String protocol) {
    String topic = topic(1);
    TopicPartition partition = new TopicPartition(topic, 0);
    send(topic, 0, "a", "b");
    try (DecantConsumer<String, String> consumer = consumer(protocol, fresh("group"))) {
      consumer.subscribe(List.of(topic));
      assertThat(values(consumer, 2)).containsExactly("a", "b");
      consumer.wakeup();
      assertThatThrownBy(() -> consumer.commitSync(Map.of(partition, new OffsetAndMetadata(1))))
          .isInstanceOf(WakeupException.class);
      consumer.commitSync(Map.of()); // waits for commits under way
      assertThat(consumer.committed(Set.of(partition))).containsEntry(partition, new OffsetAndMetadata(1));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void namesThatNoBrokerTakesAreAnErrorOfPoll(String protocol) {
    String topic = topic(1);
    send(topic, 0, "a");
    try (DecantConsumer<String, String> consumer = consumer(protocol, fresh("group"))) {
      consumer.subscribe(List.of("no topic"));
      assertThatThrownBy(() -> consumer.poll(SHORT)).isInstanceOfSatisfying(InvalidTopicException.class,
          e -> assertThat(e.invalidTopics()).containsExactly("no topic"));
      consumer.unsubscribe();
      consumer.subscribe(List.of(topic));
      assertThat(values(consumer, 1)).containsExactly("a");
    }
  }

  @Test
  void topicsAndPartitionsAreListed() {
    String topic = topic(3);
    try (DecantConsumer<String, String> consumer = consumer("classic", fresh("group"))) {
      assertThat(consumer.partitionsFor(topic)).hasSize(3).allSatisfy(p -> {
        assertThat(p.leader().port()).isPositive();
        assertThat(p.inSyncReplicas()).containsExactly(p.leader());
      });
      assertThat(consumer.partitionsFor(fresh("missing"))).isEmpty();
      assertThat(consumer.listTopics()).containsKey(topic);
    }
  }

  @Test
  void metricsAreLive() {
    String topic = topic(1);
    send(topic, 0, "abc", "def");
    try (DecantConsumer<String, String> consumer = consumer("classic", fresh("group"))) {
      consumer.subscribe(List.of(topic));
      read(consumer, 2);
      consumer.commitSync();
      assertThat(metric(consumer, "records-consumed-total", Map.of())).isEqualTo(2.0);
      assertThat(metric(consumer, "bytes-consumed-total", Map.of("topic", topic))).isEqualTo(6.0);
      assertThat(metric(consumer, "commit-total", Map.of())).isEqualTo(1.0);
      assertThat(metric(consumer, "rebalance-total", Map.of())).isPositive();
      assertThat(metric(consumer, "connection-count", Map.of())).isPositive();
      assertThat(metric(consumer, "last-poll-seconds-ago", Map.of())).isBetween(0.0, 60.0);
      assertThat(metric(consumer, "assigned-partitions", Map.of())).isEqualTo(1.0);
    }
  }

  private static double metric(DecantConsumer<?, ?> consumer, String name, Map<String, String> tags) {
    List<Double> found = new ArrayList<>();
    consumer.metrics().forEach((metric, value) -> {
      if (metric.name().equals(name) && metric.tags().size() == tags.size() + 1
          && metric.tags().entrySet().containsAll(tags.entrySet())) {
        found.add((Double) value.metricValue());
      }
    });
    assertThat(found).as(name).hasSize(1);
    return found.getFirst();
  }
}
