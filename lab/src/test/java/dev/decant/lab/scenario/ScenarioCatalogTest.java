package dev.decant.lab.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScenarioCatalogTest {

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
      assertThat(scenario.parties().getFirst().label()).as(name).isEqualTo("decant");
    }
  }

  @Test
  void aGroupStandsForAllOfItsKind() {
    assertThat(ScenarioCatalog.resolve(List.of("produce-all"))).extracting(Scenario::name)
        .contains("produce-100", "produce-memory").allMatch(name -> name.startsWith("produce-"));
    assertThat(ScenarioCatalog.resolve(List.of("consume-all"))).extracting(Scenario::name)
        .contains("consume-100", "poll-1", "consume-paced", "latency").noneMatch(name -> name.startsWith("produce-"));
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
