package dev.decant.engines;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.testkit.junit.KafkaClusterExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Kafka Streams counts records by key under {@code exactly_once_v2}. */
@Tag("long")
@Timeout(900)
class LongStreamsTest {
  private static final int RECORDS = Integer.getInteger("decant.engines.records", 100_000);
  private static final int PARTITIONS = 4;
  private static final Duration STEP = Duration.ofMillis(1);

  @RegisterExtension
  static final KafkaClusterExtension KAFKA = KafkaClusterExtension.shared();

  @TempDir
  private Path directory = Path.of("");

  /** Reads what committed transactions have written, and checks that each count follows the one before. */
  private static final class Counts implements AutoCloseable {
    final Map<String, Long> last = new HashMap<>();
    private final KafkaConsumer<String, Long> consumer = new KafkaConsumer<>(Map.of("bootstrap.servers",
        KAFKA.bootstrap(), "isolation.level", "read_committed", "auto.offset.reset", "earliest", "max.poll.records",
        100_000), // all that is there, so that the reader does not bound the rate
        new StringDeserializer(), new LongDeserializer());
    private long read;

    Counts(List<TopicPartition> partitions) {
      consumer.assign(partitions);
    }

    long read() {
      consumer.poll(STEP).forEach(record -> {
        read++;
        assertThat(record.value()).as(record.key()).isEqualTo(last.getOrDefault(record.key(), 0L) + 1);
        last.put(record.key(), record.value());
      });
      return read;
    }

    @Override
    public void close() {
      consumer.close();
    }
  }

  @ParameterizedTest
  @EnumSource
  void eachRecordCountsOnceAndTheInputIsCommitted(Clients clients) throws Exception {
    String input = KAFKA.createTopic(PARTITIONS);
    String output = KAFKA.createTopic(PARTITIONS);
    List<TopicPartition> inputs = Topics.partitions(input, PARTITIONS);
    try (Topics topics = new Topics(KAFKA.bootstrap());
        Counts counts = new Counts(Topics.partitions(output, PARTITIONS))) {
      topics.fill(input, PARTITIONS, RECORDS);
      try (EngineJvm streams = new EngineJvm.Start(directory, clients, "*;org.apache.kafka.streams.*")
          .main(CountingProgram.class.getName())
          .arguments(KAFKA.bootstrap(), input, output, directory.resolve("state").toString(), clients.name())
          .start()) {
        streams.measure(counts::read, RECORDS).write("streams", clients, RECORDS);
        streams.stop();
      }

      assertThat(counts.read()).isEqualTo(RECORDS);
      assertThat(counts.last).hasSize(1000).allSatisfy((key, count) -> assertThat(count).as(key)
          .isEqualTo(RECORDS / 1000));
      assertThat(topics.committed(input, inputs)).isEqualTo(topics.ends(inputs));
      Switched.check(directory, clients, "org.apache.kafka.streams.processor.internals.DefaultKafkaClientSupplier");
    }
  }
}
