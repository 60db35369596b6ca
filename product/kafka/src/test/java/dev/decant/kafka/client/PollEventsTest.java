package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.event.Registration;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerStatus;
import dev.decant.kafka.event.ConsumerListener;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests a listener's events of polls, on the polling thread. */
class PollEventsTest extends AgainstScriptedBroker {
  private final List<String> recorded = new ArrayList<>();

  PollEventsTest() {
    super(2, LATER);
  }

  private Registration watch() {
    return client.events().watchConsumers(new ConsumerListener() {
      @Override
      public void onPollBegan(String group) {
        recorded.add("began in '" + group + "'");
      }

      @Override
      public void onDelivered(String topic, int partition, int records) {
        recorded.add(records + " of " + topic + "-" + partition);
      }
    });
  }

  @Test
  void recordsAreReportedByPartitionWhicheverHandlerTakesThem() throws InterruptedException {
    broker.state().store(0, "a", "b", "c");
    broker.state().store(1, "d", "e");
    watch();
    try (Consumer<String, String> consumer = consumer(1_000, 0, 1)) {
      read(consumer, 5);
      assertThat(recorded).contains("began in ''", "3 of orders-0", "2 of orders-1");
      recorded.clear();
      consumer.seek(ScriptedBroker.TOPIC, 0, 1);
      long deadline = System.nanoTime() + LATER.toNanos();
      while (recorded.stream().noneMatch(line -> line.contains("of"))) {
        assertThat(deadline - System.nanoTime()).as("time left").isPositive();
        consumer.pollPartitions(Duration.ofMillis(50), records -> {
          while (records.next()) {
            records.record().offset();
          }
        });
      }
      assertThat(recorded).contains("2 of orders-0").doesNotContain("0 of orders-1");
    }
  }

  /** A clock read in each poll would cost all applications, for the benefit of few. */
  @Test
  void timeOfTheLastPollIsKeptWhileAListenerWantsToKnowOfPolls() throws InterruptedException {
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).open()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      consumer.seek(ScriptedBroker.TOPIC, 0, 0);
      consumer.poll(Duration.ZERO, record -> {});
      assertThat(consumer.status().nanosSincePoll()).isEqualTo(ConsumerStatus.UNKNOWN);

      Registration watching = watch();
      consumer.poll(Duration.ZERO, record -> {});
      assertThat(consumer.status().nanosSincePoll()).isNotNegative();
      assertThat(client.consumers().getFirst().nanosSincePoll()).isNotNegative();
      watching.close();
      consumer.poll(Duration.ZERO, record -> {});
      assertThat(recorded).containsExactly("began in ''");
      assertThat(consumer.status().nanosSincePoll()).isEqualTo(ConsumerStatus.UNKNOWN);
    }
  }
}
