package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.Statistic;
import dev.decant.kafka.telemetry.Telemetry;
import dev.decant.time.Clock;
import org.junit.jupiter.api.Test;

class KafkaStatisticsTest {
  private final Telemetry telemetry = new Telemetry(Clock.system());
  private final KafkaStatistics statistics = new KafkaStatistics();

  @Test
  void valuesAreSinceTheBeginningAndDeltasSinceTheLastTime() {
    telemetry.counters().add(Statistic.FETCHES, 5);
    statistics.fill(telemetry.counters());
    telemetry.counters().add(Statistic.FETCHES, 2);
    statistics.fill(telemetry.counters());
    assertThat(statistics.value(Statistic.FETCHES)).isEqualTo(7);
    assertThat(statistics.delta(Statistic.FETCHES)).isEqualTo(2);
    assertThat(statistics.delta(Statistic.ERRORS)).isZero();
    assertThat(statistics.isUnchanged()).isFalse();
  }

  @Test
  void withoutNewsItIsUnchanged() {
    telemetry.counters().add(Statistic.FETCHES, 5);
    statistics.fill(telemetry.counters());
    statistics.fill(telemetry.counters());
    assertThat(statistics.isUnchanged()).isTrue();
    assertThat(statistics.delta(Statistic.FETCHES)).isZero();
    assertThat(statistics.value(Statistic.FETCHES)).isEqualTo(5);
  }
}
