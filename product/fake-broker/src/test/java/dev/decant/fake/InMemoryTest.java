package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.client.KafkaClientBuilder;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Ack;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests Decant's clients on brokers within the process: everything that works, and fails, by ports. */
@Timeout(60)
class InMemoryTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static FakeClusterBuilder builder(boolean inMemory) {
    FakeClusterBuilder builder = FakeCluster.builder().topic("orders", 1);
    return inMemory ? builder.inMemory() : builder;
  }

  private static KafkaClientBuilder client(FakeCluster kafka) {
    return KafkaClient.builder(kafka.bootstrap()).clientId("shop").runtimeCheck(false)
        .requestTimeout(Duration.ofSeconds(15)).reconnectBackoff(Duration.ofMillis(1), Duration.ofMillis(5));
  }

  private static Producer<String, String> producer(KafkaClient client) throws InterruptedException {
    return client.producer(Serdes.string(), Serdes.string()).topic("orders").open();
  }

  private static List<String> read(KafkaClient client, int count) throws InterruptedException {
    List<String> read = new ArrayList<>();
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).group("billing")
        .subscribe("orders").offsetReset(OffsetReset.EARLIEST).open()) {
      while (read.size() < count) {
        consumer.poll(PATIENCE, record -> read.add(record.value()));
      }
    }
    return read;
  }

  @Test
  void aClientReachesBrokersInMemoryByTheirAddressesAlone() throws Exception {
    try (FakeCluster kafka = FakeCluster.builder().brokers(3).topic("orders", 3).inMemory().start();
        KafkaClient client = KafkaClient.connect(kafka.bootstrap());
        Producer<String, String> producer = producer(client)) {
      assertThat(kafka.bootstrap()).matches("fake-\\d+-broker-1.in-memory.invalid:9092,.*");
      List<String> sent = IntStream.range(0, 100).mapToObj(i -> "value-" + i).toList();
      for (String value : sent) {
        Ack unused = producer.sendAndWait(value, value);
      }
      assertThat(read(client, 100)).containsExactlyInAnyOrderElementsOf(sent);
      assertThat(client.status().connections()).isNotEmpty()
          .allMatch(c -> c.toString().contains(".in-memory.invalid:9092"));
    }
  }

  @Test
  void muchMoreThanAConnectionHoldsGoesThroughBothWays() throws Exception {
    String large = "x".repeat(300_000);
    try (FakeCluster kafka = builder(true).start();
        KafkaClient client = client(kafka).build();
        Producer<String, String> producer = producer(client)) {
      for (int i = 0; i < 20; i++) {
        producer.send("k", large);
      }
      producer.flush(PATIENCE);
      assertThat(read(client, 20)).allMatch(large::equals);
    }
  }

  static Stream<Arguments> faults() {
    Map<String, Function<FaultBuilder, Fault>> faults = Map.ofEntries(
        Map.entry("an error", f -> f.answer(ErrorCode.NOT_LEADER_OR_FOLLOWER)),
        Map.entry("closed before", FaultBuilder::closeBefore),
        Map.entry("closed after", FaultBuilder::closeAfter),
        Map.entry("damage", FaultBuilder::damage),
        Map.entry("twice", FaultBuilder::answerTwice),
        Map.entry("two pieces", FaultBuilder::answerInTwoPieces),
        Map.entry("throttled", f -> f.throttle(Duration.ofMillis(1))),
        Map.entry("late", f -> f.delay(Duration.ofMillis(1))),
        Map.entry("late response", f -> f.answerAfter(Duration.ofMillis(1))));
    return faults.entrySet().stream().flatMap(e -> Stream.of(true, false)
        .map(inMemory -> Arguments.of(e.getKey(), e.getValue(), inMemory)));
  }

  @ParameterizedTest(name = "{0}, in memory: {2}")
  @MethodSource("faults")
  void aFaultOfASendIsTheSameByPortsAndInMemory(String name, Function<FaultBuilder, Fault> fault, boolean inMemory)
      throws Exception {
    try (FakeCluster kafka = builder(inMemory).start();
        KafkaClient client = client(kafka).build();
        Producer<String, String> producer = producer(client)) {
      Fault made = fault.apply(kafka.faults().on(ApiKey.PRODUCE));
      Ack first = producer.sendAndWait("k", "first");
      Ack second = producer.sendAndWait("k", "second");
      assertThat(made.hits()).as(name).isEqualTo(1);
      assertThat(first.offset()).isZero();
      assertThat(second.offset()).isEqualTo(1);
      assertThat(kafka.log("orders", 0).texts()).containsExactly("first", "second");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aBrokerDiesComesBackAndMoves(boolean inMemory) throws Exception {
    try (FakeCluster kafka = builder(inMemory).brokers(2).start();
        KafkaClient client = client(kafka).build();
        Producer<String, String> producer = producer(client)) {
      List<String> sent = new ArrayList<>();
      Runnable oneLeads = () -> kafka.moveLeader("orders", 0, 1); // a response then names the leader
      Runnable twoLeads = () -> kafka.moveLeader("orders", 0, 2);
      List<Runnable> steps = List.of(kafka.broker(1)::kill, kafka.broker(1)::restart,
          kafka.broker(1)::disconnectClients, kafka.broker(2)::kill, kafka.broker(2)::restartElsewhere, twoLeads,
          kafka.broker(1)::replace, oneLeads, kafka.broker(2)::disconnectClients, kafka::reset);
      for (Runnable step : steps) {
        int port = kafka.broker(1).port();
        step.run();
        sent.add("value-" + sent.size());
        var unused = producer.sendAndWait("k", sent.getLast());
        assertThat(kafka.log("orders", 0).texts()).endsWith(sent.getLast());
        assertThat(kafka.broker(1).port() == port).isEqualTo(sent.size() != 7);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void nothingMovesWhileTheClockStandsStill(boolean inMemory) throws Exception {
    try (FakeCluster kafka = builder(inMemory).start();
        KafkaClient client = client(kafka).build();
        Producer<String, String> producer = producer(client)) {
      kafka.clock().stop();
      var unused = kafka.faults().on(ApiKey.PRODUCE).delay(Duration.ofSeconds(5));
      CompletableFuture<Ack> ack = producer.sendAsync("k", "v", null);
      var request = kafka.awaitRequest(ApiKey.PRODUCE, PATIENCE);
      kafka.clock().advance(Duration.ofMillis(4_999));
      assertThat(kafka.log("orders", 0).texts()).isEmpty();
      kafka.clock().advance(Duration.ofMillis(1));
      assertThat(ack.get().offset()).isZero();
      assertThat(request.clientId()).isEqualTo("shop");
    }
  }

  @Test
  void theSameProgramSendsTheSameRequests() throws Exception {
    List<List<String>> runs = new ArrayList<>();
    for (int run = 0; run < 3; run++) {
      try (FakeCluster kafka = builder(true).start();
          KafkaClient client = client(kafka).build();
          Transactions transactions = client.transactions("billing-0").open();
          Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic("orders")
              .transactions(transactions).open()) {
        for (int i = 0; i < 3; i++) {
          transactions.begin();
          Ack unused = producer.sendAndWait("k", "v");
          transactions.commit(PATIENCE);
        }
        runs.add(kafka.requests().stream().map(r -> r.connection() + " " + r.api() + " " + r.version()).toList());
      }
    }
    assertThat(runs.get(1)).isEqualTo(runs.getFirst());
    assertThat(runs.get(2)).isEqualTo(runs.getFirst());
  }

  @Test
  void aClosedClusterRefusesItsClientsByName() throws Exception {
    FakeCluster kafka = builder(true).start();
    String address = kafka.bootstrap();
    kafka.close();
    try (KafkaClient client = KafkaClient.builder(address).runtimeCheck(false).build()) {
      assertThatThrownBy(() -> client.producer(Serdes.string(), Serdes.string()).topic("orders")
          .maxBlock(Duration.ofMillis(50)).open().sendAndWait("k", "v")).isInstanceOf(KafkaException.class)
          .hasMessageContaining("nothing listens at " + address + ", an address within this process");
    }
  }

  @Test
  void clientsOfOtherKindsFindNoSuchHost() {
    try (FakeCluster kafka = builder(true).start()) {
      assertThatThrownBy(() -> ApacheClients.producer(kafka, Map.of()).close())
          .hasStackTraceContaining("No resolvable bootstrap urls");
    }
  }

  @Test
  void clustersInMemoryDoNotMeetAndLeaveNothingBehind() throws Exception {
    try (FakeCluster one = builder(true).start();
        FakeCluster two = builder(true).start();
        KafkaClient client = client(one).build();
        Producer<String, String> producer = producer(client)) {
      assertThat(producer.sendAndWait("k", "v").offset()).isZero();
      assertThat(two.requests()).isEmpty();
      assertThat(one.bootstrap()).isNotEqualTo(two.bootstrap());
    }
    assertThat(Thread.getAllStackTraces().keySet()).noneMatch(t -> t.getName().startsWith("decant-fake-cluster"));
  }
}
