package dev.decant.engines;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.testkit.junit.KafkaClusterExtension;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Debezium's embedded engine sends the lines of a file to a topic, and keeps its offsets in another one. */
@Tag("long")
@Timeout(900)
class LongDebeziumTest {
  private static final int LINES = Integer.getInteger("decant.engines.records", 100_000);

  @RegisterExtension
  static final KafkaClusterExtension KAFKA = KafkaClusterExtension.shared();

  @TempDir
  private Path directory = Path.of("");

  @ParameterizedTest
  @EnumSource(names = {"APACHE", "AGENT"})
  void theTopicHasEachLineOnceAndTheOffsetsTopicTheEndOfTheFile(Clients clients) throws Exception {
    String topic = KAFKA.createTopic(1);
    String offsets = topic + "-offsets";
    List<TopicPartition> partitions = Topics.partitions(topic, 1);
    Path input = Lines.write(directory.resolve("input"), LINES);
    try (Topics topics = new Topics(KAFKA.bootstrap())) {
      try (EngineJvm engine = new EngineJvm.Start(directory, clients, "*;org.apache.kafka.connect.*")
          .main(EmbeddedProgram.class.getName())
          .arguments(KAFKA.bootstrap(), topic, offsets, input.toString()).start()) {
        engine.measure(() -> topics.end(partitions), LINES).write("debezium-embedded", clients, LINES);
        engine.stop();
      }

      List<String> values = topics.contents(partitions.getFirst()).stream()
          .map(line -> line.substring(line.length() - Lines.BYTES + 1)).toList();
      assertThat(values.equals(IntStream.range(0, LINES).mapToObj(Lines::line).toList())).as("equal lines").isTrue();
      List<String> stored = topics.contents(Topics.partitions(offsets, 1).getFirst());
      assertThat(stored.getLast()).contains("\"position\":" + (long) LINES * Lines.BYTES);
      Switched.check(directory, clients, EmbeddedProgram.class.getName());
    }
  }
}
