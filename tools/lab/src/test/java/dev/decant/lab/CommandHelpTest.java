package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Tests the layout of {@code --help}, whose lines were once wrapped twice: in the source, and again in the terminal.
 */
class CommandHelpTest {
  private static final Pattern QUOTED_OR_PLAIN = Pattern.compile("'[^']*'|\\S+");

  static List<String> commands() {
    return below(Decant.commandLine()).map(command -> command.getCommandSpec().qualifiedName()).toList();
  }

  private static Stream<CommandLine> below(CommandLine command) {
    return Stream.concat(Stream.of(command),
        command.getSubcommands().values().stream().flatMap(CommandHelpTest::below));
  }

  private static CommandSpec spec(String command) {
    return below(Decant.commandLine()).map(CommandLine::getCommandSpec)
        .filter(spec -> spec.qualifiedName().equals(command)).findFirst().orElseThrow();
  }

  private static List<String> help(String command) {
    CommandLines lines = new CommandLines();
    String[] words = (command + " --help").split(" ", -1);
    assertThat(lines.run(Arrays.copyOfRange(words, 1, words.length))).isZero();
    return lines.out().lines().toList();
  }

  @Test
  void everyCommandIsLookedAt() {
    assertThat(commands()).contains("decant", "decant stress", "decant fix", "decant fix acceptor", "decant doctor")
        .hasSize(23);
  }

  @ParameterizedTest
  @MethodSource("commands")
  void noLineIsWiderThanATerminal(String command) {
    assertThat(help(command)).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
  }

  @ParameterizedTest
  @MethodSource("commands")
  void eachCommandEndsWithAnExampleThatItTakes(String command) {
    List<String> lines = help(command);
    int begin = Math.max(lines.indexOf("Example:"), lines.indexOf("Examples:"));
    assertThat(begin).as(String.join("\n", lines)).isPositive();
    List<String> examples = lines.subList(begin + 1, lines.size());
    assertThat(examples).isNotEmpty().allSatisfy(example -> assertThat(example).startsWith("  ./decant"));
    for (String example : examples) {
      String[] words = QUOTED_OR_PLAIN.matcher(example.strip()).results()
          .map(word -> word.group().replace("'", "")).toArray(String[]::new);
      assertThat(Decant.commandLine().parseArgs(Arrays.copyOfRange(words, 1, words.length)).errors()).isEmpty();
    }
  }

  /**
   * Checks that a line which continues the one before it, at the same column, begins with a word that did not fit
   * there.
   */
  @ParameterizedTest
  @MethodSource("commands")
  void aLineEndsOnlyWhereTheNextWordDoesNotFit(String command) {
    List<String> lines = help(command);
    for (int i = 1; i < lines.size(); i++) {
      String line = lines.get(i - 1);
      String next = lines.get(i);
      boolean goesOn = next.startsWith(" ".repeat(HelpLayout.INDENT)) && line.length() > HelpLayout.INDENT
          && line.charAt(HelpLayout.INDENT - 1) == ' ';
      if (goesOn || (isProse(line) && isProse(next) && !line.endsWith("."))) {
        String word = next.strip().split(" ", 2)[0];
        assertThat(line.length() + 1 + word.length()).as(line + "\n" + next).isGreaterThan(80);
      }
    }
  }

  private static boolean isProse(String line) {
    return !line.isEmpty() && line.charAt(0) != ' ' && !line.startsWith("Usage:") && !line.endsWith(":");
  }

  @ParameterizedTest
  @MethodSource("commands")
  void eachDescriptionIsOfWholeSentences(String command) {
    CommandSpec spec = spec(command);
    assertThat(spec.usageMessage().description()).isNotEmpty().allSatisfy(part -> assertThat(part).endsWith(".")
        .matches("[A-Z].*"));
    Stream.<ArgSpec>concat(spec.options().stream(), spec.positionalParameters().stream())
        .forEach(argument -> assertThat(argument.description()).as(argument.toString()).hasSize(1));
  }

  @ParameterizedTest
  @MethodSource("commands")
  void eachOptionAndParameterIsThereWithAText(String command) {
    String text = String.join("\n", help(command));
    spec(command).options().forEach(option -> assertThat(text).contains("\n  " + String.join(", ", option.names())));
    spec(command).positionalParameters()
        .forEach(parameter -> assertThat(text).contains("\n  " + parameter.paramLabel() + " "));
  }

  @Test
  void theListOfCommandsHasOneSentenceOfEach() {
    assertThat(help("decant")).contains("  doctor                  Checks whether a JVM suits a messaging client.");
  }

  @Test
  void namesWithDotsAreNotCut() {
    assertThat(String.join("\n", help("decant stress"))).contains("DIR/result.json", "kafka-clients.cpu_us_per_record");
  }
}
