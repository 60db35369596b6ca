package dev.decant.brokers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.buffer.BufferPool;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.testkit.ChildJvm;
import dev.decant.testkit.KafkaCluster;
import dev.decant.testkit.RepositoryJars;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Clients and producers in a JVM that does not suit them, on a real broker. */
@Tag("full")
@ExtendWith(PlainCluster.Shared.class)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RuntimeFindingsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String TOPIC = "runtime-findings";

  private static KafkaCluster cluster;

  @TempDir
  private Path directory = Path.of("");

  @BeforeAll
  static void createTopic() {
    cluster = PlainCluster.current();
    cluster.createTopic(TOPIC, 1);
  }

  private static ChildJvm start(Path log) {
    String classPath = Stream.of(RuntimeFindingsJvm.class, KafkaClient.class, RecordBatchHeader.class, BufferPool.class)
        .map(RepositoryJars::locationOf).collect(Collectors.joining(File.pathSeparator));
    return ChildJvm.start("the misfit JVM", List.of("-XX:+UseSerialGC", "-XX:ActiveProcessorCount=2", "-Xmx256m",
        "-XX:MaxDirectMemorySize=90m", "-cp", classPath, RuntimeFindingsJvm.class.getName(), cluster.bootstrap(),
        TOPIC), log);
  }

  private static List<String> lines(Path log, String id) throws IOException {
    return Files.readAllLines(log).stream().filter(line -> line.contains(" " + id + ": ")).toList();
  }

  @Test
  void findingsAreLoggedOnceAndNotUsedUpWhileLoggingIsOff() throws Exception {
    Path log = directory.resolve("log");
    ChildJvm jvm = start(log);
    try {
      jvm.ask("off", PATIENCE);
      String found = jvm.ask("open", PATIENCE);
      // 32 MiB for records of a producer fit into 90 MiB, 64 MiB more for responses to a consumer do not
      String[] steps = found.split(" \\+ ", -1);
      assertThat(steps[0].split(" ", -1)).contains("gc.serial").doesNotContain("memory.direct");
      assertThat(steps[1].split(" ", -1)).contains("gc.serial").doesNotContain("memory.direct");
      assertThat(steps[2].split(" ", -1)).contains("gc.serial", "memory.direct");
      assertThat(Files.readString(log)).isEmpty();

      jvm.ask("on", PATIENCE);
      jvm.ask("open", PATIENCE);
      jvm.ask("open at once", PATIENCE);
      jvm.ask("open", PATIENCE);
      assertThat(jvm.ask("open unchecked", PATIENCE)).isEmpty();
    } finally {
      jvm.end();
    }

    assertThat(lines(log, "gc.serial")).singleElement().asString().startsWith("WARNING: gc.serial: the serial collector"
        + " is asked for (-XX:+UseSerialGC) and the JVM has 2 processors; ");
    assertThat(lines(log, "memory.direct")).singleElement().asString().contains("bounded to 90 MiB", "may take 96 MiB");
  }

  /** Many threads are the first to find something, in a JVM that has logged nothing yet. */
  @Test
  void ofManyClientsThatAreOpenedAtOnceOneLogs() throws Exception {
    Path log = directory.resolve("log");
    ChildJvm jvm = start(log);
    try {
      jvm.ask("open at once", PATIENCE);
    } finally {
      jvm.end();
    }

    assertThat(lines(log, "gc.serial")).hasSize(1);
    assertThat(lines(log, "memory.direct")).hasSize(1);
  }
}
