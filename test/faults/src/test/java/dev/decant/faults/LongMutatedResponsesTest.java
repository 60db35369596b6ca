package dev.decant.faults;

import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.testkit.KafkaCluster;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Makes {@code -Ddecant.faults.mutations} changes for each group protocol, 100,000 by default. */
@Tag("long")
@Timeout(value = 3, unit = TimeUnit.HOURS) // each wait has a deadline of its own
@ExtendWith({SharedCluster.class, LoggedErrors.class})
class LongMutatedResponsesTest {
  @ParameterizedTest
  @EnumSource(GroupProtocol.class)
  void clientSurvivesWrongResponsesAndWorksAgainAfterwards(GroupProtocol protocol, KafkaCluster cluster)
      throws InterruptedException {
    MutatedResponses.survive(cluster, protocol, Long.getLong("decant.faults.mutations", 100_000));
  }
}
