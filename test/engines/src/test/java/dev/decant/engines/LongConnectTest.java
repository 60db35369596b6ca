package dev.decant.engines;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.testkit.junit.KafkaClusterExtension;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.cli.ConnectStandalone;
import org.apache.kafka.connect.file.FileStreamSinkConnector;
import org.apache.kafka.connect.file.FileStreamSourceConnector;
import org.apache.kafka.connect.storage.StringConverter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A standalone Connect worker copies the lines of a file into a topic, and from there into another file. */
@Tag("long")
@Timeout(900)
class LongConnectTest {
  private static final int LINES = Integer.getInteger("decant.engines.records", 100_000);

  @RegisterExtension
  static final KafkaClusterExtension KAFKA = KafkaClusterExtension.shared();

  @TempDir
  private Path directory = Path.of("");

  private String properties(String name, Map<String, String> settings) throws IOException {
    Path file = directory.resolve(name);
    Files.writeString(file, settings.entrySet().stream().map(e -> e.getKey() + '=' + e.getValue() + '\n')
        .collect(Collectors.joining()), StandardCharsets.UTF_8);
    return file.toString();
  }

  private String worker() throws IOException {
    return properties("worker.properties", Map.of("bootstrap.servers", KAFKA.bootstrap(),
        "key.converter", StringConverter.class.getName(), "value.converter", StringConverter.class.getName(),
        "offset.storage.file.filename", directory.resolve("offsets").toString(), "offset.flush.interval.ms", "1000",
        "plugin.discovery", "service_load", "listeners", "http://127.0.0.1:0"));
  }

  @ParameterizedTest
  @EnumSource(names = {"APACHE", "AGENT"})
  void theSinksFileHasEachLineOnceAndItsGroupHasCommittedThem(Clients clients) throws Exception {
    String topic = KAFKA.createTopic(1);
    Path input = Lines.write(directory.resolve("input"), LINES);
    Path output = directory.resolve("copy");
    String source = properties("source.properties", Map.of("name", "source-" + topic, "tasks.max", "1",
        "connector.class", FileStreamSourceConnector.class.getName(), "file", input.toString(), "topic", topic));
    String sink = properties("sink.properties", Map.of("name", "sink-" + topic, "tasks.max", "1",
        "connector.class", FileStreamSinkConnector.class.getName(), "file", output.toString(), "topics", topic));
    List<TopicPartition> partitions = Topics.partitions(topic, 1);

    try (EngineJvm connect = new EngineJvm.Start(directory, clients, "*;org.apache.kafka.connect.*")
        .main(ConnectStandalone.class.getName()).arguments(worker(), source, sink).start();
        Topics topics = new Topics(KAFKA.bootstrap())) {
      connect.measure(() -> Lines.count(output), LINES).write("connect-file", clients, LINES);
      connect.stop();

      assertThat(Files.mismatch(input, output)).as("first byte that differs").isEqualTo(-1);
      assertThat(topics.end(partitions)).isEqualTo(LINES);
      assertThat(topics.committed("connect-sink-" + topic, partitions))
          .isEqualTo(Map.of(partitions.getFirst(), (long) LINES));
      Switched.check(directory, clients, "org.apache.kafka.connect.runtime.Worker");
    }
  }
}
