package dev.decant.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BrokerCacheTest {
  @TempDir
  private Path temporary;
  private String before = "";

  @BeforeEach
  void useAnotherPlace() {
    before = System.getProperty(BrokerCache.PROPERTY, "");
    System.setProperty(BrokerCache.PROPERTY, temporary.toString());
  }

  @AfterEach
  void useTheUsualPlace() {
    System.setProperty(BrokerCache.PROPERTY, before);
  }

  @Tag("full")
  @Test
  void firstBrokerLeavesAnArchiveThatTheNextOneStartsWith() throws IOException {
    assumeThat(Path.of(System.getProperty("java.home"), "lib", "server", "classes.jsa"))
        .as("a runtime without an archive of its own writes none").exists();
    try (KafkaCluster first = KafkaCluster.start()) {
      assertThat(command(first)).contains("-XX:ArchiveClassesAtExit=").doesNotContain("-XX:SharedArchiveFile=");
      try (KafkaCluster beside = KafkaCluster.start()) {
        assertThat(command(beside)).as("only one writes it").doesNotContain("-XX:ArchiveClassesAtExit=");
      }
    }
    assertThat(files()).contains("broker-main.jar", "classes.jsa").doesNotContain("writing.jsa");

    try (KafkaCluster second = KafkaCluster.start()) {
      assertThat(command(second)).contains("-XX:SharedArchiveFile=").doesNotContain("-XX:ArchiveClassesAtExit=");
      assertThat(second.endOffsets(second.createTopic(2))).containsExactly(0, 0);
    }
  }

  private static String command(KafkaCluster cluster) {
    return ProcessHandle.of(cluster.node(1).pid()).orElseThrow().info().commandLine().orElseThrow();
  }

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.walk(temporary)) {
      return files.map(file -> String.valueOf(file.getFileName())).toList();
    }
  }

  @Tag("full")
  @Test
  void brokerThatIsKilledLeavesNoArchive() throws IOException {
    try (KafkaCluster cluster = KafkaCluster.start()) {
      cluster.node(1).kill();
    }
    assertThat(files()).doesNotContain("classes.jsa", "writing.jsa");
  }

  @Test
  void nothingIsKeptWhereNothingCanBeOrShallBe() throws IOException {
    Path file = Files.createFile(temporary.resolve("file"));
    System.setProperty(BrokerCache.PROPERTY, file.resolve("below").toString());
    assertThat(BrokerCache.open()).isNull();
    System.setProperty(BrokerCache.PROPERTY, "off");
    assertThat(BrokerCache.open()).isNull();
    assertThat(files()).hasSize(2);
  }

  @Tag("full")
  @Test
  void brokerStartsWithoutTheCache() throws IOException {
    System.setProperty(BrokerCache.PROPERTY, "off");

    try (KafkaCluster cluster = KafkaCluster.start()) {
      assertThat(command(cluster)).doesNotContain("-XX:ArchiveClassesAtExit=", "-XX:SharedArchiveFile=");
      assertThat(files()).hasSize(1);
    }
  }

  @Test
  void whatWasNotUsedForAMonthIsRemoved() throws IOException {
    Path old = Files.createDirectory(temporary.resolve("brokers-old"));
    Files.createFile(old.resolve("classes.jsa"));
    Files.setLastModifiedTime(old, FileTime.from(Instant.now().minusSeconds(31L * 24 * 3600)));
    Path recent = Files.createDirectory(temporary.resolve("brokers-recent"));

    BrokerCache cache = Objects.requireNonNull(BrokerCache.open());

    assertThat(cache.classPath()).hasSize(1 + BrokerJars.names().size()).allMatch(Files::isRegularFile);
    assertThat(cache.flags()).isEmpty();
    assertThat(old).doesNotExist();
    assertThat(recent).exists();
  }
}
