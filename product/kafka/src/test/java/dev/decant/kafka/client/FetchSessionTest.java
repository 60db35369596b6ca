package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.broker.Request;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.FetchRequest;
import dev.decant.kafka.protocol.message.FetchResponse;
import dev.decant.kafka.serialization.Serdes;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests incremental fetch sessions (KIP-227), as the broker sees them. */
class FetchSessionTest extends AgainstScriptedBroker {
  FetchSessionTest() {
    super(2, LATER);
  }

  private static Set<Integer> named(Request request) {
    Set<Integer> partitions = new TreeSet<>();
    request.fetch().topics().forEach(t -> t.partitions().forEach(p -> partitions.add(p.partition())));
    return partitions;
  }

  private static Set<Integer> forgotten(Request request) {
    Set<Integer> partitions = new TreeSet<>();
    request.fetch().forgottenTopicsData().forEach(t -> partitions.addAll(t.partitions()));
    return partitions;
  }

  private static boolean isFull(Request request) {
    return request.fetch().sessionEpoch() == 0;
  }

  private static Script sessionError(ErrorCode code) {
    FetchResponse response = new FetchResponse().errorCode(code.code());
    return exchange -> exchange.answer(response::write);
  }

  private Consumer<String, String> consumerOf(int... partitions) {
    Consumer<String, String> consumer = consumer();
    consumer.assign(ScriptedBroker.TOPIC, partitions);
    return consumer;
  }

  @Test
  void requestsAfterTheFirstAreIncrementalAndNameOnlyPartitionsThatMoved() throws InterruptedException {
    broker.state().store(0, "a");
    broker.state().store(1, "x");
    try (Consumer<String, String> consumer = consumerOf(0, 1)) {
      assertThat(read(consumer, 2)).containsExactlyInAnyOrder("a", "x");
      broker.state().store(0, "b");
      assertThat(read(consumer, 1)).containsExactly("b");
      broker.await(ApiKey.FETCH, seen -> namesOnlyPartition0(seen.getLast()));
    }
    List<Request> fetches = broker.requests(ApiKey.FETCH);
    assertThat(fetches).filteredOn(FetchSessionTest::isFull).hasSize(1);
    assertThat(fetches).extracting(r -> r.fetch().sessionEpoch())
        .isEqualTo(IntStream.range(0, fetches.size()).boxed().toList());
    assertThat(fetches.subList(1, fetches.size())).extracting(r -> r.fetch().sessionId())
        .containsOnly(fetches.get(1).fetch().sessionId());
  }

  private static boolean namesOnlyPartition0(Request request) {
    return named(request).equals(Set.of(0));
  }

  /**
   * With both responses at the application no fetch is sent. A consumer that has used one up notifies the loop, which
   * sends the next fetch by itself.
   */
  @Test
  void nextRequestLeavesAsSoonAsOneOfTwoResponsesIsUsedUp() throws InterruptedException {
    broker.state().store(0, "a");
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string())
        .offsetReset(OffsetReset.EARLIEST).fetchMaxWait(LATER.dividedBy(2)).maxPollRecords(1).open()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      assertThat(read(consumer, 1)).containsExactly("a");
      broker.await(ApiKey.FETCH, 2);
      broker.state().store(0, "b");
      long deadline = System.nanoTime() + LATER.toNanos();
      while (consumer.currentLag(ScriptedBroker.TOPIC, 0) < 1 && deadline - System.nanoTime() > 0) {
        Thread.onSpinWait();
      }
      assertThat(broker.requests(ApiKey.FETCH)).as("the second answer is here too, and nobody has polled").hasSize(2);

