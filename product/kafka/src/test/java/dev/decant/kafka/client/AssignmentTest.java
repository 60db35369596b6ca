package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.internal.ClientInternals;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests partitions that the application assigns, and fetched records when it changes the assignment. */
class AssignmentTest extends AgainstScriptedBroker {
  AssignmentTest() {
    super(2, LATER);
  }

  /**
   * The rest of the current batch was once delivered anyway, and a second time when the partition was assigned again.
   */
  @Test
  void whatWasFetchedOfAPartitionThatIsNotAssignedAnyMoreIsDropped() throws InterruptedException {
    broker.state().store(0, "a", "b", "c");
    broker.state().store(1, "x");
    try (Consumer<String, String> consumer = consumer(1, 0)) {
      assertThat(read(consumer, 1)).containsExactly("a");
      consumer.assign(ScriptedBroker.TOPIC, 1);
      assertThat(read(consumer, 1)).containsExactly("x");
      assertThat(consumer.poll(SOON, record -> {})).isZero();
      consumer.assign(ScriptedBroker.TOPIC, 0);
      assertThat(read(consumer, 3)).containsExactly("a", "b", "c");
      assertThat(consumer.poll(SOON, record -> {})).isZero();
    }
  }

  /** Partitions behind it were once never requested. */
  @Test
  void negativePartitionIsRefusedAndChangesNothing() throws InterruptedException {
    broker.state().store(0, "a");
    try (Consumer<String, String> consumer = consumer(1, 0)) {
      assertThatThrownBy(() -> consumer.assign(ScriptedBroker.TOPIC, -1, 1))
          .isInstanceOf(IllegalArgumentException.class).hasMessage("partition -1 of orders is negative");
      assertThat(consumer.assignment()).containsExactly(new TopicPartition(ScriptedBroker.TOPIC, 0));
      assertThat(read(consumer, 1)).containsExactly("a");
    }
  }

  @Test
  void partitionThatDoesNotExistHoldsUpNoOther() throws InterruptedException {
    broker.state().store(1, "x");
    try (Consumer<String, String> consumer = consumer(1, 99, 1)) {
      assertThat(read(consumer, 1)).containsExactly("x");
    }
  }

  /** The next batch was once read from memory that had been given back. */
  @Test
  void handlerThatClosesTheConsumerGetsNoMoreRecords() throws InterruptedException {
    broker.state().store(0, "a", "b");
    broker.state().store(0, "c");
    Consumer<String, String> consumer = consumer(100, 0);
    List<String> values = new ArrayList<>();
    long deadline = System.nanoTime() + LATER.toNanos();
    while (values.isEmpty() && deadline - System.nanoTime() > 0) {
      consumer.poll(SOON, record -> {
        values.add(String.valueOf(record.value()));
        consumer.close();
      });
    }
    assertThat(values).containsExactly("a");
    assertThat(ClientInternals.of(client).fetchMemory().leasedBytes()).isZero();
  }

  @Test
  void handlerOfAPartitionThatClosesTheConsumerGetsNoMoreRecords() throws InterruptedException {
    broker.state().store(0, "a", "b");
    Consumer<String, String> consumer = consumer(100, 0);
    List<String> values = new ArrayList<>();
    long deadline = System.nanoTime() + LATER.toNanos();
    while (values.isEmpty() && deadline - System.nanoTime() > 0) {
      consumer.pollPartitions(SOON, records -> {
        while (records.next()) {
          values.add(String.valueOf(records.record().value()));
          consumer.close();
        }
      });
    }
    assertThat(values).containsExactly("a");
    assertThat(ClientInternals.of(client).fetchMemory().leasedBytes()).isZero();
  }
}
