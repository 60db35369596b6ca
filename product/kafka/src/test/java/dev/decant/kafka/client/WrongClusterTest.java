package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.WrongClusterException;
import dev.decant.kafka.broker.BrokerRelease;
import dev.decant.kafka.broker.ProduceResponses;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.cluster.HostResolver;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.event.ConnectionListener;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ApiVersionsRequest;
import dev.decant.kafka.protocol.message.ApiVersionsResponse;
import dev.decant.kafka.protocol.message.DescribeClusterResponse;
import dev.decant.kafka.protocol.message.InitProducerIdResponse;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataResponse;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.net.SocketTransport;
import dev.decant.net.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.NullSource;

/**
 * Tests a broker's address that a broker of another cluster takes over, with topics and groups of the same names. Half
 * of the records were once acknowledged there.
 */
class WrongClusterTest extends AgainstScriptedBroker {
  private static final String OTHER = "other";
  /** The requests that a client may send on a connection whose cluster it does not know. */
  private static final Set<ApiKey> HARMLESS = Set.of(ApiKey.API_VERSIONS, ApiKey.DESCRIBE_CLUSTER);

  WrongClusterTest() {
    super(1, LATER);
  }

  /** Gives the address to another cluster; returns the number of connections that the former one had. */
  private int handOver(String cluster) throws IOException {
    int before = broker.connections();
    broker.state().clusterId(cluster);
    broker.cutAll();
    return before;
  }

  private List<ApiKey> astray(int before) {
    return broker.requests().stream().filter(r -> r.connection() > before)
        .filter(r -> !HARMLESS.contains(r.api()) && !isMetadataWithoutTopics(r)).map(Request::api).toList();
  }

  private static boolean isMetadataWithoutTopics(Request request) {
    return request.body() instanceof MetadataRequest asked && List.of().equals(asked.topics());
  }

  private static void assertThatItNamesBoth(Throwable failure) {
    assertThat(failure).hasStackTraceContaining("belongs to cluster " + OTHER + ", this client to cluster scripted")
        .hasStackTraceContaining("metadata.cluster.check.enable=false");
  }

  /** Tests brokers that compare the ids themselves (null), that describe their cluster, and that have only metadata. */
  @ParameterizedTest
  @NullSource
  @EnumSource(names = {"V3_3", "V2_1"})
  void recordsWaitUntilTheirClusterIsBackOrExpire(BrokerRelease release) throws Exception {
    if (release != null) {
      broker.always(ApiKey.API_VERSIONS, release.negotiation());
    }
    try (Producer<String, String> producer = producer(Duration.ofMillis(700));
        Producer<String, String> patient = producer(LATER)) {
      producer.sendAndWait(null, "a");
      int before = handOver(OTHER);
      assertThatThrownBy(() -> producer.sendAndWait(null, "expires")).isInstanceOf(KafkaException.class)
          .satisfies(WrongClusterTest::assertThatItNamesBoth);
      patient.send(null, "waits");
      assertThat(astray(before)).isEmpty();
      handOver("scripted");
      assertThat(patient.flush(LATER)).isTrue();
    }
    assertThat(broker.state().stored(0)).containsExactly("a", "waits");
  }

  @Test
  void brokersFrom44OnCompareTheIdsWithoutARequestOfItsOwn() throws Exception {
    try (Producer<String, String> producer = producer(LATER); Consumer<String, String> consumer = consumer(10, 0)) {
      producer.sendAndWait(null, "a");
      assertThat(read(consumer, 1)).containsExactly("a");
    }
    List<Request> versions = broker.requests(ApiKey.API_VERSIONS);
    assertThat(versions).extracting(r -> (int) r.version()).containsExactly(4, 5);
    ApiVersionsRequest second = (ApiVersionsRequest) versions.getLast().body();
    assertThat(second.clusterId()).isEqualTo("scripted");
    assertThat(second.nodeId()).isEqualTo(1);
    assertThat(broker.requests(ApiKey.DESCRIBE_CLUSTER)).hasSize(1);
  }

