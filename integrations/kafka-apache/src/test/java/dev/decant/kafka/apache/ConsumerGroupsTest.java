package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Members of groups: the calls of their listeners, callbacks and interceptors, and their order. */
@Execution(ExecutionMode.CONCURRENT)
class ConsumerGroupsTest extends ReadsFromFake {
  /** Records its calls. */
  private static class Told implements ConsumerRebalanceListener {
    final List<String> all = new ArrayList<>();

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
      all.add("assigned " + numbers(partitions));
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
      all.add("revoked " + numbers(partitions));
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
      all.add("lost " + numbers(partitions));
    }

    static Set<Integer> numbers(Collection<TopicPartition> partitions) {
      Set<Integer> numbers = new TreeSet<>();
      partitions.forEach(p -> numbers.add(p.partition()));
      return numbers;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void membersShareThePartitions(String protocol) {
    String topic = topic(4);
    String group = fresh("group");
    Told told = new Told();
    try (DecantConsumer<String, String> first = consumer(protocol, group)) {
      first.subscribe(List.of(topic), told);
      pollUntil(first, new ArrayList<>(), () -> first.assignment().size() == 4);
      // A coordinator that does not know the topic yet first assigns nothing, which is also a call of Apache's
      // listeners.
      told.all.removeIf(heard -> heard.equals("assigned []"));
      assertThat(told.all).containsExactly("assigned [0, 1, 2, 3]");
      try (DecantConsumer<String, String> second = consumer(protocol, group)) {
        second.subscribe(List.of(topic));
        pollUntil(second, new ArrayList<>(), () -> {
          first.poll(SHORT);
          return first.assignment().size() == 2 && second.assignment().size() == 2;
        });
        Set<TopicPartition> all = new TreeSet<>((a, b) -> a.partition() - b.partition());
        all.addAll(first.assignment());
        all.addAll(second.assignment());
        assertThat(all).hasSize(4);
      }
      pollUntil(first, new ArrayList<>(), () -> first.assignment().size() == 4);
    }
    assertThat(told.all.get(1)).startsWith("revoked ");
    assertThat(told.all.getLast()).isEqualTo("revoked [0, 1, 2, 3]");
    assertThat(told.all).noneMatch(heard -> heard.startsWith("lost"));
  }

  @ParameterizedTest
  @ValueSource(classes = {CooperativeStickyAssignor.class, StickyAssignor.class})
  void assignorsOfApacheKeepWhatAMemberHas(Class<?> assignor) {
    String topic = topic(4);
    String group = fresh("group");
    String setting = "partition.assignment.strategy";
    try (DecantConsumer<String, String> first = consumer("classic", group, setting, List.of(assignor))) {
      first.subscribe(List.of(topic));
      pollUntil(first, new ArrayList<>(), () -> first.assignment().size() == 4);
      Set<TopicPartition> before = Set.copyOf(first.assignment());
      try (DecantConsumer<String, String> second = consumer("classic", group, setting, List.of(assignor))) {
        second.subscribe(List.of(topic));
        pollUntil(second, new ArrayList<>(), () -> {
          first.poll(SHORT);
          return first.assignment().size() == 2 && second.assignment().size() == 2;
        });
        assertThat(before).containsAll(first.assignment());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void listenerMayCallTheConsumer(String protocol) {
    String topic = topic(1);
    TopicPartition only = new TopicPartition(topic, 0);
    send(topic, 0, "a", "b", "c");
    List<Long> positions = new ArrayList<>();
    try (DecantConsumer<String, String> consumer = consumer(protocol, fresh("group"))) {
      consumer.subscribe(List.of(topic), new Told() {
        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
          positions.add(consumer.position(only));
          consumer.seek(only, 2);
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
          consumer.commitSync();
          positions.add(committed(consumer, only));
        }
      });
      assertThat(values(consumer, 1)).containsExactly("c");
      consumer.unsubscribe();
      assertThat(positions).containsExactly(0L, 3L);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void whatAListenerThrowsIsThrownByPoll(String protocol) {
    String topic = topic(1);
    send(topic, 0, "a");
    IllegalArgumentException cause = new IllegalArgumentException("no");
    AtomicBoolean takes = new AtomicBoolean();
    try (DecantConsumer<String, String> consumer = consumer(protocol, fresh("group"))) {
      consumer.subscribe(List.of(topic), new Told() {
        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
          if (!takes.get()) {
            throw cause;
          }
        }
      });
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> values(consumer, 1)).as("no record, and again")
            .isInstanceOf(KafkaException.class).hasCause(cause);
      }
      takes.set(true);
      assertThat(values(consumer, 1)).as("the change is made all the same").containsExactly("a");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void callbacksRunInTheirOrderOnTheCallingThread(String protocol) {
    String topic = topic(1);
    TopicPartition only = new TopicPartition(topic, 0);
    List<String> ends = new ArrayList<>();
    Thread caller = Thread.currentThread();
    try (DecantConsumer<String, String> consumer = consumer(protocol, fresh("group"))) {
      consumer.assign(List.of(only));
      for (int i = 1; i <= 3; i++) {
        consumer.commitAsync(Map.of(only, new OffsetAndMetadata(i)), (offsets, error) -> {
          assertThat(Thread.currentThread()).isEqualTo(caller);
          ends.add(offset(offsets, only) + " " + error);
        });
      }
      consumer.commitSync(Map.of(only, new OffsetAndMetadata(4, "text")));
      assertThat(ends).containsExactly("1 null", "2 null", "3 null");
      assertThat(consumer.committed(Set.of(only)).get(only)).isEqualTo(new OffsetAndMetadata(4, "text"));
      consumer.commitAsync((offsets, error) -> ends.add(error == null ? "closed in order" : error.toString()));
    }
    assertThat(ends).last().isEqualTo("closed in order");
  }

  /** Records its calls; the consumer makes it. */
  public static final class Interceptor implements ConsumerInterceptor<String, String> {
    static final List<String> HEARD = new CopyOnWriteArrayList<>();

    @Override
    public ConsumerRecords<String, String> onConsume(ConsumerRecords<String, String> records) {
      HEARD.add("consume " + records.count());
      return records;
    }

    @Override
    public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {
      HEARD.add("commit " + offsets.values().iterator().next().offset());
    }

    @Override
    public void close() {
      HEARD.add("close");
    }

    @Override
    public void configure(Map<String, ?> configs) {}
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void positionsAreCommittedAtTheEndAndInterceptorsHearOfThem(String protocol) {
    String topic = topic(1);
    String group = fresh("group");
    TopicPartition only = new TopicPartition(topic, 0);
    send(topic, 0, "a", "b");
    Interceptor.HEARD.clear();
    Map<String, Object> settings = settings(protocol, group);
    settings.put("enable.auto.commit", "true");
    settings.put("interceptor.classes", Interceptor.class.getName());
    try (DecantConsumer<String, String> consumer = new DecantConsumer<>(settings)) {
      consumer.subscribe(List.of(topic));
      assertThat(values(consumer, 2)).hasSize(2);
    }
    assertThat(Interceptor.HEARD).contains("commit 2").last().isEqualTo("close");
    assertThat(Interceptor.HEARD.getFirst()).startsWith("consume ");
    try (DecantConsumer<String, String> consumer = consumer(protocol, group)) {
      assertThat(committed(consumer, only)).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void positionsAreCommittedInARebalanceThatRevokesNothing(String protocol) {
    String first = topic(1);
    String second = topic(1);
    TopicPartition kept = new TopicPartition(first, 0);
    send(first, 0, "a", "b");
    Map<String, Object> settings = settings(protocol, fresh("group"));
    settings.put("enable.auto.commit", "true");
    settings.put("auto.commit.interval.ms", "600000");
    if (protocol.equals("classic")) {
      settings.put("partition.assignment.strategy", List.of(CooperativeStickyAssignor.class));
    }
    try (DecantConsumer<String, String> consumer = new DecantConsumer<>(settings)) {
      Told told = new Told();
      consumer.subscribe(List.of(first), told);
      assertThat(values(consumer, 2)).hasSize(2);
      consumer.subscribe(List.of(first, second), told);
      pollUntil(consumer, new ArrayList<>(), () -> consumer.assignment().size() == 2);
      assertThat(told.all).noneMatch(heard -> heard.startsWith("revoked"));
      assertThat(committed(consumer, kept)).isEqualTo(2);
    }
  }

  @Test
  void positionsAreCommittedByTime() {
    String topic = topic(1);
    TopicPartition only = new TopicPartition(topic, 0);
    send(topic, 0, "a");
    Map<String, Object> settings = settings("classic", fresh("group"));
    settings.put("enable.auto.commit", "true");
    settings.put("auto.commit.interval.ms", "100");
    try (DecantConsumer<String, String> consumer = new DecantConsumer<>(settings)) {
      consumer.subscribe(List.of(topic));
      List<ConsumerRecord<String, String>> records = new ArrayList<>();
      pollUntil(consumer, records, () -> committed(consumer, only) == 1);
      assertThat(records).hasSize(1);
    }
  }

  @ClientsFrom(value = "4.1", because = "CloseOptions")
  @Test
  void enforcedRebalanceEndsWithTheSamePartitions() {
    String topic = topic(2);
    Told told = new Told();
    try (DecantConsumer<String, String> consumer = consumer("classic", fresh("group"))) {
      consumer.subscribe(List.of(topic), told);
      pollUntil(consumer, new ArrayList<>(), () -> told.all.size() == 1);
      consumer.enforceRebalance("a test");
      pollUntil(consumer, new ArrayList<>(), () -> told.all.size() == 3);
      assertThat(told.all).containsExactly("assigned [0, 1]", "revoked [0, 1]", "assigned [0, 1]");
      consumer.close(CloseOptions.timeout(Duration.ofSeconds(20))
          .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
    }
  }
}
