package dev.decant.engines;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.testkit.junit.KafkaClusterExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.tools.ConsoleProducer;
import org.apache.kafka.tools.consumer.ConsoleConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The console producer sends the lines of a file, and the console consumer prints them. */
@Tag("long")
@Timeout(900)
class LongConsoleToolsTest {
  private static final int LINES = Integer.getInteger("decant.engines.records", 100_000);
  private static final String SWITCHED = "org.apache.kafka.tools.*";

  @RegisterExtension
  static final KafkaClusterExtension KAFKA = KafkaClusterExtension.shared();

  @TempDir
  private Path directory = Path.of("");

  @ParameterizedTest
  @EnumSource(names = {"APACHE", "AGENT"})
  void theConsumerPrintsEachLineOnceAndCommitsThem(Clients clients) throws Exception {
    String topic = KAFKA.createTopic(1);
    List<TopicPartition> partitions = Topics.partitions(topic, 1);
    Path input = Lines.write(directory.resolve("input"), LINES);
    try (Topics topics = new Topics(KAFKA.bootstrap())) {
      Path sending = Files.createDirectory(directory.resolve("producer"));
      try (EngineJvm producer = new EngineJvm.Start(sending, clients, SWITCHED).main(ConsoleProducer.class.getName())
          .arguments("--bootstrap-server", KAFKA.bootstrap(), "--topic", topic).input(input).start()) {
        producer.measure(() -> topics.end(partitions), LINES).write("console-producer", clients, LINES);
        producer.awaitEnd();
      }
      assertThat(topics.end(partitions)).isEqualTo(LINES);

      Path reading = Files.createDirectory(directory.resolve("consumer"));
      try (EngineJvm consumer = new EngineJvm.Start(reading, clients, SWITCHED).main(ConsoleConsumer.class.getName())
          .arguments("--bootstrap-server", KAFKA.bootstrap(), "--topic", topic, "--from-beginning", "--max-messages",
              Integer.toString(LINES), "--group", "group-" + topic)
          .start()) {
        consumer.measure(() -> Lines.count(consumer.output()), LINES).write("console-consumer", clients, LINES);
        consumer.awaitEnd();
        assertThat(Files.mismatch(input, consumer.output())).as("first byte that differs").isEqualTo(-1);
      }
      assertThat(topics.committed("group-" + topic, partitions))
          .isEqualTo(Map.of(partitions.getFirst(), (long) LINES));
      Switched.check(sending, clients, ConsoleProducer.class.getName());
      Switched.check(reading, clients, ConsoleConsumer.class.getName());
    }
  }
}
