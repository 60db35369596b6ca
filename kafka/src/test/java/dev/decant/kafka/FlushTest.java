package dev.decant.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.broker.ProduceAnswers;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.event.ProducerListener;
import dev.decant.kafka.producer.Acks;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What flush waits for. */
class FlushTest extends AgainstScriptedBroker {
  FlushTest() {
    super(1, LATER);
  }

  private static Script after(CountDownLatch latch, Script then) {
    return exchange -> {
      try {
        latch.await(LATER.toSeconds(), TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      then.run(exchange);
    };
  }

  private static SendListener countingDown(CountDownLatch acknowledged) {
    return new SendListener() {
      @Override
      public void onAck(long tag, int partition, long offset, long timestamp) {
        acknowledged.countDown();
      }

      @Override
      public void onFailure(long tag, KafkaException error) {
        throw new AssertionError(error);
      }
    };
  }

  /** Without idempotence a later batch may be stored while an earlier one has to be sent again. */
  @Test
  void aLaterBatchDoesNotStandInForOneThatIsBeingRetried() throws Exception {
    CountDownLatch bothSent = new CountDownLatch(2);
    CountDownLatch retry = new CountDownLatch(1);
    CountDownLatch firstStored = new CountDownLatch(1);
    CountDownLatch secondStored = new CountDownLatch(1);
    client.events().watchProducers(new ProducerListener() {
      @Override
      public void onBatchSent(String topic, int partition, int records, int bytes, int attempt) {
        bothSent.countDown();
      }
    });
    broker.next(ApiKey.PRODUCE, after(bothSent, ProduceAnswers.refusal(ErrorCode.NOT_LEADER_OR_FOLLOWER)),
        Script.STANDARD, after(retry, Script.STANDARD));
    try (Producer<String, String> producer = producer().acks(Acks.LEADER).idempotence(false)
        .linger(Duration.ofMillis(1)).open()) {
      producer.send("k", "first", 1, countingDown(firstStored));
      broker.await(ApiKey.PRODUCE, 1);
      CompletableFuture<Boolean> flushed = flushInBackground(producer);
      producer.send("k", "second", 2, countingDown(secondStored));
      assertThat(secondStored.await(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
      client.runOnLoop(() -> {}); // it has gone round since
      assertThat(flushed).isNotDone();
      retry.countDown();
      assertThat(flushed.get(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(firstStored.getCount()).isZero();
    }
    assertThat(broker.state().stored(0)).containsExactly("second", "first");
  }

  private static CompletableFuture<Boolean> flushInBackground(Producer<?, ?> producer) {
    return CompletableFuture.supplyAsync(() -> {
      try {
        return producer.flush(LATER);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    });
  }
}
