package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/** Methods and settings of kafka-clients before 4.0 or 4.1, which programs for these releases use. */
@SuppressWarnings("deprecation") // the methods are deprecated
class OlderInterfacesTest extends ReadsFromFake {
  private static final Duration WAIT = Duration.ofSeconds(30);
  private static final String LEAVE_ON_CLOSE = "internal.leave.group.on.close";

  private DecantProducer<String, String> producer(String transactionalId) {
    return new DecantProducer<>(
        Map.of("bootstrap.servers", bootstrap(), "transactional.id", transactionalId),
        new StringSerializer(), new StringSerializer());
  }

  /** Programs poll with a timeout of 0 only for the assignment, and seek then. */
  @Test
  void pollOfMillisecondsWaitsForTheFirstAssignment() {
    String topic = topic(2);
    try (DecantConsumer<String, String> consumer = consumer("classic", fresh("group"))) {
      consumer.subscribe(List.of(topic));
      assertThat(consumer.poll(0L)).isEmpty();
      assertThat(consumer.assignment()).hasSize(2);
    }
  }

  @Test
  void pollOfMillisecondsIsRefusedUnderTheNewProtocolAsByApachesConsumer() {
    try (DecantConsumer<String, String> consumer = consumer("consumer", fresh("group"))) {
      consumer.subscribe(List.of(topic(1)));
      assertThatThrownBy(() -> consumer.poll(0L)).isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("poll(Duration)");
    }
  }

  @Test
  void pollOfMillisecondsReturnsAtOnceWhereNothingIsSubscribed() {
    try (DecantConsumer<String, String> consumer = consumer("classic", fresh("group"))) {
      consumer.assign(Set.of(new TopicPartition(topic(1), 0)));
      assertThat(consumer.poll(0L)).isEmpty();
    }
  }

  @Test
  void offsetsOfATransactionAreCommittedForAGroupById() {
    TopicPartition only = new TopicPartition(topic(1), 0);
    String group = fresh("group");
    try (DecantProducer<String, String> producer = producer(fresh("transactions"));
        DecantConsumer<String, String> consumer = consumer("classic", group)) {
      consumer.assign(Set.of(only));
      assertThat(consumer.committed(only)).isNull();
      producer.initTransactions();
      producer.beginTransaction();
      Future<?> sent = producer.send(new ProducerRecord<>(only.topic(), "k", "a"));
      producer.sendOffsetsToTransaction(Map.of(only, new OffsetAndMetadata(7)), group);
      producer.commitTransaction();
      assertThat(sent).isDone();
      assertThat(consumer.committed(only)).isEqualTo(new OffsetAndMetadata(7));
      assertThat(consumer.committed(only, WAIT)).isEqualTo(new OffsetAndMetadata(7));
    }
  }

  private int membersOf(String group) throws ExecutionException, InterruptedException {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap()))) {
      return Objects.requireNonNull(admin.describeConsumerGroups(Set.of(group)).all().get().get(group)).members()
          .size();
    }
  }

  /** Kafka Streams sets it, so that a restart moves no tasks. */
  @Test
  void memberStaysInItsGroupIfAsked() throws ExecutionException, InterruptedException {
    assumeTrue(ConsumerConfig.configNames().contains(LEAVE_ON_CLOSE), "a release from 4.1 on");
    String topic = topic(1);
    String group = fresh("group");
    try (DecantConsumer<String, String> consumer = consumer("classic", group, LEAVE_ON_CLOSE, false)) {
      consumer.subscribe(List.of(topic));
      consumer.poll(0L);
    }
    assertThat(membersOf(group)).isEqualTo(1);
  }
}
