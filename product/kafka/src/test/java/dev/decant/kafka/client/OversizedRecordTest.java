package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.consumer.UnreadableBatchException;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.FetchResponse;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests records and responses as large as the client's memory for responses, or larger. */
class OversizedRecordTest extends AgainstScriptedBroker {
  private static final int MEMORY_BYTES = 1 << 20;

  OversizedRecordTest() {
    super(4, LATER);
  }

  private KafkaClient client(int memoryBytes) {
    return KafkaClient.builder(address()).fetchMemory(memoryBytes).requestTimeout(LATER).build();
  }

  private static Consumer<String, String> consumer(KafkaClient of, int... partitions) {
    Consumer<String, String> consumer = of.consumer(Serdes.string(), Serdes.string())
        .offsetReset(OffsetReset.EARLIEST).fetchMaxWait(Duration.ofMillis(100)).open();
    consumer.assign(ScriptedBroker.TOPIC, partitions);
    return consumer;
  }

  private static String text(int bytes) {
    return "x".repeat(bytes);
  }

  /** The connection once ended, the same was fetched again for ever, and poll reported nothing. */
  @Test
  void recordLargerThanTheMemoryIsAnErrorOfPollAndOtherPartitionsGoOn() throws InterruptedException {
    broker.state().store(0, "a", "b");
    broker.state().store(0, text(3 * MEMORY_BYTES / 2));
    broker.state().store(0, "c");
    broker.state().store(1, "x");
    List<String> values = new ArrayList<>();
    try (KafkaClient small = client(MEMORY_BYTES); Consumer<String, String> consumer = consumer(small, 0, 1)) {
      assertThat(failureOf(consumer, values)).isInstanceOfSatisfying(UnreadableBatchException.class, e -> {
        assertThat(e.code()).isEqualTo(ErrorCode.MESSAGE_TOO_LARGE);
        assertThat(e.topic()).isEqualTo(ScriptedBroker.TOPIC);
        assertThat(e.partition()).isZero();
        assertThat(e.position()).isEqualTo(2);
        assertThat(e.nextOffset()).isEqualTo(3);
      }).hasMessageMatching("records of orders-0 at offset 2 are a batch of 15729\\d\\d bytes in a response of "
          + "15\\d{5} bytes from broker " + broker.address()
          + "; the client's fetch memory \\(decant.fetch.memory.bytes\\) of"
          + " 1048576 bytes has no"
          + " room for that: raise it; they are fetched again, seek to 3 to go on behind them");
      assertThat(consumer.position(ScriptedBroker.TOPIC, 0, LATER)).isEqualTo(2);
      for (int i = 0; i < 10; i++) {
        broker.state().store(1, "y" + i);
        values.addAll(read(consumer, 1));
      }
      assertThat(values).hasSize(13).contains("a", "b", "x", "y0", "y9");
      consumer.seek(ScriptedBroker.TOPIC, 0, 3);
      assertThat(read(consumer, 1)).containsExactly("c");
      assertThat(small.status().fetchMemoryInUse()).isZero();
    }
    assertThat(broker.requests(ApiKey.FETCH).stream().map(r -> r.connection()).distinct()).as("fetch connections")
        .hasSize(1);
  }

  /** The usable bound was once the power of two below. */
  @Test
  void boundIsWhatWasSet() throws InterruptedException {
    broker.state().store(0, text(2_900_000));
    broker.state().store(0, text(2_900_000));
    broker.state().store(0, "c");
    try (KafkaClient three = client(3_000_000); Consumer<String, String> consumer = consumer(three, 0)) {
      assertThat(read(consumer, 3)).extracting(String::length).containsExactly(2_900_000, 2_900_000, 1);
      assertThat(three.status().fetchMemory()).isEqualTo(3_000_000);
    }
  }

  /**
   * A small fetch memory once excluded large batches. Consumers behind Apache's interfaces therefore each had a large
   * one, and a few of them took all direct memory of a small process.
   */
  @Test
  void batchBeyondTheFetchMemoryIsReadWithExtraMemoryThatIsFreedAfterwards() throws InterruptedException {
    broker.state().store(0, text(3 * MEMORY_BYTES), text(3 * MEMORY_BYTES));
    broker.state().store(0, "c");
    try (KafkaClient small = KafkaClient.builder(address()).fetchMemory(MEMORY_BYTES, 8 * MEMORY_BYTES)
        .requestTimeout(LATER).build(); Consumer<String, String> consumer = consumer(small, 0)) {
      assertThat(read(consumer, 3)).extracting(String::length).containsExactly(3 * MEMORY_BYTES, 3 * MEMORY_BYTES, 1);
      assertThat(ClientInternals.of(small).fetchMemory().cachedBytes()).isLessThanOrEqualTo(MEMORY_BYTES);
    }
    assertThat(broker.requests(ApiKey.FETCH)).allMatch(r -> r.fetch().maxBytes() < MEMORY_BYTES / 2);
  }

