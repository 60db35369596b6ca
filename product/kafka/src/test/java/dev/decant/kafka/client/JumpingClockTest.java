package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.broker.QuietLog;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.loop.EventLoop;
import dev.decant.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Sets the wall clock by years, back and forth, all the time: only timestamps may change. */
@Timeout(60)
@ExtendWith(QuietLog.class)
class JumpingClockTest {
  private static final long TEN_YEARS = Duration.ofDays(3650).toMillis();
  private static final Duration LATER = Duration.ofSeconds(20);

  private final AtomicLong looks = new AtomicLong();

  /** A clock that each read finds set by ten years, back or forth. */
  private final Clock jumping = new Clock() {
    @Override
    public long nanoTime() {
      return System.nanoTime();
    }

    @Override
    public long epochMillis() {
      return System.currentTimeMillis() + (looks.incrementAndGet() % 2 == 0 ? TEN_YEARS : -TEN_YEARS);
    }
  };

  private KafkaClient client(ScriptedBroker broker) {
    return KafkaClient.builder(broker.address()).loop(EventLoop.start("jumping", jumping)).requestTimeout(LATER)
        .build();
  }

  @Test
  void recordsAreStoredAndReadInTheirOrderWithTheTimesThatTheClockSaid() throws InterruptedException {
    List<String> values = new ArrayList<>();
    List<Long> times = new ArrayList<>();
    try (ScriptedBroker broker = ScriptedBroker.start(1);
        KafkaClient client = client(broker);
        Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string())
            .topic(ScriptedBroker.TOPIC).linger(Duration.ofMillis(5)).open();
        Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).group("g")
            .autoCommitInterval(Duration.ofMillis(10)).offsetReset(OffsetReset.EARLIEST).open()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      for (int i = 0; i < 40; i++) {
        producer.send(null, "v" + i);
      }
      assertThat(producer.flush(LATER)).isTrue();
      long deadline = System.nanoTime() + LATER.toNanos();
      while (values.size() < 40 && deadline - System.nanoTime() > 0) {
        consumer.poll(Duration.ofSeconds(1), record -> {
          values.add(String.valueOf(record.value()));
          times.add(record.timestamp());
        });
      }
      consumer.commit();
      assertThat(broker.state().group().committed(0)).isEqualTo(40);
    }
    assertThat(values).hasSize(40).startsWith("v0", "v1").endsWith("v39");
    long now = System.currentTimeMillis();
    assertThat(times).as("ten years forth and ten back").anyMatch(time -> time > now + TEN_YEARS / 2)
        .anyMatch(time -> time < now - TEN_YEARS / 2);
  }

  @Test
  void deadlinesEndWhenTheirTimeIsOverAndNotBefore() throws InterruptedException {
    Duration bound = Duration.ofMillis(300);
    try (ScriptedBroker broker = ScriptedBroker.start(1); KafkaClient client = client(broker)) {
      broker.always(ApiKey.PRODUCE, Script.SILENCE);
      Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string())
          .topic(ScriptedBroker.TOPIC).deliveryTimeout(bound).open();
      long began = System.nanoTime();
      assertThatThrownBy(() -> producer.sendAndWait(null, "a")).isInstanceOf(KafkaTimeoutException.class);
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThanOrEqualTo(bound);
      producer.close(Duration.ZERO);
    }
  }
}
