package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.ConnectionStatus;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.Statistic;
import dev.decant.kafka.broker.ProduceResponses;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.event.ConnectionListener;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.producer.Partitioner;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.FetchResponse;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataResponse;
import dev.decant.kafka.protocol.message.ProduceResponse;
import dev.decant.kafka.serialization.Serdes;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests brokers that move, throttle, or have several addresses, and topics that are created again. */
class ClusterLifeTest extends AgainstScriptedBroker {
  private static final int THROTTLED_MILLIS = 300;

  ClusterLifeTest() {
    super(3, LATER);
  }

  private static void await(KafkaClient client, BooleanSupplier condition) throws InterruptedException {
    assertThat(ClientInternals.of(client).cluster().waiters().await(condition, System.nanoTime() + LATER.toNanos()))
        .isTrue();
  }

  @Test
  void leaderNamedBesideTheErrorIsUsedAtOnceAndWithoutMetadata() throws InterruptedException {
    try (ScriptedBroker other = broker.peer(2);
        Producer<String, String> producer = producer().retryBackoff(LATER, LATER).open()) {
      SendOptions first = new SendOptions().partition(0);
      producer.sendAndWait(null, "a", first);
      broker.state().lead(0, 2);
      // Metadata lags behind: each broker names the old leader, with the old epoch.
      broker.always(ApiKey.METADATA, exchange -> {
        MetadataResponse stale = broker.state().metadata((MetadataRequest) exchange.request().body());
        stale.topics().getFirst().partitions().getFirst().leaderId(1).leaderEpoch(0);
        exchange.answer(stale::write);
      });
      broker.next(ApiKey.PRODUCE, exchange -> {
        ProduceResponse response = ProduceResponses.to(exchange.request().produce());
        response.responses().getFirst().partitionResponses().getFirst()
            .errorCode(ErrorCode.NOT_LEADER_OR_FOLLOWER.code())
            .currentLeader(new ProduceResponse.LeaderIdAndEpoch().leaderId(2).leaderEpoch(1));
        int colon = other.address().indexOf(':');
        response.nodeEndpoints(
            List.of(new ProduceResponse.NodeEndpoint().nodeId(2).host(other.address().substring(0, colon))
                .port(Integer.parseInt(other.address().substring(colon + 1))).rack(null)));
        exchange.answer(response::write);
      });
      producer.sendAndWait(null, "b", first);
      producer.sendAndWait(null, "c", first);
      assertThat(other.requests(ApiKey.PRODUCE)).hasSize(2);
    }
    assertThat(broker.state().stored(0)).containsExactly("a", "b", "c");
  }

  @Test
  void brokerThatThrottlesGetsNothingUntilItsTimeIsOver() throws InterruptedException {
    List<Integer> recorded = new CopyOnWriteArrayList<>();
    client.events().watchConnections(new ConnectionListener() {
      @Override
      public void onThrottled(String name, int millis) {
        recorded.add(millis);
      }
    });
    long[] answered = new long[1];
    AtomicLong pause = new AtomicLong();
    try (Producer<String, String> producer = producer(LATER)) {
      broker.next(ApiKey.PRODUCE, exchange -> {
        ProduceResponse response = broker.state().produce(exchange.request().produce());
        answered[0] = System.nanoTime();
        exchange.answer(response.throttleTimeMs(THROTTLED_MILLIS)::write);
      }, exchange -> {
        pause.set(System.nanoTime() - answered[0]);
        exchange.answer();
      });
      producer.sendAndWait(null, "a");
      producer.sendAndWait(null, "b");
    }
    assertThat(Duration.ofNanos(pause.get())).isGreaterThanOrEqualTo(Duration.ofMillis(THROTTLED_MILLIS));
    assertThat(recorded).containsExactly(THROTTLED_MILLIS);
    KafkaStatistics statistics = new KafkaStatistics();
    client.statistics(statistics);
    assertThat(statistics.value(Statistic.THROTTLED_MILLIS)).isEqualTo(THROTTLED_MILLIS);
  }

  @Test
  void aWishForWeeksEndsWithTheRequestTimeout() throws InterruptedException {
    broker.state().store(0, "a");
    broker.next(ApiKey.FETCH, exchange -> exchange
        .answer(broker.state().fetch(exchange.request().fetch()).throttleTimeMs(Integer.MAX_VALUE)::write));
    try (KafkaClient impatient = KafkaClient.builder(broker.address()).requestTimeout(SOON).build();
        Consumer<String, String> consumer = impatient.consumer(Serdes.string(), Serdes.string())
            .fetchMaxWait(Duration.ofMillis(100)).offsetReset(OffsetReset.EARLIEST).open()) {
      consumer.assign("orders", 0);
      assertThat(read(consumer, 1)).containsExactly("a");
      broker.state().store(0, "b");
      assertThat(read(consumer, 1)).containsExactly("b");
    }
  }

