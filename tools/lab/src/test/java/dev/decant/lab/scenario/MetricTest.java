package dev.decant.lab.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class MetricTest {
  @Test
  void moreIsBetterOfWhatIsAchievedAndOfNothingElse() {
    assertThat(Arrays.stream(Metric.values()).filter(Metric::isMoreBetter)).containsExactlyInAnyOrder(
        Metric.RECORDS_PER_S, Metric.TRANSACTIONS_PER_S, Metric.RECORDS_PER_POLL);
  }
}
