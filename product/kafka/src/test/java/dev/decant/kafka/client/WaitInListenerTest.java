package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.producer.SendStatus;
import dev.decant.kafka.protocol.ApiKey;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Tests waits within listeners. A listener that waited for the producer once waited for itself, and every connection
 * stood still meanwhile.
 */
class WaitInListenerTest extends AgainstScriptedBroker {
  private final List<@Nullable Throwable> thrown = new CopyOnWriteArrayList<>();

  WaitInListenerTest() {
    super(1, LATER);
  }

  private void attempt(ThrowingCallable call) {
    thrown.add(catchThrowable(call));
  }

  private void assertRefused(String what) {
    assertThat(thrown).anySatisfy(e -> assertThat(e).isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith(what + ": not from within a listener"));
  }

  @Test
  void listenerCannotSendAndWaitOrFlush() throws InterruptedException {
    CountDownLatch recorded = new CountDownLatch(1);
    try (Producer<String, String> producer = producer(LATER)) {
      producer.send(null, "v", 0, new SendListener() {
        @Override
        public void onAck(long tag, int partition, long offset, long timestamp) {
          attempt(() -> producer.sendAndWait(null, "second"));
          attempt(() -> producer.flush(SOON));
          producer.send(null, "third");
          recorded.countDown();
        }

        @Override
        public void onFailure(long tag, KafkaException error) {
          throw new AssertionError(error);
        }
      });
      assertThat(recorded.await(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertRefused("sendAndWait");
    assertRefused("flush");
    assertThat(broker.state().stored(0)).containsExactly("v", "third");
  }

  @Test
  void listenerCannotWaitForMemory() throws InterruptedException {
    broker.always(ApiKey.PRODUCE, Script.SILENCE);
    Producer<String, String> producer = producer().bufferMemory(256 * 1024).maxBlock(LATER).open();
    ClientInternals.of(client).runOnLoop(() -> { // the owner frees no memory in between
      fill(producer);
      attempt(() -> producer.send(null, "x".repeat(1000)));
    });
    producer.close(Duration.ZERO);
    assertRefused("send while the memory is full");
  }

  @Test
  void listenerCannotWaitForPartitions() {
    broker.always(ApiKey.METADATA, Script.SILENCE);
    Producer<String, String> producer = producer().bufferMemory(256 * 1024).maxBlock(SOON).openAtOnce();
    ClientInternals.of(client).runOnLoop(() -> {
      fill(producer);
      attempt(() -> producer.send(null, "x".repeat(1000)));
    });
    producer.close(Duration.ZERO);
    assertRefused("send while the partitions are not known");
  }

  private static void fill(Producer<String, String> producer) {
    SendStatus status = SendStatus.ACCEPTED;
    while (status == SendStatus.ACCEPTED) {
      status = producer.trySend(null, "x".repeat(1000), 0, null);
    }
  }
}
