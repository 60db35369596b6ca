package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.broker.QuietLog;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.GroupMembershipOperation;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.serialization.Serdes;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests a listener that is no broker: it closes each connection at once, or accepts all bytes and does not respond.
 * Each call ends by its deadline, and its error names stage and address. The backoff bounds the number of attempts.
 */
@Timeout(60)
@ExtendWith(QuietLog.class)
class UnhelpfulBrokerTest {
  private static final Duration DEADLINE = Duration.ofMillis(600);
  private static final Duration BACKOFF = Duration.ofMillis(100);
  private static final Duration CONNECT_TIMEOUT = Duration.ofMillis(250);
  private static final Duration FETCH_MAX_WAIT = Duration.ofMillis(100);
  /** The shortest pause: the backoff less a fifth. */
  private static final long LEAST_PAUSE_MILLIS = 80;

  enum Manner {
    /** Closes connections at once. */
    CLOSES,
    /** Accepts connections, and never responds. */
    SILENT
  }

  private final Queue<Socket> kept = new ConcurrentLinkedQueue<>();
  private final AtomicInteger attempts = new AtomicInteger();
  private ServerSocket server;
  private KafkaClient client;
  private volatile Manner manner = Manner.CLOSES;

  @BeforeEach
  void open() throws IOException {
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
    client = KafkaClient.builder("127.0.0.1:" + server.getLocalPort()).connectTimeout(CONNECT_TIMEOUT)
        .requestTimeout(CONNECT_TIMEOUT).reconnectBackoff(BACKOFF, BACKOFF).runtimeCheck(false).build();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        attempts.incrementAndGet();
        if (manner == Manner.CLOSES) {
          socket.close();
        } else {
          kept.add(socket);
        }
      }
    } catch (IOException e) {
      // closed
    }
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    server.close();
    for (Socket socket : kept) {
      socket.close();
    }
  }

  private String address() {
    return "127.0.0.1:" + server.getLocalPort();
  }

  @ParameterizedTest
  @EnumSource(Manner.class)
  void openEndsByItsDeadlineAndSaysStageAndAddress(Manner what) {
    manner = what;
    long begin = System.nanoTime();
    assertThatThrownBy(() -> client.producer(Serdes.string(), Serdes.string()).topic("orders").maxBlock(DEADLINE)
        .open()).isInstanceOf(KafkaTimeoutException.class).hasMessageContaining(address())
        .hasMessageContaining("stage NEGOTIATING");
    assertAttemptsAreFew(begin);
  }

  @ParameterizedTest
  @EnumSource(Manner.class)
  void recordFailsByItsDeadlineAndTheErrorSaysStageAndAddress(Manner what) throws InterruptedException {
    manner = what;
    long begin = System.nanoTime();
    try (Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic("orders")
        .maxBlock(DEADLINE).deliveryTimeout(DEADLINE).openAtOnce()) {
      assertThatThrownBy(() -> producer.sendAndWait(null, "a")).isInstanceOf(KafkaTimeoutException.class)
          .hasMessageContaining("orders").hasMessageContaining(address()).hasMessageContaining("stage NEGOTIATING");
    }
    assertAttemptsAreFew(begin);
  }

  @ParameterizedTest
  @EnumSource(Manner.class)
  void pollAndPositionEndByTheirDeadlines(Manner what) throws InterruptedException {
    manner = what;
    long begin = System.nanoTime();
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string())
        .offsetReset(OffsetReset.EARLIEST).fetchMaxWait(FETCH_MAX_WAIT).open()) {
      consumer.assign("orders", 0);
      assertThat(consumer.poll(DEADLINE, record -> {})).isZero();
      assertThatThrownBy(() -> consumer.position("orders", 0, DEADLINE)).isInstanceOf(KafkaTimeoutException.class)
          .hasMessageContaining("orders-0").hasMessageContaining(address()).hasMessageContaining("stage NEGOTIATING");
    }
    assertThat(client.status().problems()).as("what a probe sees").anyMatch(problem -> problem.contains(address()));
    assertAttemptsAreFew(begin);
  }

  @ParameterizedTest
  @EnumSource(Manner.class)
  void memberOfAGroupPollsOn(Manner what) throws InterruptedException {
    manner = what;
    long begin = System.nanoTime();
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).group("billing")
        .subscribe("orders").apiTimeout(DEADLINE).fetchMaxWait(FETCH_MAX_WAIT).open()) {
      assertThat(consumer.poll(DEADLINE, record -> {})).isZero();
      assertThatThrownBy(() -> consumer.committed(new TopicPartition("orders", 0)))
          .isInstanceOf(KafkaTimeoutException.class)
          .hasMessageContaining("billing").hasMessageContaining(address()).hasMessageContaining("stage NEGOTIATING");
      consumer.close(Duration.ZERO, GroupMembershipOperation.LEAVE_GROUP);
    }
    assertAttemptsAreFew(begin);
  }

  /** This broker negotiates, so each attempt looks like a success until the first request. */
  @Test
  void brokerThatClosesAtTheFirstRequestIsNotStormed() {
    try (ScriptedBroker broker = ScriptedBroker.start(1);
        KafkaClient own = KafkaClient.builder(broker.address()).reconnectBackoff(BACKOFF, BACKOFF).runtimeCheck(false)
            .build()) {
      broker.always(ApiKey.METADATA, Script.CUT);
      long begin = System.nanoTime();
      assertThatThrownBy(() -> own.producer(Serdes.string(), Serdes.string()).topic("orders").maxBlock(DEADLINE)
          .open()).isInstanceOf(KafkaTimeoutException.class).hasMessageContaining(broker.address());
      attempts.set(broker.requests(ApiKey.API_VERSIONS).size());
      assertAttemptsAreFew(begin);
    }
  }

  private void assertAttemptsAreFew(long beginNanos) {
    long millis = (System.nanoTime() - beginNanos) / 1_000_000;
    assertThat(attempts.get()).isPositive().isLessThanOrEqualTo(2 + (int) (millis / LEAST_PAUSE_MILLIS));
  }
}
