package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The examples of faults that docs/testing.md shows are the ones that run as tests here. */
class FaultDocumentationTest {
  @Test
  void thePageShowsTheTests() throws Exception {
    String page = Files.readString(Path.of("../../docs/testing.md"));
    for (String name : List.of("FaultExamplesTest", "ApacheExamplesTest")) {
      String source = Files.readString(Path.of("src/test/java/dev/decant/fake/" + name + ".java"));
      String shown = source.substring(source.indexOf("@Timeout(30)")).strip();
      assertThat(page).as(name).contains(shown + "\n```");
    }
  }
}