  @Test
  void aWishIsForgottenWithItsConnection() throws InterruptedException, IOException {
    broker.next(ApiKey.FETCH, exchange -> exchange
        .answer(broker.state().fetch(exchange.request().fetch()).throttleTimeMs(Integer.MAX_VALUE)::write));
    try (KafkaClient patient = KafkaClient.builder(broker.address()).requestTimeout(Duration.ofHours(1)).build();
        Consumer<String, String> consumer = patient.consumer(Serdes.string(), Serdes.string())
            .fetchMaxWait(Duration.ofMillis(100)).offsetReset(OffsetReset.EARLIEST).open()) {
      consumer.assign("orders", 0);
      broker.state().store(0, "a");
      assertThat(read(consumer, 1)).containsExactly("a");
      broker.state().store(0, "b");
      assertThat(consumer.poll(SOON, record -> {})).isZero();
      broker.cutAll();
      assertThat(read(consumer, 1)).containsExactly("b");
    }
  }

  @Test
  void aBatchThatExpiresWhileItsBrokerThrottlesSaysSo() throws InterruptedException {
    broker.next(ApiKey.PRODUCE, exchange -> exchange
        .answer(broker.state().produce(exchange.request().produce()).throttleTimeMs(Integer.MAX_VALUE)::write));
    try (Producer<String, String> patient = producer(LATER); Producer<String, String> producer = producer(SOON)) {
      patient.sendAndWait(null, "a");
      assertThatThrownBy(() -> producer.sendAndWait(null, "b")).isInstanceOf(KafkaTimeoutException.class)
          .hasMessageContaining("stage waiting until the broker takes requests again (throttle_time_ms)");
    }
  }

  @Test
  void brokerThatThrottlesAConsumerIsAskedAgainWhenItsTimeIsOver() throws InterruptedException {
    broker.state().store(0, "a");
    long[] answered = new long[1];
    AtomicLong pause = new AtomicLong();
    broker.next(ApiKey.FETCH, exchange -> {
      FetchResponse response = broker.state().fetch(exchange.request().fetch());
      answered[0] = System.nanoTime();
      exchange.answer(response.throttleTimeMs(THROTTLED_MILLIS)::write);
    }, exchange -> {
      pause.set(System.nanoTime() - answered[0]);
      exchange.answer();
    });
    try (Consumer<String, String> consumer = consumer()) {
      consumer.assign("orders", 0);
      assertThat(read(consumer, 1)).containsExactly("a");
      broker.state().store(0, "b");
      assertThat(read(consumer, 1)).containsExactly("b");
    }
    assertThat(Duration.ofNanos(pause.get())).isGreaterThanOrEqualTo(Duration.ofMillis(THROTTLED_MILLIS));
  }

  @Test
  void everyAddressOfAHostIsTried() throws InterruptedException {
    AtomicInteger lookups = new AtomicInteger();
    String port = address().substring(address().indexOf(':'));
    try (KafkaClient named = KafkaClient.builder("kafka.example" + port).connectTimeout(LATER).resolver(host -> {
      lookups.incrementAndGet();
      byte[] nobody = {127, 9, 9, 9};
      return host.equals("kafka.example")
          ? new InetAddress[] {InetAddress.getByAddress(nobody), InetAddress.getLoopbackAddress()}
          : InetAddress.getAllByName(host);
    }).build();
        Producer<String, String> producer = named.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
      producer.sendAndWait(null, "a");
      assertThat(named.status().lastErrors()).hasSize(1).first().asString().contains("kafka.example" + port);
    }
    assertThat(lookups).as("two addresses in one attempt, and the broker under its own name").hasValue(2);
  }

  @Test
  void idleConnectionIsClosedWithoutAnErrorAndOpenedAgainWhenItIsNeeded() throws InterruptedException {
    try (KafkaClient idle = KafkaClient.builder(address()).connectionsMaxIdle(Duration.ofMillis(100)).build();
        Producer<String, String> producer = idle.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
      producer.sendAndWait(null, "a");
      await(idle, () -> idle.status().connections().stream().noneMatch(ConnectionStatus::ready));
      producer.sendAndWait(null, "b");
      assertThat(idle.status().lastErrors()).isEmpty();
    }
    List<Integer> connections = broker.requests(ApiKey.PRODUCE).stream().map(Request::connection).toList();
    assertThat(connections).hasSize(2).doesNotHaveDuplicates();
  }

