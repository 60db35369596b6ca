package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the examples of sends and faults in docs/testing.md are the ones that run as tests here. */
class FaultDocumentationTest {
  @ParameterizedTest
  @ValueSource(strings = {"SendingExamplesTest", "FaultExamplesTest", "ApacheExamplesTest"})
  void thePageShowsTheTests(String shownClass) throws Exception {
    String page = Files.readString(Path.of("../../docs/testing.md"));
    String source = Files.readString(Path.of("src/test/java/dev/decant/fake", shownClass + ".java"));
    String shown = source.substring(source.indexOf("@Timeout(30)")).strip();
    assertThat(page).contains(shown + "\n```");
  }
}
