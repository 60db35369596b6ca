package dev.decant.fix.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** The numbered cases of the FIX session test cases, and the rules of this engine beside them, played in-process. */
@Timeout(60)
class ConformanceTest {
  private static final String SUFFIX = ".fix";
  /** What a script may need that the state machine alone has not. */
  private static final Set<String> HAS = Set.of("dictionary");

  static List<Script> scripts() throws IOException, URISyntaxException {
    Path folder = folder();
    Map<String, String> definitions = ScriptParser.definitions("definitions.txt",
        Files.readString(folder.resolve("definitions.txt")));
    List<Script> scripts = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(path -> path.toString().endsWith(SUFFIX)).sorted().toList()) {
        scripts.add(ScriptParser.parse(file.getFileName().toString(), Files.readString(file), definitions));
      }
    }
    return scripts;
  }

  private static Path folder() throws URISyntaxException {
    URL definitions = Objects.requireNonNull(ConformanceTest.class.getResource("definitions.txt"));
    return Objects.requireNonNull(Path.of(definitions.toURI()).getParent());
  }

  @TestFactory
  Stream<DynamicTest> scriptsArePlayed() throws IOException, URISyntaxException {
    return scripts().stream().filter(script -> HAS.containsAll(script.needs()))
        .flatMap(script -> script.steps().keySet()
            .stream().map(version -> dynamicTest(script.name() + " [" + version + "] " + script.title(),
                () -> ScriptRunner.run(script, version, factory(script)))));
  }

  private static SessionUnderTest.Factory factory(Script script) {
    boolean validated = script.needs().contains("dictionary");
    return (version, initiator, settings) -> ProtocolUnderTest.open(version, initiator, settings, validated);
  }

  /** A case that was forgotten would not be missed. */
  @Test
  void eachNumberedCaseHasAScript() throws IOException, URISyntaxException {
    List<String> names = scripts().stream().map(Script::name).toList();

    for (String number : List.of("1a", "1b", "1c", "1d", "1e", "2a", "2b", "2c", "2d", "2e", "2f", "2g", "2h", "2i",
        "2j", "2k", "2l", "2m", "2n", "2o", "2p", "2q", "2r", "2s", "2t", "3a", "3b", "3c", "4a", "4b", "5", "6", "7",
        "8", "9", "10a", "10b", "10c", "10d", "10e", "11a", "11b", "11c", "12", "13a", "13b", "14a", "14b", "14c",
        "14d", "14e", "14f", "14g", "14h", "14i", "14j", "15", "16", "18", "19a", "19b", "20", "21")) {
      assertThat(names).as("scripts of case %s", number).anyMatch(name -> name.startsWith(number + "-"));
    }
  }
}
