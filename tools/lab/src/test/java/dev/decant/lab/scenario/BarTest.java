package dev.decant.lab.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.decant.lab.stress.Sample;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BarTest {

  @ParameterizedTest
  @CsvSource(delimiter = '|', emptyValue = "",
      value = {"cpu_us_per_record <= 1/5 of kafka-clients | '' | 0.2 | kafka-clients | false",
          "decant.cpu_us_per_record <= 0.2 * kafka-clients.cpu_us_per_record | decant | 0.2 | kafka-clients | false",
          "decant.records_per_s>=3/2*kafka-clients-4.1.0.records_per_s | decant | 1.5 | kafka-clients-4.1.0 | true",
          "decant-1.p50_us <= decant-2.p50_us | decant-1 | 1 | decant-2 | false",
          "decant.collections <= 0 | decant | 0 | '' | false"})
  void aBarIsAMetricALimitAndWhoseFiguresTheyAre(String text, String subject, double limit, String control,
      boolean atLeast) {
    Bar<Sample> bar = Bar.parse(text);

    assertThat(bar.subjects()).containsExactly(subject);
    assertThat(bar.limit()).isCloseTo(limit, within(1e-12));
    assertThat(bar.control()).isEqualTo(control);
    assertThat(bar.atLeast()).isEqualTo(atLeast);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "p50_us", "p50_us <= ", "p50_us < 1", "p50_us <= fast", "p50_us <= 1 of", "<= 1",
      "p50_us <= 1 * kafka-clients", "p50_us <= 1 + decant.p50_us", "informational", "informational <= ",
      "p50_us <= 1 informational"})
  void whatIsNoBarIsRefusedWithTheForm(String text) {
    assertThatThrownBy(() -> Bar.parse(text)).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is no bar; write METRIC <= LIMIT").message().hasLineCount(1);
  }

  @Test
  void aBarThatNoRunFailsForSaysSoFirst() {
    Bar<Sample> bar = Bar.parse("informational decant.p50_us <= 1/2 of kafka-clients");

    assertThat(bar).isEqualTo(new Bar<>(bar.text(), true, List.of("decant"), Metric.P50_US, false, 0.5, "kafka-clients",
        false));
    assertThat(Bar.parse("informational p50_us <= kafka-clients.p50_us").informational()).isTrue();
    assertThat(Bar.parse("p50_us <= 1").informational()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"informative", "Informational", "informational,", "decant.p50_us"})
  void anotherWordBeforeAMetricIsRefusedByName(String word) {
    assertThatThrownBy(() -> Bar.parse(word + " p50_us <= 1")).isInstanceOf(IllegalArgumentException.class)
        .hasMessage("\"" + word + "\" stands before a metric; only informational may, for a bar that no run fails for");
  }

  @Test
  void aBarMayBeADifferenceToAnotherClient() {
    Bar<Sample> bar = Bar.parse("bytes_per_record <= 1 more than bare-sslengine");

    assertThat(bar)
        .isEqualTo(new Bar<>(bar.text(), false, List.of(""), Metric.BYTES_PER_RECORD, false, 1, "bare-sslengine",
            true));
  }

  @Test
  void bothSidesHaveTheSameMetric() {
    assertThatThrownBy(() -> Bar.parse("decant.p50_us <= 2 * kafka-clients.p99_us"))
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("two metrics");
  }

  @Test
  void aClientThatIsNotThereIsRefusedWithThoseThatAre() {
    Bar<Sample> bar = Bar.parse("decant.p50_us <= 2 * netty.p50_us");

    assertThatThrownBy(() -> bar.check(List.of("decant", "kafka-clients"))).isInstanceOf(IllegalArgumentException.class)
        .hasMessage("there is no client netty; there are decant, kafka-clients");
  }
}
