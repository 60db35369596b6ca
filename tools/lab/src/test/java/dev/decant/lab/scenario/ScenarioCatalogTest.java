package dev.decant.lab.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.lab.stress.Sample;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScenarioCatalogTest {
  private static final String BARE = "bare-socket";
  /** Most multiples of the bare socket's figures. */
  private static final Map<Metric, Double> LIMITS = Map.of(Metric.CPU_US_PER_RECORD, 1.25, Metric.P50_US, 1.15,
      Metric.P99_US, 1.15, Metric.P999_US, 1.15);

  @Test
  void everyFileIsInTheIndexAndIsASoundScenarioWithBars() throws IOException, URISyntaxException {
    Path index = Path.of(Objects.requireNonNull(ScenarioCatalog.class.getResource("index")).toURI());
    try (Stream<Path> files = Files.list(Objects.requireNonNull(index.getParent()))) {
      List<String> names = files.map(file -> String.valueOf(file.getFileName()))
          .filter(name -> name.endsWith(".scenario")).map(name -> name.replace(".scenario", "")).toList();

      assertThat(ScenarioCatalog.names()).containsExactlyInAnyOrderElementsOf(names).doesNotHaveDuplicates();
    }
    for (String name : ScenarioCatalog.names()) {
      Scenario scenario = ScenarioCatalog.named(name);
      assertThat(scenario.name()).isEqualTo(name);
      assertThat(scenario.bars()).as(name).isNotEmpty();
      assertThat(scenario.contenders().getFirst().label()).as(name)
          .isEqualTo(name.startsWith("apache-") ? "decant-apache" : "decant");
    }
  }

  @Test
  void everyClientHasFourSamplesUnlessTheRunIsShort() {
    for (Scenario scenario : ScenarioCatalog.resolve(List.of("all"))) {
      assertThat(scenario.round(false)).as(scenario.name())
          .hasSizeGreaterThanOrEqualTo(4 * scenario.contenders().size());
    }
  }

  /** A ratio to a peer may ask for less than the socket, the kernel and the broker take. */
  @Test
  void whereThereIsABareSocketCpuAndLatencyAreHeldToThatAndNotToAPeer() {
    List<Scenario> besides = ScenarioCatalog.resolve(List.of("all")).stream()
        .filter(scenario -> scenario.clients().contains(BARE)).toList();

    assertThat(besides).hasSizeGreaterThanOrEqualTo(9).allSatisfy(scenario -> {
      List<Bar<Sample>> toBare = scenario.bars().stream().filter(bar -> bar.control().equals(BARE)).toList();
      assertThat(toBare).isNotEmpty().noneMatch(Bar::informational)
          .allSatisfy(bar -> assertThat(bar.limit()).isEqualTo(LIMITS.get(bar.metric())));
      assertThat(scenario.bars()).filteredOn(bar -> !toBare.contains(bar)).allSatisfy(bar -> {
        boolean ofCpuOrLatency = LIMITS.containsKey(bar.metric());
        assertThat(bar.informational()).as(bar.text()).isEqualTo(ofCpuOrLatency);
        assertThat(toBare).extracting(Bar::metric).as(bar.text())
            .satisfies(held -> assertThat(held.contains(bar.metric())).isEqualTo(ofCpuOrLatency));
      });
    });
  }

  @Test
  void aGivenClusterIsWithoutTheBareSocketAndTheBarsThatNeedIt() {
    Scenario given = ScenarioCatalog.named("consume-100").onGivenCluster();

    assertThat(given.clients()).containsExactly("decant", "kafka-clients");
    assertThat(given.bars()).extracting(Bar::text).containsExactly(
        "informational cpu_us_per_record <= 1/4 of kafka-clients", "records_per_s >= 2.5 of kafka-clients",
        "bytes_per_record <= 1");
    assertThat(ScenarioCatalog.named("produce-sync").onGivenCluster().bars()).extracting(Bar::control).contains(BARE);
  }

  @Test
  void aGroupStandsForAllOfItsKind() {
    assertThat(ScenarioCatalog.resolve(List.of("produce-all"))).extracting(Scenario::name)
        .contains("produce-100", "produce-memory").allMatch(name -> name.startsWith("produce-"));
    assertThat(ScenarioCatalog.resolve(List.of("consume-all"))).extracting(Scenario::name)
        .contains("consume-100", "poll-1", "consume-paced", "latency")
        .noneMatch(name -> name.startsWith("produce-") || name.startsWith("work-"));
    assertThat(ScenarioCatalog.resolve(List.of("work-all"))).extracting(Scenario::name)
        .contains("work-key-0", "work-skewed", "work-retry").allMatch(name -> name.startsWith("work-"));
    assertThat(ScenarioCatalog.resolve(List.of("apache-all"))).extracting(Scenario::name)
        .contains("apache-produce-100", "apache-poll-5").allMatch(name -> name.startsWith("apache-"));
    assertThat(ScenarioCatalog.resolve(List.of("all"))).hasSameSizeAs(ScenarioCatalog.names());
    assertThat(ScenarioCatalog.resolve(List.of("poll-1", "consume-all", "poll-1"))).extracting(Scenario::name)
        .startsWith("poll-1").doesNotHaveDuplicates();
  }

  @Test
  void anUnknownNameIsRefusedWithTheKnownOnes() {
    assertThatThrownBy(() -> ScenarioCatalog.named("juggle")).isInstanceOf(ScenarioException.class)
        .hasMessageContaining("juggle").hasMessageContaining("produce-100").hasMessageContaining("consume-all");
  }

  @Test
  void aFileOfTheUsersIsCalledAfterItsName(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("mine.scenario");
    Files.writeString(file, ScenarioCatalog.named("poll-1").text());

    assertThat(ScenarioCatalog.read(file).name()).isEqualTo("mine");
    Files.write(file, new byte[] {'t', (byte) 0xff, '='});
    assertThatThrownBy(() -> ScenarioCatalog.read(file)).isInstanceOf(ScenarioException.class)
        .hasMessageContaining("UTF-8");
    assertThatThrownBy(() -> ScenarioCatalog.read(directory.resolve("none"))).isInstanceOf(ScenarioException.class)
        .hasMessageContaining("no such file");
    assertThatThrownBy(() -> ScenarioCatalog.read(directory)).isInstanceOf(ScenarioException.class)
        .hasMessageContaining("cannot be read");
  }
}
