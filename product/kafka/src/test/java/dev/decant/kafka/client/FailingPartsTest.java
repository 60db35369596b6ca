package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.Call;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.cluster.HostResolver;
import dev.decant.kafka.event.ConnectionListener;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.message.ListOffsetsRequest;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.loop.EventLoop;
import dev.decant.net.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests a part of the client that throws, even an error: it harms no other part. Each one continues, or ends with the
 * exception.
 */
@Timeout(60)
class FailingPartsTest {
  private static final int VERSION = 7;
  private static final Logger LOGGER = Logger.getLogger(EventLoop.class.getName());
  private static final Duration LATER = Duration.ofSeconds(20);

  /** Finds and connects to brokers, after a number of attempts at each that fail as no network does. */
  private static final class Unwell implements HostResolver {
    private final AtomicInteger lookups = new AtomicInteger();
    private final AtomicInteger connects = new AtomicInteger();
    private final int failures;

    Unwell(int failures) {
      this.failures = failures;
    }

    @Override
    public InetAddress[] resolve(String host) throws UnknownHostException {
      int attempt = lookups.incrementAndGet();
      if (attempt == 1) {
        return new InetAddress[0];
      }
      if (attempt <= failures) {
        throw new NoClassDefFoundError("the name service, says this test");
      }
      return InetAddress.getAllByName(host);
    }

    @Override
    public Transport connect(InetSocketAddress target) throws IOException {
      if (connects.incrementAndGet() <= failures) {
        throw new OutOfMemoryError("Cannot reserve 65536 bytes of direct buffer memory, says this test");
      }
      return HostResolver.super.connect(target);
    }
  }

  @BeforeEach
  void logNothing() {
    LOGGER.setUseParentHandlers(false);
  }

  @AfterEach
  void logAgain() {
    LOGGER.setUseParentHandlers(true);
  }

  @Test
  void linkTriesAgainAfterAnErrorOfTheNameServiceAndWithoutMemoryForAConnection() throws InterruptedException {
    // An exception other than an IOException once left the link "resolving" or "connecting" until the connect timeout.
    Unwell network = new Unwell(2);
    List<String> ends = new CopyOnWriteArrayList<>();
    try (ScriptedBroker broker = ScriptedBroker.start(1);
        KafkaClient client = KafkaClient.builder(broker.address()).resolver(network)
            .connectTimeout(LATER.multipliedBy(9))
            .build()) {
      client.events().watchConnections(new ConnectionListener() {
        @Override
        public void onEnded(String name, int unanswered, KafkaException cause) {
          ends.add(String.valueOf(cause.getMessage()));
        }
      });
      try (Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string())
          .topic(ScriptedBroker.TOPIC).maxBlock(LATER).open()) {
        assertThat(producer.sendAndWait(null, "a").offset()).isZero();
      }
      assertThat(ends).filteredOn(end -> end.contains("broker " + broker.address()))
          .anyMatch(end -> end.contains("stage RESOLVING") && end.contains("the name service"))
          .anyMatch(end -> end.contains("stage CONNECTING") && end.contains("direct buffer memory"));
    }
  }

  @Test
  void listenerOfTheClusterThatThrowsKeepsNewsFromNobody() throws InterruptedException {
    try (ScriptedBroker broker = ScriptedBroker.start(1);
        KafkaClient client = KafkaClient.connect(broker.address())) {
      Cluster cluster = ClientInternals.of(client).cluster();
      ClientInternals.of(client).runOnLoop(() -> cluster.onChange(() -> {
        throw new StackOverflowError("thrown by this test on purpose");
      }));
      try (Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string())
          .topic(ScriptedBroker.TOPIC).maxBlock(LATER).open()) {
        assertThat(producer.sendAndWait(null, "a").offset()).isZero();
      }
    }
  }

  /** Remembers the end of its request, or throws at it. */
  private static final class EndingCall extends Call {
    private final List<KafkaException> recorded;
    private final boolean throwing;

    EndingCall(List<KafkaException> recorded, boolean throwing) {
      super(ApiKey.LIST_OFFSETS, VERSION, VERSION);
      this.recorded = recorded;
      this.throwing = throwing;
    }

    @Override
    public void write(ProtocolWriter out, short version) {
      new ListOffsetsRequest().write(out, version);
    }

    @Override
    protected void onResponse(ProtocolReader in, short version, @Nullable PooledBuffer lease) {
      throw new AssertionError("there is no response");
    }

    @Override
    protected void onFailure(KafkaException cause) {
      if (throwing) {
        throw new LinkageError("thrown by this test on purpose");
      }
      recorded.add(cause);
    }
  }

  @Test
  void callThatThrowsKeepsTheEndOfTheConnectionFromNoOther() throws Exception {
    List<KafkaException> recorded = new CopyOnWriteArrayList<>();
    try (ScriptedBroker broker = ScriptedBroker.start(1);
        KafkaClient client = KafkaClient.connect(broker.address())) {
      Cluster cluster = ClientInternals.of(client).cluster();
      try (Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string())
          .topic(ScriptedBroker.TOPIC).maxBlock(LATER).open()) {
        broker.always(ApiKey.LIST_OFFSETS, Script.SILENCE);
        ClientInternals.of(client).runOnLoop(() -> {
          BrokerLink link = Objects.requireNonNull(cluster.link(1));
          for (boolean throwing : new boolean[] {true, false, true, false}) {
            link.send(new EndingCall(recorded, throwing));
          }
        });
        broker.await(ApiKey.LIST_OFFSETS, 4);
        broker.cutAll();
        assertThat(cluster.waiters().await(() -> recorded.size() == 2, System.nanoTime() + LATER.toNanos())).isTrue();
        assertThat(producer.sendAndWait(null, "a").offset()).isZero();
      }
    }
  }
}
