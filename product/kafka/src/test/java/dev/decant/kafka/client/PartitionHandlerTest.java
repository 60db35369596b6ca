package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.broker.Batches;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.PartitionHandler;
import dev.decant.kafka.consumer.PartitionRecords;
import dev.decant.kafka.record.RecordBatchHeader;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the calls of a handler of pollPartitions. */
class PartitionHandlerTest extends AgainstScriptedBroker {
  private static final int RECORDS = 24;
  private static final int ATTRIBUTES_AT = 21;
  private static final int CONTROL = 1 << 5;

  PartitionHandlerTest() {
    super(1, LATER);
  }

  /** A handler that had taken the last record of a batch was once called again, without a record. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 100})
  void handlerIsCalledOnlyWhereThereIsARecord(int most) throws InterruptedException {
    List<String> stored = IntStream.range(0, RECORDS).mapToObj(Integer::toString).toList();
    List<String> later = stored.subList(RECORDS / 2, RECORDS);
    stored.subList(0, RECORDS / 2).forEach(value -> broker.state().store(0, value));
    List<String> values = new ArrayList<>();
    List<Long> positions = new ArrayList<>();
    try (Consumer<String, String> consumer = consumer(most, 0)) {
      while (values.size() < RECORDS) {
        int[] calls = new int[1];
        int count = consumer.pollPartitions(LATER, records -> {
          positions.add(consumer.position("orders", 0, LATER));
          assertThat(records.next()).as("call %d after %s", ++calls[0], values).isTrue();
          values.add(String.valueOf(records.record().value()));
          if (values.size() % 3 == 0) {
            return; // the others are for the next call
          }
          while (records.next()) {
            values.add(String.valueOf(records.record().value()));
          }
        });
        assertThat(count).isBetween(1, most);
        if (values.size() == RECORDS / 2) { // the response with these records is used up
          later.forEach(value -> broker.state().store(0, value));
        }
      }
      assertThat(consumer.position("orders", 0, LATER)).isEqualTo(RECORDS);
    }
    assertThat(values).isEqualTo(stored);
    assertThat(positions).as("a record counts as handed out once next() has moved to it").doesNotHaveDuplicates()
        .isSorted();
  }

  @Test
  void recordThatIsPutBackIsTheFirstOfTheNextPollAndEndsThisOne() throws InterruptedException {
    broker.state().store(0, "a", "b", "c");
    List<String> values = new ArrayList<>();
    try (Consumer<String, String> consumer = consumer(100, 0)) {
      boolean[] refuses = {true};
      PartitionHandler<String, String> handler = records -> {
        while (records.next()) {
          String value = String.valueOf(records.record().value());
          if (value.equals("b") && refuses[0]) {
            refuses[0] = false;
            records.putBack();
            assertThat(records.position()).isEqualTo(records.record().offset());
            assertThat(records.next()).isFalse();
            assertThatThrownBy(records::putBack).isInstanceOf(IllegalStateException.class);
          } else {
            values.add(value);
          }
        }
      };
      while (values.isEmpty()) {
        consumer.pollPartitions(LATER, handler);
      }
      assertThat(values).containsExactly("a");
      assertThat(consumer.position("orders", 0, LATER)).isEqualTo(1);
      assertThat(consumer.pollPartitions(LATER, handler)).isEqualTo(2);
      assertThat(values).containsExactly("a", "b", "c");
      refuses[0] = true;
      broker.state().store(0, "b", "d");
      long deadline = System.nanoTime() + LATER.toNanos();
      while (refuses[0]) {
        assertThat(deadline - System.nanoTime()).isPositive();
        assertThat(consumer.pollPartitions(Duration.ofDays(1), handler)).as("ends without a record").isZero();
      }
      assertThat(consumer.pollPartitions(LATER, handler)).isEqualTo(2);
    }
  }

  /** The handler was once called again and again, without a pause and beyond the timeout of the poll. */
  @Test
  void handlerThatTakesNothingEndsThePoll() throws InterruptedException {
    broker.state().store(0, "a", "b");
    int[] calls = new int[1];
    try (Consumer<String, String> consumer = consumer(100, 0)) {
      while (calls[0] == 0) {
        assertThat(consumer.pollPartitions(LATER, records -> calls[0]++)).isZero();
      }
      assertThat(calls[0]).isEqualTo(1);
      assertThat(consumer.pollPartitions(Duration.ZERO, records -> calls[0]++)).isZero();
      assertThat(calls[0]).isEqualTo(2);
      assertThat(consumer.pollPartitions(LATER, records -> {
        while (records.next()) {
          calls[0]++;
        }
      })).isEqualTo(2);
    }
  }

