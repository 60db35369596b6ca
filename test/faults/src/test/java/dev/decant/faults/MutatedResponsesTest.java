package dev.decant.faults;

import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.testkit.KafkaCluster;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A few hundred changes for each group protocol. */
@Tag("full")
@Timeout(600) // each wait has a deadline of its own
@ExtendWith({SharedCluster.class, LoggedErrors.class})
class MutatedResponsesTest {
  @ParameterizedTest
  @EnumSource(GroupProtocol.class)
  void clientSurvivesWrongResponsesAndWorksAgainAfterwards(GroupProtocol protocol, KafkaCluster cluster)
      throws InterruptedException {
    MutatedResponses.survive(cluster, protocol, 300);
  }
}
