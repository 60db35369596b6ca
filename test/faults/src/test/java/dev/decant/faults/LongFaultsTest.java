package dev.decant.faults;

import dev.decant.testkit.KafkaCluster;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Scenarios by chance, or the one that {@code -Ddecant.faults.scenario} names, one after another for
 * {@code -Ddecant.faults.minutes}.
 */
@ExtendWith({SharedCluster.class, LoggedErrors.class})
@EnabledIfSystemProperty(named = "decant.faults.minutes", matches = "[1-9][0-9]*")
class LongFaultsTest {
  @Test
  void acknowledgedRecordsAreStoredOnceAndInOrderForALongTime(KafkaCluster cluster) throws InterruptedException {
    long end = System.nanoTime() + Duration.ofMinutes(Long.getLong("decant.faults.minutes")).toNanos();
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