  /** During an upgrade one broker compares the ids, and the next one cannot. */
  @Test
  void olderBrokerOfAMixedClusterNamesItsCluster() throws Exception {
    try (Producer<String, String> producer = producer(LATER)) {
      producer.sendAndWait(null, "a");
      broker.always(ApiKey.API_VERSIONS, BrokerRelease.V3_3.negotiation());
      broker.cutAll();
      producer.sendAndWait(null, "b");
    }
    assertThat(broker.requests(ApiKey.API_VERSIONS)).extracting(r -> (int) r.version()).containsExactly(4, 5, 3);
    assertThat(broker.requests(ApiKey.DESCRIBE_CLUSTER)).hasSize(2);
  }

  @Test
  void brokerThatDoesNotDescribeItsClusterGetsARequestForMetadata() throws Exception {
    broker.always(ApiKey.DESCRIBE_CLUSTER, exchange -> exchange.answer(
        new DescribeClusterResponse().errorCode(ErrorCode.CLUSTER_AUTHORIZATION_FAILED.code())::write));
    broker.always(ApiKey.API_VERSIONS, BrokerRelease.V3_3.negotiation());
    try (Producer<String, String> producer = producer(Duration.ofMillis(700))) {
      producer.sendAndWait(null, "a");
      int before = handOver(OTHER);
      assertThatThrownBy(() -> producer.sendAndWait(null, "expires")).isInstanceOf(KafkaException.class)
          .satisfies(WrongClusterTest::assertThatItNamesBoth);
      assertThat(astray(before)).isEmpty();
    }
  }

  /** The node of an address may change while the client is away; a client that insisted on it would be locked out. */
  @Test
  void brokerWithAnotherNodeIdIsTakenForWhatItIs() throws Exception {
    try (Producer<String, String> producer = producer(LATER)) {
      producer.sendAndWait(null, "a");
      broker.next(ApiKey.API_VERSIONS, exchange -> exchange.answer(
          new ApiVersionsResponse()
              .errorCode(ErrorCode.REBOOTSTRAP_REQUIRED.code())::write));
      broker.cutAll();
      producer.sendAndWait(null, "b");
    }
    assertThat(broker.requests(ApiKey.API_VERSIONS)).extracting(r -> (int) r.version()).containsExactly(4, 5, 4);
  }

  @Test
  void opensAndPollsFailAtOnceWhereAllBootstrapServersBelongToAnotherCluster() throws Exception {
    broker.state().store(0, "a");
    try (Consumer<String, String> consumer = consumer(10, 0)) {
      assertThat(read(consumer, 1)).containsExactly("a");
      int before = handOver(OTHER);
      assertThat(failureOf(consumer, new ArrayList<>())).isInstanceOf(WrongClusterException.class)
          .satisfies(WrongClusterTest::assertThatItNamesBoth);
      assertThatThrownBy(() -> client.producer(Serdes.string(), Serdes.string()).topic("new").maxBlock(LATER).open())
          .isInstanceOf(WrongClusterException.class).satisfies(WrongClusterTest::assertThatItNamesBoth);
      assertThatThrownBy(() -> client.transactions("t").maxBlock(LATER).open())
          .isInstanceOf(WrongClusterException.class);
      assertThat(astray(before)).isEmpty();
      broker.state().store(0, "b");
      handOver("scripted");
      List<String> values = new ArrayList<>();
      long deadline = System.nanoTime() + LATER.toNanos();
      while (values.isEmpty()) {
        assertThat(deadline - System.nanoTime()).isPositive();
        try {
          consumer.poll(Duration.ofMillis(50), record -> values.add(String.valueOf(record.value())));
        } catch (WrongClusterException e) {
          // until the next attempt to connect
        }
      }
      assertThat(values).containsExactly("b");
    }
  }

