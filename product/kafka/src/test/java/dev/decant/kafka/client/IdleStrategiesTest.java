package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.idle.IdleStrategy;
import dev.decant.kafka.broker.QuietLog;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that a client does the same work with each way of waiting for the network. */
@Timeout(60)
@ExtendWith(QuietLog.class)
class IdleStrategiesTest {
  static Stream<Arguments> strategies() {
    IdleStrategy some = IdleStrategy.spinThenBlock(Duration.ofNanos(50_000));
    return Stream.of(Arguments.of(IdleStrategy.block(), IdleStrategy.spin()),
        Arguments.of(IdleStrategy.spin(), IdleStrategy.block()), Arguments.of(IdleStrategy.spin(), IdleStrategy.spin()),
        Arguments.of(some, some));
  }

  @ParameterizedTest
  @MethodSource("strategies")
  void recordsGoOutAndComeInHoweverThreadsWait(IdleStrategy io, IdleStrategy waiter) throws InterruptedException {
    try (ScriptedBroker broker = ScriptedBroker.start(1);
        KafkaClient client = KafkaClient.builder(broker.address()).ioIdle(io).waiterIdle(waiter).build();
        Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string())
            .topic(ScriptedBroker.TOPIC).open();
        Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string())
            .offsetReset(OffsetReset.EARLIEST).open()) {
      List<String> sent = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        sent.add("waited for " + i);
        producer.sendAndWait(null, sent.getLast());
        sent.add("flushed " + i);
        producer.send(null, sent.getLast());
        assertThat(producer.flush(Duration.ofSeconds(20))).isTrue();
      }
      assertThat(broker.state().stored(0)).isEqualTo(sent);

      consumer.assign(ScriptedBroker.TOPIC, 0);
      List<String> received = new ArrayList<>();
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      while (received.size() < sent.size() && deadline - System.nanoTime() > 0) {
        consumer.poll(Duration.ofMillis(100), record -> received.add(record.value()));
      }
      assertThat(received).isEqualTo(sent);
      assertThat(consumer.poll(Duration.ofMillis(5), record -> {})).as("nothing more, at its deadline").isZero();
    }
  }
}
