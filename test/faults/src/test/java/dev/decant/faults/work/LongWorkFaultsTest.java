package dev.decant.faults.work;

import dev.decant.faults.Seeds;
import dev.decant.faults.SharedCluster;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.work.Order;
import dev.decant.testkit.KafkaCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Parallel work in each order and group protocol. Together they take {@code -Ddecant.work.faults.minutes}, 15 by
 * default, or {@code -Ddecant.work.faults.seconds} each. {@code -Ddecant.work.faults.mode} chooses some, such as
 * {@code BY_KEY,classic,virtual,retry-topics,exactly-once;NONE,consumer}. {@code -Ddecant.work.faults.folder} keeps
 * journals.
 */
@Tag("long")
@Timeout(value = 3, unit = TimeUnit.HOURS) // each wait has a deadline of its own
@ExtendWith(SharedCluster.class)
class LongWorkFaultsTest {
  private static final Duration TIME = Duration.ofMinutes(Long.getLong("decant.work.faults.minutes", 15));

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path folder;

  static List<WorkMode> modes() {
    String only = System.getProperty("decant.work.faults.mode", "");
    if (!only.isEmpty()) {
      return Stream.of(only.split(";", -1)).map(WorkMode::parse).toList();
    }
    List<WorkMode> modes = new ArrayList<>();
    for (GroupProtocol protocol : GroupProtocol.values()) {
      for (Order order : Order.values()) {
        modes.add(new WorkMode(order, protocol, modes.size() % 2 == 1, order != Order.BY_PARTITION, false));
      }
      modes.add(new WorkMode(Order.BY_KEY, protocol, true, true, true));
    }
    return modes;
  }

  @ParameterizedTest
  @MethodSource("modes")
  void nothingIsLostOrOutOfOrderAndNothingCommittedIsDoneAgain(WorkMode mode, KafkaCluster cluster) throws Exception {
    Long seconds = Long.getLong("decant.work.faults.seconds");
    Duration time = seconds == null ? TIME.dividedBy(modes().size()) : Duration.ofSeconds(seconds);
    String kept = System.getProperty("decant.work.faults.folder", "");
    Path journals = kept.isEmpty() ? folder : Files.createTempDirectory(Path.of(kept), mode.name());
    WorkRun.run(cluster, mode, journals, Seeds.next(mode.name()), time);
  }
}
