package dev.decant.faults;

import dev.decant.testkit.KafkaCluster;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Scenarios by chance, or the one that {@code -Ddecant.faults.scenario} names, one after another for
 * {@code -Ddecant.faults.minutes}, 15 by default.
 */
@Tag("long")
@ExtendWith({SharedCluster.class, LoggedErrors.class})
class LongFaultsTest {
  private static final Duration TIME = Duration.ofMinutes(Long.getLong("decant.faults.minutes", 15));

  @Test
  void acknowledgedRecordsAreStoredOnceAndInOrderForALongTime(KafkaCluster cluster) throws InterruptedException {
    long end = System.nanoTime() + TIME.toNanos();
    String only = System.getProperty("decant.faults.scenario", "");
    Scenario[] all = only.isEmpty() ? Scenario.values() : new Scenario[] {Scenario.valueOf(only)};
    for (int round = 1; System.nanoTime() - end < 0; round++) {
      long seed = Seeds.next("round " + round);
      Random random = new Random(seed);
      Scenario scenario = only.isEmpty() && random.nextBoolean()
          ? Scenario.ALL_AT_ONCE
          : all[random.nextInt(all.length)];
      FaultRun.producer(cluster, scenario, seed);
    }
  }
}
