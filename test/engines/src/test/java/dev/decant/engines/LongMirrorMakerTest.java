package dev.decant.engines;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.testkit.KafkaCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.mirror.MirrorMaker;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** MirrorMaker 2 copies a topic and the offsets of a group into another cluster. */
@Tag("long")
@Timeout(900)
class LongMirrorMakerTest {
  private static final int RECORDS = Integer.getInteger("decant.engines.records", 100_000);
  private static final int PARTITIONS = 4;
  private static final long OFFSETS_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);

  @TempDir
  private Path directory = Path.of("");

  private String properties(KafkaCluster from, KafkaCluster to) throws IOException {
    Map<String, String> settings = new TreeMap<>(Map.of("clusters", "a, b", "a.bootstrap.servers", from.bootstrap(),
        "b.bootstrap.servers", to.bootstrap(), "a->b.enabled", "true", "a->b.topics", "orders", "a->b.groups",
        "billing", "sync.group.offsets.enabled", "true", "offset.flush.interval.ms", "1000"));
    for (String topic : List.of("", "checkpoints.topic.", "heartbeats.topic.", "offset-syncs.topic.",
        "offset.storage.", "status.storage.", "config.storage.")) {
      settings.put(topic + "replication.factor", "1");
    }
    for (String task : List.of("sync.group.offsets", "emit.checkpoints", "refresh.topics", "refresh.groups")) {
      settings.put(task + ".interval.seconds", "1");
    }
    StringBuilder text = new StringBuilder();
    settings.forEach((name, value) -> text.append(name).append(" = ").append(value).append('\n'));
    return Files.writeString(directory.resolve("mirror.properties"), text, StandardCharsets.UTF_8).toString();
  }

  @ParameterizedTest
  @EnumSource(names = {"APACHE", "AGENT"})
  void theMirrorHasEachRecordAsItWasAndTheOffsetsOfTheGroup(Clients clients) throws Exception {
    List<TopicPartition> orders = Topics.partitions("orders", PARTITIONS);
    List<TopicPartition> mirror = Topics.partitions("a.orders", PARTITIONS);
    try (KafkaCluster a = KafkaCluster.start();
        KafkaCluster b = KafkaCluster.start();
        Topics from = new Topics(a.bootstrap());
        Topics to = new Topics(b.bootstrap())) {
      a.createTopic("orders", PARTITIONS);
      from.fill("orders", PARTITIONS, RECORDS);
      from.commit("billing", from.ends(orders));
      try (EngineJvm mirrorMaker = new EngineJvm.Start(directory, clients, "*;org.apache.kafka.connect.*")
          .main(MirrorMaker.class.getName()).arguments(properties(a, b)).start()) {
        mirrorMaker.measure(() -> to.end(mirror), RECORDS).write("mirror-maker", clients, RECORDS);
        assertThat(translated(to, mirror)).isEqualTo(from.ends(orders).values().stream().toList());
        mirrorMaker.stop();
      }

      for (int p = 0; p < PARTITIONS; p++) {
        assertThat(to.contents(mirror.get(p)).equals(from.contents(orders.get(p)))).as("equal records").isTrue();
      }
      Switched.check(directory, clients, "org.apache.kafka.connect.mirror.MirrorUtils");
    }
  }

  /** The offsets of the group in the mirror, once they are at the end or no longer change. */
  private static List<Long> translated(Topics to, List<TopicPartition> mirror) {
    Map<TopicPartition, Long> ends = to.ends(mirror);
    long deadline = System.nanoTime() + OFFSETS_TIMEOUT_NANOS;
    Map<TopicPartition, Long> committed = to.committed("billing", mirror);
    while (!committed.equals(ends) && System.nanoTime() - deadline < 0) {
      committed = to.committed("billing", mirror);
    }
    return committed.values().stream().toList();
  }
}
