package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.security.AuthenticationException;
import java.text.MessageFormat;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** A wrong address or a wrong protocol caused only timeouts: neither a log nor an exception named the reason. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
@Isolated("it reads what all clients of the JVM log")
class ConnectionLogTest {
  private static final Logger LOGGER = Logger.getLogger(ConnectionLog.class.getName());
  /** An address without a listener. */
  private static final String NOWHERE = "127.0.0.1:1";

  private final Kept kept = new Kept();
  private long now;

  /** Records the log lines of all clients of this JVM. */
  private static final class Kept extends Handler {
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();

    @Override
    public void publish(LogRecord entry) {
      lines.add(entry.getLevel() + " " + MessageFormat.format(entry.getMessage(), entry.getParameters()));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @BeforeEach
  void keep() {
    LOGGER.addHandler(kept);
  }

  @AfterEach
  void keepNoMore() {
    LOGGER.removeHandler(kept);
  }

  private static KafkaException ended(String words) {
    return new KafkaException(ErrorCode.NETWORK_EXCEPTION, words);
  }

  @Test
  void brokerHasOneLineInTenSeconds() {
    ConnectionLog log = new ConnectionLog("producer connection-log-1", () -> now);
    log.onEnded("a:1", 0, ended("refused"));
    log.onEnded("a:1", 0, ended("refused by the next address"));
    log.onEnded("b:1", 0, ended("cut"));
    now = TimeUnit.SECONDS.toNanos(10) - 1;
    log.onEnded("a:1", 0, ended("refused"));
    now++;
    log.onEnded("a:1", 0, ended("no {0} of {1}"));
    log.onEnded("a:1", 0, ended("refused"));
    log.onEnded("c:1", 0, new AuthenticationException("who are you"));
    assertThat(kept.lines.stream().filter(line -> line.contains("connection-log-1"))).containsExactly(
        "WARNING producer connection-log-1: refused", "WARNING producer connection-log-1: cut",
        "WARNING producer connection-log-1: no {0} of {1}");
  }

  private void awaitLine(Runnable work, Predicate<String> wanted) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (kept.lines.stream().noneMatch(wanted)) {
      assertThat(deadline - System.nanoTime()).as("time left; logged %s", kept.lines).isPositive();
      work.run();
    }
  }

  @Test
  void producerSaysWhyNoBrokerIsReached() {
    try (DecantProducer<String, String> producer = new DecantProducer<>(Map.of("bootstrap.servers", NOWHERE,
        "client.id", "connection-log-2", "max.block.ms", 200), new StringSerializer(), new StringSerializer())) {
      Throwable[] thrown = new Throwable[1];
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (thrown[0] == null || thrown[0].getCause() == null) { // the loop may not have tried to connect yet
        assertThat(deadline - System.nanoTime()).as("time left").isPositive();
        Future<?> unused = producer.send(new ProducerRecord<>("orders", "v"),
            (metadata, failure) -> thrown[0] = failure);
      }
      assertThat(thrown[0]).isExactlyInstanceOf(TimeoutException.class)
          .hasMessage("Topic orders not present in metadata after 200 ms.")
          .cause().hasMessageContaining("broker " + NOWHERE).hasMessageContaining("Connection refused");
      awaitLine(Thread::onSpinWait, line -> line.startsWith("WARNING producer connection-log-2: the connection to"
          + " broker " + NOWHERE + " ended, stage CONNECTING: ") && line.contains("Connection refused"));
      producer.close(Duration.ZERO);
    }
  }

  @Test
  void consumerSaysWhyNoBrokerIsReached() {
    try (DecantConsumer<String, String> consumer = new DecantConsumer<>(Map.of("bootstrap.servers", NOWHERE,
        "client.id", "connection-log-3", "group.id", "billing", "default.api.timeout.ms", 300),
        new StringDeserializer(), new StringDeserializer())) {
      consumer.subscribe(List.of("orders"));
      awaitLine(() -> consumer.poll(Duration.ofMillis(50)),
          line -> line.startsWith("WARNING consumer connection-log-3: ") && line.contains("Connection refused"));
      assertThat(catchThrowable(() -> consumer.partitionsFor("orders"))).isInstanceOf(TimeoutException.class)
          .hasStackTraceContaining("Connection refused");
    }
  }
}
