package dev.decant.faults;

import dev.decant.testkit.KafkaCluster;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever happens, what was acknowledged is stored once and in order, and each send has one outcome. */
@Tag("full")
@Timeout(600)
@ExtendWith({SharedCluster.class, LoggedErrors.class})
class ProducerFaultsTest {
  @ParameterizedTest
  @EnumSource(Scenario.class)
  void acknowledgedRecordsAreStoredOnceAndInOrder(Scenario scenario, KafkaCluster cluster)
      throws InterruptedException {
    FaultRun.producer(cluster, scenario, Seeds.next(scenario.name()));
  }
}
