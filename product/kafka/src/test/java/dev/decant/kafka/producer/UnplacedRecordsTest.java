package dev.decant.kafka.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.broker.QuietLog;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.cluster.RetryBackoff;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.serialization.Serdes;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Records that wait for partitions: until when they count as waiting. */
@Timeout(60)
@ExtendWith(QuietLog.class)
class UnplacedRecordsTest {
  private final ScriptedBroker broker = ScriptedBroker.start(1);
  private final KafkaClient client = KafkaClient.builder(broker.address()).build();
  private final ClientInternals internals = ClientInternals.of(client);
  private final ProducerSettings settings = new ProducerSettings(ScriptedBroker.TOPIC, Acks.ALL, true, 0, 64 * 1024,
      1024 * 1024, 60_000_000_000L, 60_000_000_000L, Partitioner.byKey(), new RetryBackoff(1, 1), 1_000,
      CompressionType.NONE, 0, null, null, Integer.MAX_VALUE, 5);
  private final UnplacedRecords unplaced = new UnplacedRecords(internals, settings, 1 << 20);
  private final List<String> failures = new ArrayList<>();
  private final List<Object> seen = new ArrayList<>();

  @AfterEach
  void close() {
    try (broker) {
      client.close();
    }
  }

  private void offer(long tag) {
    PendingRecord record = new PendingRecord();
    record.key(ScriptedBroker.TOPIC, null, Serdes.string());
    record.value(ScriptedBroker.TOPIC, "v", Serdes.string());
    record.headers(null);
    record.tag = tag;
    assertThat(unplaced.offer(record, null, new SendListener() {
      @Override
      public void onAck(long ofTag, int partition, long offset, long timestamp) {}

      @Override
      public void onFailure(long ofTag, KafkaException error) {
        failures.add(ofTag + ": " + error.getMessage());
      }
    })).isEqualTo(UnplacedRecords.Outcome.KEPT);
  }

  /** A flush that saw no record and no queue yet once waited for nothing. */
  @Test
  void recordsWaitUntilTheirQueuesAreOpen() {
    offer(1);
    internals.runOnLoop(() -> {
      seen.add(unplaced.place(record -> true, () -> seen.add(unplaced.isEmpty())));
      seen.add(unplaced.isEmpty());
    });
    assertThat(seen).containsExactly(false, true, true);
  }

  @Test
  void purgedRecordsWaitNoMore() {
    offer(1);
    offer(2);
    internals.runOnLoop(() -> {
      seen.add(unplaced.place(record -> record.tag == 1, () -> {}));
      unplaced.failAll(new KafkaException(ErrorCode.NONE, "purged"));
      seen.add(unplaced.isEmpty());
      seen.add(unplaced.place(record -> true, () -> {}));
    });
    assertThat(seen).as("the first one is in a queue that is not open yet").containsExactly(false, false, true);
    assertThat(failures).containsExactly("2: purged");
    assertThat(unplaced.isEmpty()).isTrue();
  }
}
