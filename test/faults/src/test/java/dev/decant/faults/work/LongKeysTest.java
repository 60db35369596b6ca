package dev.decant.faults.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.testkit.ChildJvm;
import dev.decant.testkit.KafkaCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The memory of work by key is bounded by the records under way, however many keys there are. */
@Tag("long")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class LongKeysTest {
  private static final int RECORDS = 1_000_000;
  private static final int HELD = 100_000;
  private static final int FEW_KEYS = 1_000;
  private static final int PARTITIONS = 6;
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  /** What many keys may take of the heap beyond few ones. */
  private static final long TOLERATED_BYTES = 4 << 20;
  /** What a record may take that is under way, and what the client may take for responses. */
  private static final long BYTES_UNDER_WAY = 1_024;
  private static final long RESPONSE_BYTES = 96 << 20;

  @TempDir
  Path folder;

  /** Bytes of heap and direct memory. */
  private record Memory(long heap, long direct) {
    static Memory of(String response) {
      int space = response.indexOf(' ');
      return new Memory(Long.parseLong(response.substring(0, space)), Long.parseLong(response.substring(space + 1)));
    }

    long sum() {
      return heap + direct;
    }

    void print(String what, Memory beyond) {
      System.out.printf(Locale.ROOT, "%s: heap %,d B, direct %,d B; beyond idle %,d B%n", what, heap, direct,
          sum() - beyond.sum());
    }
  }

  @Test
  void memoryIsBoundedByRecordsUnderWayAndNotByTheNumberOfKeys() {
    try (KafkaCluster cluster = KafkaCluster.start()) {
      for (String topic : List.of("none", "few", "many")) {
        cluster.createTopic(topic, PARTITIONS);
      }
      ChildJvm program = ChildJvm.start("keys", List.of("-Xmx1g", "-XX:MaxDirectMemorySize=1g", "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), KeysProgram.class.getName(),
          cluster.bootstrap()), folder.resolve("keys.log"));
      try {
        assertThat(program.ask("send few " + RECORDS + ' ' + FEW_KEYS, PATIENCE)).isEqualTo("true");
        assertThat(program.ask("send many " + RECORDS + ' ' + RECORDS, PATIENCE)).isEqualTo("true");
        Memory idle = Memory.of(program.ask("idle none", PATIENCE));
        idle.print("idle", idle);
        Memory few = Memory.of(program.ask("work few " + RECORDS, PATIENCE));
        few.print("1,000,000 records of 1,000 keys", idle);
        Memory many = Memory.of(program.ask("work many " + RECORDS, PATIENCE));
        many.print("1,000,000 records of 1,000,000 keys", idle);
        assertThat(many.heap()).isLessThanOrEqualTo(few.heap() + TOLERATED_BYTES);
        assertThat(many.direct()).isLessThanOrEqualTo(idle.direct() + RESPONSE_BYTES);
        cluster.createTopic("held", PARTITIONS);
        assertThat(program.ask("send held " + HELD + ' ' + HELD, PATIENCE)).isEqualTo("true");
        Memory held = Memory.of(program.ask("hold held " + HELD, PATIENCE));
        held.print("100,000 records of 100,000 keys under way at once", idle);
        assertThat(held.sum() - idle.sum()).isLessThanOrEqualTo(HELD * BYTES_UNDER_WAY + RESPONSE_BYTES);
      } finally {
        program.end();
      }
    }
  }
}
