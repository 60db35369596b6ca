package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.serialization.Serdes;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests many threads that send more than a broker takes. */
class MemoryInTurnTest extends AgainstScriptedBroker {
  private static final int THREADS = 30;
  private static final int RECORDS_EACH = 150;

  MemoryInTurnTest() {
    super(6, LATER);
  }

  /** If all were woken together, the first to run would take all free memory, and most threads would hardly send. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void eachThreadSendsItsShare(boolean virtual) throws InterruptedException, IOException {
    broker.always(ApiKey.PRODUCE, Script.late(Duration.ofMillis(50)));
    AtomicInteger all = new AtomicInteger();
    AtomicIntegerArray sent = new AtomicIntegerArray(THREADS);
    try (KafkaClient small = KafkaClient.builder(address()).bufferMemory(1 << 20).build()) {
      RecordingMeter meter = RecordingMeter.of(small);
      send(small, virtual, all, sent);
      assertThat(meter.memoryWaits).as("waits for memory").hasPositiveValue();
      assertThat(ClientInternals.of(small).sendMemory().waiters()).isZero();
    }
    assertThat(IntStream.range(0, THREADS).map(sent::get).sorted()).as("records of each thread").hasSize(THREADS)
        .allMatch(records -> records >= RECORDS_EACH / 5);
  }

  private static void send(KafkaClient client, boolean virtual, AtomicInteger all, AtomicIntegerArray sent)
      throws InterruptedException {
    try (Producer<byte[], byte[]> producer = client.producer(Serdes.bytes(), Serdes.bytes())
        .topic(ScriptedBroker.TOPIC).maxBlock(LATER).open()) {
      List<Thread> senders = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int number = i;
        Thread.Builder builder = virtual ? Thread.ofVirtual() : Thread.ofPlatform();
        senders.add(builder.start(() -> {
          byte[] value = new byte[1000];
          while (all.getAndIncrement() < THREADS * RECORDS_EACH) {
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
  }
}