  /** The position stays before the record of the error, and of no other. */
  @Test
  void errorOfTheHandlerPutsTheLastRecordBack() throws InterruptedException {
    broker.state().store(0, "a", "b", "c");
    List<String> values = new ArrayList<>();
    try (Consumer<String, String> consumer = consumer(100, 0)) {
      assertThatThrownBy(() -> consumer.pollPartitions(LATER, records -> {
        while (records.next()) {
          values.add(String.valueOf(records.record().value()));
          if (values.size() == 2) {
            throw new OutOfMemoryError("of this test");
          }
        }
      })).isInstanceOf(OutOfMemoryError.class);
      assertThat(consumer.position("orders", 0, LATER)).isEqualTo(1);
      consumer.pollPartitions(LATER, records -> {
        while (records.next()) {
          values.add(String.valueOf(records.record().value()));
        }
      });
      assertThat(values).containsExactly("a", "b", "b", "c");
    }
  }

  /** The marker is in a response of its own, or behind a record in the same one. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void handlerSeesAPositionThatMovesPastATransactionMarker(boolean isAlone) throws InterruptedException {
    broker.state().store(0, "a");
    if (!isAlone) {
      broker.state().store(0, marker());
    }
    List<String> seen = new ArrayList<>();
    PartitionHandler<String, String> handler = new PartitionHandler<>() {
      @Override
      public void onRecords(PartitionRecords<String, String> records) {
        assertThat(records.next()).isTrue();
        seen.add(records.record().value() + ", then " + records.position());
      }

      @Override
      public boolean onPositionAdvanced(PartitionRecords<String, String> position) {
        assertThat(position.next()).isFalse();
        seen.add("nothing, then " + position.position() + " of " + position.topic() + "-" + position.partition());
        return true;
      }
    };
    try (Consumer<String, String> consumer = consumer(1, 0)) {
      assertThat(consumer.pollPartitions(LATER, handler)).isEqualTo(1);
      if (isAlone) {
        broker.state().store(0, marker());
      }
      assertThat(consumer.pollPartitions(LATER, handler)).isZero(); // long before the timeout
      assertThat(consumer.position("orders", 0, LATER)).isEqualTo(2);
      broker.state().store(0, "b");
      assertThat(consumer.pollPartitions(LATER, handler)).isEqualTo(1);
    }
    assertThat(seen).containsExactly("a, then 1", "nothing, then 2 of orders-0", "b, then 3");
  }

  /** The next poll has another handler, which must wait for its record. */
  @Test
  void handlerThatWantsAnEndWithoutRecordsEndsNoLaterPoll() throws InterruptedException {
    broker.state().store(0, marker());
    PartitionHandler<String, String> ending = new PartitionHandler<>() {
      @Override
      public void onRecords(PartitionRecords<String, String> records) {
        throw new IllegalStateException("no more");
      }

      @Override
      public boolean onPositionAdvanced(PartitionRecords<String, String> position) {
        return true;
      }
    };
    List<String> values = new ArrayList<>();
    try (Consumer<String, String> consumer = consumer(1, 0)) {
      assertThat(consumer.pollPartitions(LATER, ending)).isZero();
      broker.state().store(0, "a"); // not before: the same poll may see records that have arrived
      assertThat(consumer.poll(LATER, record -> values.add(String.valueOf(record.value())))).isEqualTo(1);
    }
    assertThat(values).containsExactly("a");
  }

  /** A handler that does not ask for this waits for records. */
  @Test
  void pollGoesOnPastATransactionMarker() throws InterruptedException {
    broker.state().store(0, marker());
    broker.state().store(0, "a");
    List<String> values = new ArrayList<>();
    try (Consumer<String, String> consumer = consumer(1, 0)) {
      assertThat(consumer.pollPartitions(LATER, records -> {
        assertThat(records.next()).isTrue();
        values.add(String.valueOf(records.record().value()));
      })).isEqualTo(1);
    }
    assertThat(values).containsExactly("a");
  }

  private static ByteBuffer marker() {
    ByteBuffer batch = Batches.of(0, "marker");
    batch.putShort(ATTRIBUTES_AT, (short) (batch.getShort(ATTRIBUTES_AT) | CONTROL));
    RecordBatchHeader.seal(new CRC32C(), batch, 0, batch.limit());
    return batch;
  }

  /** A record to which no handler has moved is delivered by the next poll of any kind. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void recordThatTheHandlerDoesNotTakeComesNext(boolean inBatches) throws InterruptedException {
    broker.state().store(0, "a", "b", "c");
    List<String> values = new ArrayList<>();
    try (Consumer<String, String> consumer = consumer(10, 0)) {
      while (values.isEmpty()) {
        assertThat(consumer.pollPartitions(Duration.ofMillis(20), partition -> values.add("none taken"))).isZero();
      }
      assertThat(values).containsOnly("none taken");
      values.clear();
      assertThat(consumer.position("orders", 0, LATER)).isZero();
      if (inBatches) {
        consumer.pollPartitions(LATER, records -> {
          while (records.next()) {
            values.add(String.valueOf(records.record().value()));
          }
        });
      } else {
        consumer.poll(LATER, record -> values.add(String.valueOf(record.value())));
      }
    }
    assertThat(values).containsExactly("a", "b", "c");
  }
}
