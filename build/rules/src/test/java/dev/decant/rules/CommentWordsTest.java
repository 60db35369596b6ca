package dev.decant.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Comments name their subject. The list of openings and words is short: each of them has left a reader without a
 * subject, or stood for a thing that has a name.
 */
class CommentWordsTest {
  private static final Path ROOT = Path.of("../..");
  private static final List<String> FOLDERS = List.of("build", "product", "integrations", "tools", "test", "examples",
      "contrib");
  /** The beginning of a comment or of a sentence in it. */
  private static final String BEGIN = "(?:^|[.:;] )";

  /**
   * A way of writing that leaves out the subject.
   *
   * @param cure what to write instead
   */
  private record Rule(Pattern pattern, String cure) {
    static Rule of(String pattern, String cure) {
      return new Rule(Pattern.compile(pattern), cure);
    }
  }

  private static final List<Rule> RULES = List.of(
      Rule.of("^Of ", "name the thing that the field holds or the method returns"),
      Rule.of("^Whether (it|they) ", "name the subject: \"True while the connection ...\", \"Returns true if ...\""),
      Rule.of(BEGIN + "So (many|long|much)\\b", "say number, length or amount: \"Number of rounds that ...\""),
      Rule.of(BEGIN + "(Who|Whoever|Whose|Whom) ", "name the thread, class or person that acts"),
      Rule.of("\\b(for|to|by|of|from|than|that|so|only|but|and|or|not|is|asks?|has|with) who(ever)?\\b",
          "name the thread, class or person that acts"),
      Rule.of("(?<![Nn]o )(?<!as )\\b[Ss]uch (?!as\\b|an? )", "say which: \"these\", or the property"));

  @TempDir
  Path elsewhere;

  @Test
  void commentsNameTheirSubject() throws IOException {
    List<Path> sources = sources();
    assertThat(sources).hasSizeGreaterThan(500);
    assertThat(breaches(sources)).isEmpty();
  }

  @Test
  void eachRuleFindsItsBreach() throws IOException {
    assertThat(breaches("/** Of the round. */ int a;")).hasSize(1);
    assertThat(breaches("/** Whether it is done with. */ boolean b;")).hasSize(1);
    assertThat(breaches("// Kept: 3. So long\n// may it wait.")).hasSize(1);
    assertThat(breaches("int c; // Whoever holds it")).hasSize(1);
    assertThat(breaches("/**\n * Runs.\n *\n * @return for who asks\n */ int d();")).hasSize(1);
    assertThat(breaches("/** Takes such frames. */ int e;")).singleElement().asString().contains(":1: ", "Takes such");
  }

  @Test
  void wholeSentencesAndLiteralsAreNoBreach() throws IOException {
    assertThat(breaches("/** Returns true if whoever made it, such as a test, has no such frame. */ int a;")).isEmpty();
    assertThat(breaches("/** Uses memory of the loop. It is in such a pool, as such. */ int b;")).isEmpty();
    assertThat(breaches("String a = \"// Of a kind\"; char b = '\"'; // Kept.")).isEmpty();
    assertThat(breaches("String c = \"\"\"\n /* Who is it */\n\"\"\";")).isEmpty();
    assertThat(breaches("/**\n * Draws.\n *\n * <pre>\n * Of a kind\n * </pre>\n */ int d;")).isEmpty();
  }

  private List<String> breaches(String source) throws IOException {
    return breaches(List.of(Files.writeString(elsewhere.resolve("Source.java"), source)));
  }

  private static List<String> breaches(List<Path> sources) throws IOException {
    List<String> found = new ArrayList<>();
    for (Path source : sources) {
      for (Comments.Comment comment : Comments.in(Files.readString(source))) {
        for (Rule rule : RULES) {
          Matcher matcher = rule.pattern().matcher(comment.text());
          if (matcher.find()) {
            found.add(source + ":" + comment.line() + ": \"" + excerpt(comment.text(), matcher) + "\": " + rule.cure());
          }
        }
      }
    }
    return found;
  }

  private static String excerpt(String text, Matcher at) {
    return text.substring(Math.max(0, at.start() - 20), Math.min(text.length(), at.end() + 40));
  }

  private static List<Path> sources() throws IOException {
    List<Path> sources = new ArrayList<>();
    for (String folder : FOLDERS) {
      try (Stream<Path> modules = Files.list(ROOT.resolve(folder))) {
        for (Path src : modules.map(module -> module.resolve("src")).filter(Files::isDirectory).toList()) {
          try (Stream<Path> files = Files.walk(src)) {
            files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
          }
        }
      }
    }
    return sources;
  }
}
