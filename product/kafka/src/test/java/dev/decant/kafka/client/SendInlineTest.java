package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.event.ProducerListener;
import dev.decant.kafka.producer.Acks;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.ProducerBuilder;
import dev.decant.kafka.producer.SendListener;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests that a record that need not wait leaves on its sending thread if the owner of the loop sleeps. */
class SendInlineTest extends AgainstScriptedBroker {
  private static final int TRIES = 200;

  private final Queue<Thread> senders = new ConcurrentLinkedQueue<>();
  private final Queue<Thread> acknowledgers = new ConcurrentLinkedQueue<>();

  SendInlineTest() {
    super(1, LATER);
    client.events().watchProducers(new ProducerListener() {
      @Override
      public void onBatchSent(String topic, int partition, int records, int bytes, int attempt) {
        senders.add(Thread.currentThread());
      }
    });
  }

  private void sendAndAwait(Producer<String, String> producer) throws InterruptedException {
    CountDownLatch recorded = new CountDownLatch(1);
    producer.send(null, "v", 0, new SendListener() {
      @Override
      public void onAck(long tag, int partition, long offset, long timestamp) {
        acknowledgers.add(Thread.currentThread());
        recorded.countDown();
      }

      @Override
      public void onFailure(long tag, KafkaException error) {
        throw new AssertionError(error);
      }
    });
    assertThat(recorded.await(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  /** Returns true if one of many records left on this thread; the owner of the loop may be awake when one is sent. */
  private boolean oneLeavesHere(ProducerBuilder<String, String> builder) throws InterruptedException {
    try (Producer<String, String> producer = builder.open()) {
      for (int i = 0; i < TRIES && !senders.contains(Thread.currentThread()); i++) {
        sendAndAwait(producer);
      }
    }
    return senders.contains(Thread.currentThread());
  }

  @Test
  void recordLeavesOnTheThreadThatSendsIt() throws InterruptedException {
    assertThat(oneLeavesHere(producer())).isTrue();
    assertThat(acknowledgers).isNotEmpty().doesNotContain(Thread.currentThread());
  }

  /** A blocking channel would close under an interrupted thread. */
  @Test
  void threadThatWasInterruptedSendsToo() throws InterruptedException {
    try (Producer<String, String> producer = producer().open()) {
      for (int i = 0; i < TRIES && !senders.contains(Thread.currentThread()); i++) {
        Thread.currentThread().interrupt();
        producer.send(null, "v");
        assertThat(Thread.interrupted()).as("still").isTrue();
        assertThat(producer.flush(LATER)).isTrue();
      }
    }
    assertThat(senders).contains(Thread.currentThread());
    assertThat(client.status().connections()).isNotEmpty().allSatisfy(c -> assertThat(c.lastError()).isNull());
  }

  @Test
  void recordThatWaitsForMoreDoesNot() throws InterruptedException {
    assertThat(oneLeavesHere(producer().linger(Duration.ofMillis(1)))).isFalse();
  }

  /** Without acknowledgements its listener would be called within the send. */
  @Test
  void recordThatIsNotAcknowledgedDoesNot() throws InterruptedException {
    assertThat(oneLeavesHere(producer().acks(Acks.NONE).idempotence(false))).isFalse();
    assertThat(acknowledgers).isNotEmpty().doesNotContain(Thread.currentThread());
  }
}
