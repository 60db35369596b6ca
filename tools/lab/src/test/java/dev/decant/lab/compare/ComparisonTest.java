package dev.decant.lab.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.decant.lab.scenario.Metric;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ComparisonTest {
  private static final double MARGIN = 0.05;
  private static final int PAIRS = 6;

  private static Comparison compare(Metric metric, List<Double> a, List<Double> b) {
    return Comparison.of(metric, a, b, MARGIN);
  }

  @Test
  void moreThroughputIsBetterAndMoreProcessorTimeIsWorse() {
    List<Double> a = List.of(200.0, 202.0, 199.0, 201.0);
    List<Double> b = List.of(100.0, 101.0, 102.0, 100.0);

    assertThat(compare(Metric.RECORDS_PER_S, a, b).conclusion()).isEqualTo(Conclusion.BETTER);
    assertThat(compare(Metric.RECORDS_PER_S, b, a).conclusion()).isEqualTo(Conclusion.WORSE);
    assertThat(compare(Metric.CPU_US_PER_RECORD, a, b).conclusion()).isEqualTo(Conclusion.WORSE);
    Comparison comparison = compare(Metric.P99_US, b, a);
    assertThat(comparison.conclusion()).isEqualTo(Conclusion.BETTER);
    assertThat(comparison.ratio()).isCloseTo(0.5, within(0.01));
    assertThat(comparison.low()).isLessThan(comparison.ratio());
    assertThat(comparison.high()).isGreaterThan(comparison.ratio()).isLessThan(1);
    assertThat(comparison.sentence("x", "y")).contains("x is better than y by p99_us");
  }

  @Test
  void whatIsWithinTheMarginIsTheSame() {
    Comparison comparison = compare(Metric.RECORDS_PER_S, List.of(100.0, 101.0, 100.5, 100.2),
        List.of(101.0, 101.5, 101.0, 101.2));

    assertThat(comparison.conclusion()).isEqualTo(Conclusion.SAME);
    assertThat(comparison.sentence("x", "y")).contains("x and y are the same");
  }

  @Test
  void aControlThatMovesMoreThanTheEffectMakesItInconclusive() {
    // each pair has the same ratio, but the machine has become twice as fast meanwhile
    List<Double> a = List.of(130.0, 169.0, 208.0, 260.0);
    List<Double> b = List.of(100.0, 130.0, 160.0, 200.0);

    Comparison comparison = compare(Metric.RECORDS_PER_S, a, b);

    assertThat(comparison.low()).isGreaterThan(1);
    assertThat(comparison.controlDrift()).isCloseTo(2, within(1e-9));
    assertThat(comparison.conclusion()).isEqualTo(Conclusion.INCONCLUSIVE);
  }

  @Test
  void tooFewSamplesAndValuesOfNothingAreInconclusive() {
    assertThat(compare(Metric.P50_US, List.of(1.0), List.of(9.0)).conclusion()).isEqualTo(Conclusion.INCONCLUSIVE);
    assertThat(compare(Metric.P50_US, List.of(), List.of()).conclusion()).isEqualTo(Conclusion.INCONCLUSIVE);
    assertThat(compare(Metric.PAUSE_MS, List.of(0.0, 0.0), List.of(5.0, 6.0)).conclusion())
        .isEqualTo(Conclusion.INCONCLUSIVE);
    assertThat(compare(Metric.PAUSE_MS, List.of(Double.NaN, 1.0), List.of(5.0, 6.0)).conclusion())
        .isEqualTo(Conclusion.INCONCLUSIVE);
  }

  @Test
  void theVerdictIsThatOfTheMetricsThatAgree() {
    assertThat(Conclusion.of(List.of(Conclusion.SAME, Conclusion.WORSE))).isEqualTo(Conclusion.WORSE);
    assertThat(Conclusion.of(List.of(Conclusion.BETTER, Conclusion.INCONCLUSIVE))).isEqualTo(Conclusion.BETTER);
    assertThat(Conclusion.of(List.of(Conclusion.BETTER, Conclusion.WORSE))).isEqualTo(Conclusion.INCONCLUSIVE);
    assertThat(Conclusion.of(List.of(Conclusion.SAME, Conclusion.SAME))).isEqualTo(Conclusion.SAME);
    assertThat(Conclusion.of(List.of(Conclusion.SAME, Conclusion.INCONCLUSIVE))).isEqualTo(Conclusion.INCONCLUSIVE);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.001, 0.02, 0.3})
  void aClientIsNeitherBetterNorWorseThanItself(double noise) {
    Random random = new Random(7);
    int differences = 0;
    for (int run = 0; run < 2000; run++) {
      Conclusion conclusion = compare(Metric.RECORDS_PER_S, disturbed(random, samples(random, 1000, noise)),
          disturbed(random, samples(random, 1000, noise))).conclusion();
      differences += conclusion == Conclusion.BETTER || conclusion == Conclusion.WORSE ? 1 : 0;
    }

    assertThat(differences).as("of 2000, seed 7").isZero();
  }

  @Test
  void aClientThatIsATenthSlowerIsFoundOnAQuietMachine() {
    Random random = new Random(7);
    int found = 0;
    for (int run = 0; run < 200; run++) {
      found += compare(Metric.RECORDS_PER_S, samples(random, 900, 0.01), samples(random, 1000, 0.01))
          .conclusion() == Conclusion.WORSE ? 1 : 0;
    }

    assertThat(found).as("of 200, seed 7").isGreaterThan(190);
  }

  private static List<Double> samples(Random random, double value, double noise) {
    return IntStream.range(0, PAIRS).mapToObj(i -> value * Math.exp(noise * random.nextGaussian())).toList();
  }

  /** Takes one sample in twenty while something else runs. */
  private static List<Double> disturbed(Random random, List<Double> samples) {
    return samples.stream().map(value -> random.nextInt(20) == 0 ? value / 2 : value).toList();
  }
}