  @Test
  void neitherCommitsNorHeartbeatsGoToAnotherCluster() throws Exception {
    broker.state().store(0, "a");
    try (Consumer<String, String> member = client.consumer(Serdes.string(), Serdes.string())
        .offsetReset(OffsetReset.EARLIEST).fetchMaxWait(Duration.ofMillis(100)).group("billing")
        .subscribe(ScriptedBroker.TOPIC).apiTimeout(Duration.ofMillis(700)).open()) {
      assertThat(read(member, 1)).containsExactly("a");
      int before = handOver(OTHER);
      assertThatThrownBy(() -> member.commit()).isInstanceOf(KafkaException.class)
          .satisfies(WrongClusterTest::assertThatItNamesBoth);
      assertThat(astray(before)).isEmpty();
      handOver("scripted");
    }
  }

  @Test
  void noPartOfATransactionGoesToAnotherCluster() throws Exception {
    try (Transactions transactions = client.transactions("payments").maxBlock(LATER).open();
        Producer<String, String> producer = producer().transactions(transactions).open()) {
      transactions.begin();
      producer.send("k", "v");
      assertThat(producer.flush(LATER)).isTrue();
      int before = handOver(OTHER);
      assertThatThrownBy(() -> transactions.commit(Duration.ofMillis(700))).isInstanceOf(KafkaException.class);
      assertThat(astray(before)).isEmpty();
      handOver("scripted");
      transactions.commit(LATER);
    }
    assertThat(broker.requests(ApiKey.END_TXN)).hasSize(1);
  }

  /** A relay may redirect an open connection. */
  @Test
  void metadataOfAnotherClusterIsNotTakenOver() throws Exception {
    try (Producer<String, String> producer = producer(LATER)) {
      producer.sendAndWait(null, "a");
      broker.next(ApiKey.METADATA, exchange -> {
        MetadataResponse other = broker.state().metadata((MetadataRequest) exchange.request().body());
        other.clusterId(OTHER).topics(List.of()).brokers(List.of());
        exchange.answer(other::write);
      });
      int before = broker.requests(ApiKey.METADATA).size();
      ClientInternals parts = ClientInternals.of(client);
      parts.loop().execute(() -> parts.cluster().requestUpdate());
      broker.await(ApiKey.METADATA, before + 2);
      producer.sendAndWait(null, "b");
    }
    assertThat(broker.requests().getLast().connection()).as("another connection").isGreaterThan(1);
  }

  @Test
  void clientThatDoesNotCheckFollowsTheAddress() throws Exception {
    broker.state().store(0, "a");
    try (KafkaClient follower = KafkaClient.builder(address()).metadataClusterCheck(false).build();
        Producer<String, String> producer = follower.producer(Serdes.string(), Serdes.string())
            .topic(ScriptedBroker.TOPIC).open();
        Consumer<String, String> consumer = follower.consumer(Serdes.string(), Serdes.string())
            .offsetReset(OffsetReset.EARLIEST).open()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      assertThat(read(consumer, 1)).containsExactly("a");
      handOver(OTHER);
      producer.sendAndWait(null, "b");
      assertThat(read(consumer, 1)).containsExactly("b");
      assertThat(ClientInternals.of(follower).cluster().snapshot().clusterId()).isEqualTo("other");
    }
    assertThat(broker.requests(ApiKey.DESCRIBE_CLUSTER)).as("of the client that checks").hasSizeLessThanOrEqualTo(1);
  }

  /** A producer there may have the same id, and brokers would take batches of one for those of the other. */
  @Test
  void clientThatFollowsGetsAnotherProducerId() throws Exception {
    try (KafkaClient follower = KafkaClient.builder(address()).metadataClusterCheck(false).build();
        Producer<String, String> producer = follower.producer(Serdes.string(), Serdes.string())
            .topic(ScriptedBroker.TOPIC).open()) {
      producer.sendAndWait(null, "a");
      broker.state().recreate(1);
      handOver(OTHER);
      producer.sendAndWait(null, "b");
    }
    List<Request> sent = broker.requests(ApiKey.PRODUCE);
    ByteBuffer first = AgainstScriptedTransactions.batch(sent.getFirst());
    ByteBuffer last = AgainstScriptedTransactions.batch(sent.getLast());
    assertThat(AgainstScriptedTransactions.producerId(last))
        .isNotEqualTo(AgainstScriptedTransactions.producerId(first));
    assertThat(AgainstScriptedTransactions.sequence(last)).isZero();
    assertThat(broker.state().stored(0)).containsExactly("b");
  }

