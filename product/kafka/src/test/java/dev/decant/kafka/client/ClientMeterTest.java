package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.broker.ProduceResponses;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.record.CompressionType;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests the reports to a client's meter: Apache's names need figures that no counter has. */
class ClientMeterTest extends AgainstScriptedBroker {
  ClientMeterTest() {
    super(1, LATER);
  }

  @Test
  void batchIsReportedWithItsRequestAndBothItsSizes() throws InterruptedException {
    RecordingMeter meter = RecordingMeter.of(client);
    try (Producer<String, String> producer = producer().compression(CompressionType.GZIP).open()) {
      producer.sendAndWait("k", "v".repeat(10_000));
    }
    assertThat(meter.recorded).filteredOn(line -> !line.startsWith("request")).containsExactly("queued",
        "batch for orders, records 1, compressed");
    assertThat(meter.recorded).filteredOn(line -> line.startsWith("request")).singleElement().asString()
        .matches("request of [1-9][0-9]{1,2}");
  }

  @Test
  void throttleOfAResponseIsReported() throws InterruptedException {
    RecordingMeter meter = RecordingMeter.of(client);
    broker.next(ApiKey.PRODUCE, exchange -> exchange
        .answer(broker.state().produce(exchange.request().produce()).throttleTimeMs(7)::write));
    try (Producer<String, String> producer = producer().open()) {
      producer.sendAndWait("k", "v");
    }
    assertThat(meter.recorded).contains("throttle 7");
  }

  @Test
  void splitIsTold() throws InterruptedException {
    RecordingMeter meter = RecordingMeter.of(client);
    broker.always(ApiKey.PRODUCE, ProduceResponses.refusalAbove(3_000));
    try (Producer<String, String> producer = producer().linger(Duration.ofMinutes(1)).open()) {
      for (int i = 0; i < 2; i++) {
        producer.send("k", "v".repeat(2_000));
      }
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(meter.recorded).filteredOn("split"::equals).hasSize(1);
  }

  @Test
  void pollReportsLagAndLeadOfEachPartitionAndWhenAResponseIsUsedUp() throws InterruptedException {
    broker.state().store(0, "a");
    broker.state().store(0, "b");
    broker.state().store(0, "c");
    RecordingMeter meter = RecordingMeter.of(client);
    int count = 0;
    try (Consumer<String, String> consumer = consumer(2, 0)) {
      while (count < 3) {
        count += consumer.pollPartitions(LATER, records -> {
          while (records.next()) {
            assertThat(records.record().value()).isNotNull();
          }
        });
      }
    }
    assertThat(meter.recorded).containsSubsequence("orders-0 lag 1 lead 2 from -1", "fetch consumed",
        "orders-0 lag 0 lead 3 from -1");
  }
}