  /** Apache's clients take 0, and close idle connections. */
  @Test
  void clientThatKeepsNoIdleConnectionSendsAndReads() throws InterruptedException {
    Map<String, Object> settings = Map.of("bootstrap.servers", address(), "connections.max.idle.ms", 0);
    try (KafkaClient idle = KafkaClient.builder(settings).build();
        Producer<String, String> producer = idle.producer(Serdes.string(), Serdes.string()).topic("orders").open();
        Consumer<String, String> consumer = idle.consumer(Serdes.string(), Serdes.string())
            .offsetReset(OffsetReset.EARLIEST).open()) {
      consumer.assign("orders", 0, 1);
      for (String value : List.of("a", "b")) {
        producer.sendAndWait(null, value);
        await(idle, () -> idle.status().connections().stream().noneMatch(ConnectionStatus::ready));
      }
      assertThat(read(consumer, 2)).containsExactlyInAnyOrder("a", "b");
      assertThat(idle.status().lastErrors()).isEmpty();
    }
    assertThat(broker.requests(ApiKey.PRODUCE).stream().map(Request::connection)).hasSize(2).doesNotHaveDuplicates();
  }

  @Test
  void clusterThatAsksForItIsLookedUpFromTheBeginning() throws InterruptedException {
    try (Producer<String, String> producer = producer(LATER)) {
      producer.sendAndWait(null, "a");
      broker.next(ApiKey.METADATA, exchange -> exchange
          .answer(new MetadataResponse().errorCode(ErrorCode.REBOOTSTRAP_REQUIRED.code())::write));
      int connection = broker.requests(ApiKey.PRODUCE).getLast().connection();
      ClientInternals.of(client).loop().execute(ClientInternals.of(client).cluster()::requestUpdate);
      List<Request> asked = broker.await(ApiKey.METADATA, seen -> seen.getLast().connection() > connection);
      assertThat(asked.getLast().connection()).as("a new connection").isGreaterThan(connection);
      producer.sendAndWait(null, "b");
    }
  }

  @Test
  void topicThatIsMadeAgainWithFewerPartitionsIsWrittenToUnderItsNewId() throws InterruptedException {
    Partitioner last = (key, keyLength, partitions) -> partitions - 1;
    try (Producer<String, String> producer = producer().partitioner(last).open()) {
      producer.sendAndWait("k", "a");
      assertThat(broker.state().stored(2)).containsExactly("a");
      broker.state().recreate(2);
      broker.state().lead(1, 1);
      assertThatThrownBy(() -> producer.sendAndWait("k", "lost")).isInstanceOf(KafkaException.class)
          .hasMessageContaining("orders was made again with 2 partitions");
      assertThat(producer.sendAndWait("k", "b").partition()).isEqualTo(1);
    }
    assertThat(broker.state().stored(1)).containsExactly("b");
  }

  @Test
  void recordsWithoutAKeyAvoidAPartitionWithoutALeader() throws InterruptedException {
    broker.state().lead(1, -1);
    List<Integer> partitions = new ArrayList<>();
    try (Producer<String, String> producer = producer(LATER)) {
      producer.sendAndWait(null, "first");
      for (int i = 0; i < 12; i++) {
        partitions.add(producer.sendAndWait(null, "v" + i).partition());
      }
    }
    assertThat(partitions).contains(0, 2).doesNotContain(1);
  }

  @Test
  void recordsWithoutAKeyStayInTheRackAsLongAsThereIsALeader() throws InterruptedException {
    try (ScriptedBroker far = broker.peer(2)) {
      broker.state().rack(1, "near");
      broker.state().rack(2, "far");
      broker.state().lead(1, 2);
      try (
          Producer<String, String> producer = producer()
              .properties(Map.of("client.rack", "near", "partitioner.rack.aware", "true"))
              .open();
          Producer<String, String> elsewhere = producer().rack("nowhere").open()) {
        for (int i = 0; i < 8; i++) {
          producer.sendAndWait(null, "near " + i);
        }
        assertThat(far.requests(ApiKey.PRODUCE)).isEmpty();
        for (int i = 0; i < 6; i++) {
          elsewhere.sendAndWait(null, "anywhere " + i);
        }
        assertThat(far.requests(ApiKey.PRODUCE)).hasSize(2);
      }
    }
  }

  @Test
  void recordsWithoutAKeyAreSpreadEvenly() throws InterruptedException {
    try (Producer<String, String> producer = producer(LATER)) {
      for (int i = 0; i < 30; i++) {
        producer.sendAndWait(null, "v" + i);
      }
    }
    assertThat(IntStream.range(0, 3).map(p -> broker.state().stored(p).size())).allMatch(n -> n >= 9 && n <= 11);
  }
}
