package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.buffer.BufferPool;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.broker.ProduceResponses;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.event.ProducerListener;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.producer.Acks;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests the records that flush waits for. */
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

  /** Without idempotence a later batch may be stored while an earlier one is sent again. */
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
    broker.next(ApiKey.PRODUCE, after(bothSent, ProduceResponses.refusal(ErrorCode.NOT_LEADER_OR_FOLLOWER)),
        Script.STANDARD, after(retry, Script.STANDARD));
    try (Producer<String, String> producer = producer().acks(Acks.LEADER).idempotence(false)
        .linger(Duration.ofMillis(1)).open()) {
      producer.send("k", "first", 1, countingDown(firstStored));
      broker.await(ApiKey.PRODUCE, 1);
      CompletableFuture<Boolean> flushed = flushInBackground(producer);
      producer.send("k", "second", 2, countingDown(secondStored));
      assertThat(secondStored.await(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
      ClientInternals.of(client).runOnLoop(() -> {}); // the loop has completed a round since
      assertThat(flushed).isNotDone();
      retry.countDown();
      assertThat(flushed.get(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(firstStored.getCount()).isZero();
    }
    assertThat(broker.state().stored(0)).containsExactly("second", "first");
  }

  /**
   * Flush and close once waited for the request timeout though each record had failed at the delivery timeout. The
   * memory stays: the kernel may still read it.
   */
  @Test
  void recordsThatHaveFailedInFlightAreNotWaitedFor() throws Exception {
    CountDownLatch flushed = new CountDownLatch(1);
    broker.next(ApiKey.PRODUCE, Script.after(flushed, Script.STANDARD));
    BufferPool memory = ClientInternals.of(client).sendMemory().pool();
    AtomicInteger failures = new AtomicInteger();
    awaitMetadata();
    Producer<String, String> producer = producer(Duration.ofSeconds(1)); // the bound within which the request leaves
    producer.send("k", "late", 1, new SendListener() {
      @Override
      public void onAck(long tag, int partition, long offset, long timestamp) {
        throw new AssertionError("acknowledged after its failure");
      }

      @Override
      public void onFailure(long tag, KafkaException error) {
        failures.incrementAndGet();
      }
    });
    broker.await(ApiKey.PRODUCE, 1);
    assertThat(flushInBackground(producer).get(LATER.toSeconds() / 2, TimeUnit.SECONDS)).isTrue();
    assertThat(failures).hasValue(1);
    producer.close(LATER);
    assertThat(broker.requests(ApiKey.PRODUCE)).as("the request has no response yet").hasSize(1);
    assertThat(memory.leasedBytes()).as("of the request in flight").isPositive();
    flushed.countDown();
    assertThat(ClientInternals.of(client).cluster().waiters().await(() -> memory.leasedBytes() == 0,
        System.nanoTime() + LATER.toNanos())).as("memory comes back with the response").isTrue();
    assertThat(failures).hasValue(1);
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