  /**
   * Clusters assign ids from 0 on, so it may be the same one. A batch that was to be sent again once kept its number
   * then.
   */
  @Test
  void batchOfAClientThatFollowsGetsAnotherNumberAlsoUnderTheSameId() throws Exception {
    broker.always(ApiKey.INIT_PRODUCER_ID, exchange -> exchange
        .answer(new InitProducerIdResponse().producerId(7).producerEpoch((short) 0)::write));
    try (KafkaClient follower = KafkaClient.builder(address()).metadataClusterCheck(false).build();
        Producer<String, String> producer = follower.producer(Serdes.string(), Serdes.string())
            .topic(ScriptedBroker.TOPIC).deliveryTimeout(SOON.multipliedBy(10)).open()) {
      producer.sendAndWait(null, "a");
      broker.always(ApiKey.PRODUCE,
          exchange -> (AgainstScriptedTransactions.sequence(AgainstScriptedTransactions.batch(exchange.request())) == 0
              ? Script.STANDARD
              : ProduceResponses.refusal(ErrorCode.REQUEST_TIMED_OUT)).run(exchange));
      broker.state().recreate(1);
      broker.state().clusterId(OTHER);
      producer.sendAndWait(null, "b");
    }
    assertThat(broker.state().stored(0)).containsExactly("b");
  }

  /** One of the addresses of a host may belong to another cluster by now. */
  @Test
  void nextAddressOfAHostIsTriedAtOnce() throws Exception {
    try (ScriptedBroker taken = ScriptedBroker.start(1)) {
      taken.state().clusterId(OTHER);
      AtomicInteger attempts = new AtomicInteger();
      CountDownLatch ready = new CountDownLatch(2);
      try (KafkaClient named = KafkaClient.builder("kafka:9092").reconnectBackoff(LATER, LATER)
          .connectionsMaxIdle(Duration.ofMillis(100))
          .resolver(host(() -> attempts.incrementAndGet() == 2 ? taken : broker)).build()) {
        CountDownLatch idle = new CountDownLatch(1);
        named.events().watchConnections(new ConnectionListener() {
          @Override
          public void onReady(String name, long nanos) {
            if (name.startsWith("kafka")) {
              ready.countDown();
            }
          }

          @Override
          public void onClosed(String name, String reason) {
            idle.countDown();
          }
        });
        ClientInternals parts = ClientInternals.of(named);
        parts.loop().execute(parts.cluster()::anyLink);
        assertThat(idle.await(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
        parts.loop().execute(parts.cluster()::anyLink);
        assertThat(ready.await(LATER.toSeconds() / 2, TimeUnit.SECONDS)).as("not after the back-off").isTrue();
      }
      assertThat(taken.requests()).isNotEmpty();
    }
  }

  /** Resolves the host named kafka to two addresses; each attempt connects to the broker that is given for it. */
  private static HostResolver host(Supplier<ScriptedBroker> next) {
    return new HostResolver() {
      @Override
      public InetAddress[] resolve(String host) throws UnknownHostException {
        return host.equals("kafka")
            ? new InetAddress[] {InetAddress.getByName("10.0.0.1"), InetAddress.getByName("10.0.0.2")}
            : InetAddress.getAllByName(host);
      }

      @Override
      public Transport connect(InetSocketAddress target) throws IOException {
        if (!target.getAddress().getHostAddress().startsWith("10.")) {
          return SocketTransport.connect(target);
        }
        String address = next.get().address();
        return SocketTransport.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(),
            Integer.parseInt(address.substring(address.indexOf(':') + 1))));
      }
    };
  }
}
