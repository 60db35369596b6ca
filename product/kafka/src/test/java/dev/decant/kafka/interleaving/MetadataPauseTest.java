package dev.decant.kafka.interleaving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.client.SimulatedClient;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.event.MetadataListener;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.loop.EventLoop;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests how often a cluster is asked for metadata that does not become complete. The test sets the clock. */
@Timeout(60)
class MetadataPauseTest {
  private static final int TICK_MILLIS = 20;
  private static final int ROUNDS = 4;

  private final SimulatedClock clock = new SimulatedClock();
  private final Ledger ledger = new Ledger(clock);
  private final SimulatedBroker broker = new SimulatedBroker(clock, ledger, new SimulatedConsumerGroup(clock, ledger),
      2);
  private final EventLoop loop = EventLoop.withoutThread("simulated", clock);
  private final KafkaClient client;
  private final Cluster cluster;
  private boolean closing;
  private int answers;

  MetadataPauseTest() {
    loop.execute(() -> loop.add(this::round));
    client = SimulatedClient.open(loop, new SimulatedNetwork(clock, broker));
    cluster = ClientInternals.of(client).cluster();
    client.events().watchMetadata(new MetadataListener() {
      @Override
      public void onUpdated(int brokers, int topics) {
        answers++;
      }
    });
  }

  private int round() {
    loop.signal(); // never wait for a network that does not exist
    if (closing) {
      clock.forward(TICK_MILLIS);
    }
    return 1;
  }

  @AfterEach
  void close() {
    closing = true;
    client.close();
  }

  /** Returns the number of metadata responses in this time. */
  private int answersIn(int millis) throws InterruptedException {
    int before = answers;
    for (int passed = 0; passed < millis; passed += TICK_MILLIS) {
      clock.forward(TICK_MILLIS);
      int[] left = {ROUNDS};
      loop.driveUntil(() -> left[0]-- <= 0, Long.MAX_VALUE);
    }
    return answers - before;
  }

  /** Adds a user of the topic, which requests it once. */
  private void need() {
    loop.execute(() -> {
      cluster.addTopicUser(topics -> topics.add(SimulatedBroker.TOPIC));
      cluster.addTopic(SimulatedBroker.TOPIC);
    });
  }

  /** A topic that was gone, or had never existed, was requested ten times a second until the client was closed. */
  @Test
  void topicThatDoesNotBecomeCompleteIsRequestedOftenAtFirstAndThenSeldom() throws InterruptedException {
    broker.lead(false);
    need();
    assertThat(answersIn(1_000)).as("a new leader is heard of soon").isBetween(8, 11);
    assertThat(answersIn(5_000)).isLessThan(10);
    assertThat(answersIn(60_000)).isBetween(65, 80);
  }

  /** A consumer's topic without the partition was requested ten times a second while it was assigned. */
  @Test
  void partitionThatATopicDoesNotHaveIsRequestedSeldom() throws InterruptedException {
    broker.lead(true);
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).open()) {
      consumer.assign(SimulatedBroker.TOPIC, 99);
      answersIn(10_000);
      assertThat(answersIn(60_000)).isBetween(10, 14);
      consumer.assign(List.of());
      answersIn(10_000);
      assertThat(answersIn(60_000)).as("nobody reads it").isZero();
      closing = true;
    }
  }

  @Test
  void topicNeededAgainIsRequestedSoonAndOftenForASecond() throws InterruptedException {
    broker.lead(false);
    need();
    answersIn(20_000);
    loop.execute(cluster::requestUpdate);
    assertThat(answersIn(200)).isPositive();
    assertThat(answersIn(800)).isBetween(6, 9);
    broker.lead(true);
    assertThat(answersIn(3_200)).isPositive();
    assertThat(answersIn(60_000)).as("all is known").isZero();
  }
}