  /** Small leases of others, one after the other, once kept the memory from ever being free for a large one. */
  @Test
  void recordThatNeedsNearlyAllMemoryIsReadBesideABusyConsumer() throws InterruptedException {
    broker.state().store(0, text(MEMORY_BYTES - 20_000));
    for (int i = 0; i < 40; i++) {
      broker.state().store(1, text(50_000));
    }
    try (KafkaClient small = client(MEMORY_BYTES);
        Consumer<String, String> busy = consumer(small, 1);
        Consumer<String, String> large = consumer(small, 0)) {
      int[] bytes = {0};
      int[] others = {0};
      long deadline = System.nanoTime() + LATER.toNanos();
      while (bytes[0] == 0) {
        assertThat(deadline - System.nanoTime()).as("time left; %d other records", others[0]).isPositive();
        others[0] += busy.poll(Duration.ofMillis(1), record -> {});
        if (others[0] >= 20) {
          busy.seek(ScriptedBroker.TOPIC, 1, 0);
          others[0] = 0;
        }
        large.poll(Duration.ofMillis(1), record -> bytes[0] += record.valueLength());
      }
      assertThat(bytes[0]).isEqualTo(MEMORY_BYTES - 20_000);
    }
  }

  /** All consumers of the client once waited until the request had timed out, again and again. */
  @Test
  void recordThatThereIsNoRoomForLetsOthersGoOnAndIsReadLater() throws InterruptedException {
    for (int i = 0; i < 6; i++) {
      broker.state().store(2, text(50_000));
    }
    broker.state().store(0, text(MEMORY_BYTES - 20_000));
    try (KafkaClient small = KafkaClient.builder(address()).fetchMemory(MEMORY_BYTES)
        .requestTimeout(Duration.ofSeconds(1)).build();
        Consumer<String, String> idle = small.consumer(Serdes.string(), Serdes.string())
            .offsetReset(OffsetReset.EARLIEST).maxPollRecords(1).open();
        Consumer<String, String> large = consumer(small, 0);
        Consumer<String, String> busy = consumer(small, 1)) {
      idle.assign(ScriptedBroker.TOPIC, 2);
      assertThat(read(idle, 1)).hasSize(1);
      long deadline = System.nanoTime() + LATER.toNanos();
      while (small.status().problems().stream().noneMatch(p -> p.contains("there is no room for a response of"))) {
        assertThat(deadline - System.nanoTime()).as("time left; %s", small.status()).isPositive();
        assertThat(large.poll(SOON, record -> {})).isZero();
      }
      for (int i = 0; i < 5; i++) {
        broker.state().store(1, "b" + i);
        assertThat(read(busy, 1)).containsExactly("b" + i);
      }
      assertThat(read(idle, 5)).hasSize(5);
      assertThat(idle.poll(Duration.ofMillis(1), record -> {})).as("gives the memory back").isZero();
      large.seek(ScriptedBroker.TOPIC, 0, 0); // otherwise the fetch is repeated only after ten seconds
      assertThat(read(large, 1)).extracting(String::length).containsExactly(MEMORY_BYTES - 20_000);
    }
  }

  /** Other parts of a response may be larger than the memory, too: within a session they come only once. */
  @Test
  void responseThatIsTooLargeIsSkippedAndItsSessionGoesOn() throws InterruptedException {
    broker.state().store(0, "a");
    broker.next(ApiKey.FETCH, saysTooMuch());
    try (KafkaClient small = client(MEMORY_BYTES); Consumer<String, String> consumer = consumer(small, 0)) {
      assertThat(read(consumer, 1)).containsExactly("a");
    }
    assertThat(broker.requests(ApiKey.FETCH).get(1).fetch().sessionEpoch()).isEqualTo(1);
  }

  @Test
  void responsesThatAlwaysSayTooMuchAreAnErrorOfPoll() throws InterruptedException {
    broker.state().store(0, "a");
    broker.always(ApiKey.FETCH, saysTooMuch());
    try (KafkaClient small = client(MEMORY_BYTES); Consumer<String, String> consumer = consumer(small, 0)) {
      KafkaException failure = failureOf(consumer, new ArrayList<>());
      assertThat(failure.code()).isEqualTo(ErrorCode.MESSAGE_TOO_LARGE);
      assertThat(failure).hasMessageMatching("fetch: broker " + broker.address() + " answered with \\d+ bytes about 1"
          + " partitions; the client's fetch memory \\(decant.fetch.memory.bytes\\) of"
          + " 1048576 bytes has no room for that: raise it");
      broker.always(ApiKey.FETCH, Script.STANDARD);
      assertThat(read(consumer, 1)).containsExactly("a");
    }
  }

  private Script saysTooMuch() {
    return exchange -> {
      FetchResponse response = broker.state().fetch(exchange.request().fetch());
      response.responses().forEach(t -> t.partitions().forEach(p -> p.abortedTransactions(
          Collections.nCopies(80_000, new FetchResponse.AbortedTransaction().producerId(7).firstOffset(1_000)))));
      exchange.answer(response::write);
    };
  }
}