      assertThat(read(consumer, 1)).containsExactly("b");
      broker.await(ApiKey.FETCH, 3); // no thread polls meanwhile
    }
  }

  /** An empty session would end: the next request would be full, and the broker would build another session. */
  @Test
  void sessionGoesOnOverASeekToTheBeginning() throws InterruptedException {
    broker.state().store(0, "a");
    broker.state().store(1, "x");
    try (Consumer<String, String> consumer = consumerOf(0, 1)) {
      assertThat(read(consumer, 2)).containsExactlyInAnyOrder("a", "x");
      for (int i = 0; i < 3; i++) {
        consumer.seekToBeginning();
        assertThat(read(consumer, 2)).containsExactlyInAnyOrder("a", "x");
      }
    }
    List<Request> fetches = broker.requests(ApiKey.FETCH);
    assertThat(fetches).filteredOn(FetchSessionTest::isFull).hasSize(1);
    Set<Integer> session = new TreeSet<>();
    for (Request r : fetches) {
      session.addAll(named(r));
      session.removeAll(forgotten(r));
      assertThat(session).as("what the session has after " + r).isNotEmpty();
    }
  }

  @Test
  void partitionThatIsReadNoMoreIsForgottenAndTheSessionGoesOn() throws InterruptedException {
    broker.state().store(0, "a");
    broker.state().store(1, "x");
    try (Consumer<String, String> consumer = consumerOf(0, 1)) {
      assertThat(read(consumer, 2)).containsExactlyInAnyOrder("a", "x");
      consumer.assign(ScriptedBroker.TOPIC, 1);
      broker.await(ApiKey.FETCH, seen -> forgotten(seen.getLast()).equals(Set.of(0)));
      broker.state().store(0, "not read");
      broker.state().store(1, "y");
      assertThat(read(consumer, 1)).containsExactly("y");
    }
    assertThat(broker.requests(ApiKey.FETCH)).filteredOn(FetchSessionTest::isFull).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(names = {"FETCH_SESSION_ID_NOT_FOUND", "INVALID_FETCH_SESSION_EPOCH"})
  void afterTheBrokerLostTheSessionTheNextRequestIsFullAndRecordsGoOn(ErrorCode code) throws InterruptedException {
    broker.state().store(0, "a");
    broker.state().store(1, "x");
    try (Consumer<String, String> consumer = consumerOf(0, 1)) {
      assertThat(read(consumer, 2)).containsExactlyInAnyOrder("a", "x");
      int before = broker.requests(ApiKey.FETCH).size();
      broker.next(ApiKey.FETCH, sessionError(code));
      List<Request> seen = broker.await(ApiKey.FETCH, before + 3);
      int lost = seen.stream().filter(FetchSessionTest::isFull).skip(1).findFirst().map(seen::indexOf).orElse(-1);
      assertThat(lost).as("the second full request").isGreaterThanOrEqualTo(before);
      assertThat(named(seen.get(lost))).containsExactly(0, 1);
      assertThat(offsets(seen.get(lost).fetch())).containsOnly(1L);
      broker.state().store(0, "b", "c");
      broker.state().store(0, "d");
      assertThat(read(consumer, 3)).containsExactly("b", "c", "d");
    }
    assertThat(broker.requests(ApiKey.FETCH)).filteredOn(FetchSessionTest::isFull).hasSize(2);
  }

  private static List<Long> offsets(FetchRequest request) {
    return request.topics().stream().flatMap(t -> t.partitions().stream())
        .map(FetchRequest.FetchPartition::fetchOffset).toList();
  }

  @Test
  void withoutRoomForASessionEveryRequestIsFull() throws InterruptedException {
    broker.state().roomForSessions(false);
    broker.state().store(0, "a");
    broker.state().store(1, "x");
    try (Consumer<String, String> consumer = consumerOf(0, 1)) {
      assertThat(read(consumer, 2)).containsExactlyInAnyOrder("a", "x");
      broker.state().store(0, "b");
      assertThat(read(consumer, 1)).containsExactly("b");
      broker.await(ApiKey.FETCH, 3);
    }
    List<Request> fetches = broker.requests(ApiKey.FETCH);
    assertThat(fetches).allSatisfy(r -> {
      assertThat(isFull(r)).isTrue();
      assertThat(r.fetch().sessionId()).isZero();
    });
    assertThat(named(fetches.getLast())).containsExactly(0, 1);
  }

  @Test
  void newConnectionBeginsWithAFullRequestAndNoRecordComesTwice() throws InterruptedException, IOException {
    broker.state().store(0, "a");
    broker.state().store(1, "x");
    try (Consumer<String, String> consumer = consumerOf(0, 1)) {
      assertThat(read(consumer, 2)).containsExactlyInAnyOrder("a", "x"); // both have an offset when the session is cut
      broker.cutAll();
      broker.state().store(0, "b");
      assertThat(read(consumer, 1)).containsExactly("b");
    }
    List<Request> fetches = broker.requests(ApiKey.FETCH);
    int first = fetches.getFirst().connection();
    assertThat(fetches.stream().filter(r -> r.connection() != first).findFirst()).get().satisfies(r -> {
      assertThat(isFull(r)).isTrue();
      assertThat(named(r)).containsExactly(0, 1);
    });
  }

  /** Brokers respond to the requests of a connection in order: on one connection all would wait for the fetch. */
  @Test
  void fetchThatWaitsAtTheBrokerHoldsUpNothingElse() throws InterruptedException {
    broker.always(ApiKey.FETCH, Script.SILENCE);
    try (Consumer<String, String> consumer = consumerOf(0); Producer<String, String> producer = producer(LATER)) {
      consumer.poll(Duration.ZERO, record -> {});
      broker.await(ApiKey.FETCH, 1);
      assertThat(producer.sendAndWait(null, "a").offset()).isZero();
      consumer.seekToEnd();
      assertThat(consumer.position(ScriptedBroker.TOPIC, 0, LATER)).isEqualTo(1);
    }
    assertThat(broker.requests(ApiKey.FETCH)).hasSize(1);
  }

  @Test
  void recordsComeOnceAndInOrderThoughTheSessionIsLostAgainAndAgain() throws InterruptedException {
    int count = 200;
    try (Consumer<String, String> consumer = consumerOf(0)) {
      for (int i = 0; i < count; i++) {
        if (i % 20 == 0) {
          broker.next(ApiKey.FETCH, sessionError(ErrorCode.FETCH_SESSION_ID_NOT_FOUND));
        }
        broker.state().store(0, "r" + i);
      }
      List<String> expected = IntStream.range(0, count).mapToObj(i -> "r" + i).toList();
      assertThat(read(consumer, count)).isEqualTo(expected);
    }
  }
}
