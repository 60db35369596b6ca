package dev.decant.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.ProducerBuilder;
import dev.decant.kafka.producer.SendStatus;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.serialization.Serdes;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One bound of memory for all producers of a client. */
class SharedMemoryTest extends AgainstScriptedBroker {
  private static final int BOUND = 1 << 20;

  SharedMemoryTest() {
    super(1, LATER);
  }

  private static ProducerBuilder<byte[], byte[]> producer(KafkaClient client) {
    return client.producer(Serdes.bytes(), Serdes.bytes()).topic(ScriptedBroker.TOPIC);
  }

  private static int fill(Producer<byte[], byte[]> producer) {
    byte[] value = new byte[1000];
    int accepted = 0;
    while (producer.trySend(null, value, 0, null) == SendStatus.ACCEPTED) {
      accepted++;
    }
    return accepted;
  }

  @Test
  void producersOfAClientShareItsBoundAndOneWithMemoryOfItsOwnDoesNot()
      throws InterruptedException, IOException {
    try (KafkaClient small = KafkaClient.builder(address()).bufferMemory(BOUND).build();
        Producer<byte[], byte[]> first = producer(small).open();
        Producer<byte[], byte[]> second = producer(small).open();
        Producer<byte[], byte[]> other = producer(small).bufferMemory(BOUND).open()) {
      broker.always(ApiKey.PRODUCE, Script.SILENCE);
      assertThat(fill(first)).isBetween(BOUND / 3000, BOUND / 1000);
      assertThat(fill(second)).as("what is left over at most").isLessThan(BOUND / 10_000);
      assertThat(fill(other)).isBetween(BOUND / 3000, BOUND / 1000);
      broker.always(ApiKey.PRODUCE, Script.STANDARD);
      broker.cutAll();
      assertThat(first.flush(LATER)).isTrue();
      assertThat(second.sendAndWait(null, new byte[1]).offset()).isPositive();
    }
  }

  @Test
  void boundThatIsTooSmallIsRefused() {
    assertThatThrownBy(() -> KafkaClient.builder(address()).bufferMemory(1000))
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("bufferMemory: 1000 is less than 256 KiB");
  }

  /** Each has a batch or so at a time; without turns a thread sends nearly all, and others wait until they fail. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void threadsThatWaitForMemoryHaveItInTurn(boolean virtual) throws InterruptedException, IOException {
    int threads = 20;
    int most = threads * 200;
    broker.always(ApiKey.PRODUCE, Script.late(Duration.ofMillis(5)));
    AtomicInteger all = new AtomicInteger();
    AtomicIntegerArray sent = new AtomicIntegerArray(threads);
    try (KafkaClient small = KafkaClient.builder(address()).bufferMemory(BOUND / 4).build();
        Producer<byte[], byte[]> producer = producer(small).maxBlock(LATER).open()) {
      List<Thread> senders = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int number = i;
        Thread.Builder builder = virtual ? Thread.ofVirtual() : Thread.ofPlatform();
        senders.add(builder.start(() -> {
          byte[] value = new byte[1000];
          while (all.getAndIncrement() < most) {
            producer.send(null, value);
            sent.incrementAndGet(number);
          }
        }));
      }
      for (Thread sender : senders) {
        sender.join();
      }
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(IntStream.range(0, threads).map(sent::get)).as("records of each thread").hasSize(threads)
        .allMatch(records -> records >= 50);
  }
}
