package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.lab.scenario.ScenarioCatalog;
import org.junit.jupiter.api.Test;

class ListCommandTest {
  private final CommandLines lines = new CommandLines();

  @Test
  void theListHasEveryScenarioWithItsTitleAndBarsAndTheGroups() {
    assertThat(lines.run("list")).isZero();

    for (String name : ScenarioCatalog.names()) {
      assertThat(lines.out()).contains(name, ScenarioCatalog.named(name).title(),
          ScenarioCatalog.named(name).bars().getFirst().text());
    }
    assertThat(lines.out()).contains("groups: produce-all (produce-100-acks1,", "consume-all (consume-100,");
  }

  @Test
  void aNamePrintsTheFile() {
    assertThat(lines.run("list", "poll-5")).isZero();

    assertThat(lines.out()).isEqualTo(ScenarioCatalog.named("poll-5").text());
  }

  @Test
  void anUnknownNameIsOneLineThatNamesIt() {
    assertThat(lines.run("list", "juggle")).isEqualTo(Decant.USAGE);

    assertThat(lines.err().strip()).startsWith("decant: ").contains("juggle", "produce-100").hasLineCount(1);
    assertThat(lines.out()).isEmpty();
  }
}
