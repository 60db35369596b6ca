package dev.decant.rules;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import dev.decant.completion.Completion;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
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

/** Every protocol stands on core, so core knows none: neither in code nor in the words of its documentation. */
class CoreIsNeutralTest {
  private static final Path SOURCES = Path.of("../../product/core/src/main/java");
  /** It names the modules that a package is exported to. */
  private static final String DESCRIPTOR = "module-info.java";
  /**
   * Words that have a meaning in a protocol of ours alone, as text or within a name. Words of the JDK are left out:
   * record, offset, consumer, producer, group, session.
   */
  private static final Pattern PROTOCOL_WORD = Pattern.compile(String.join("|", "kafka", "broker", "topic", "partition",
      spaced("record", "batch"), spaced("consumer", "group"), spaced("tagged", "field"),
      spaced("compact", "(nullable)?", "(string|bytes|array)"), spaced("protocol", "guide"), "\\bkip-?\\d",
      "(?-i:\\bFIX\\b)"), Pattern.CASE_INSENSITIVE);

  private static final JavaClasses CORE = new ClassFileImporter()
      .importUrl(Completion.class.getProtectionDomain().getCodeSource().getLocation());

  private static final ArchRule NO_PROTOCOL_IS_USED = noClasses()
      .should().dependOnClassesThat().resideInAPackage("dev.decant.kafka..");

  @TempDir
  Path elsewhere;

  /** Words in a row, also where a line of a comment ends between them, or as a name writes them. */
  private static String spaced(String... words) {
    return String.join("[\\s*_-]*", words);
  }

  @Test
  void noSourceSpeaksOfAProtocol() throws IOException {
    assertThat(sources(SOURCES)).hasSizeGreaterThan(30);
    assertThat(wordsInSources(SOURCES)).isEmpty();
  }

  @Test
  void noClassOrMemberIsNamedAfterAProtocol() {
    assertThat(CORE.contain(Completion.class)).isTrue();
    assertThat(namesWithWords(CORE)).isEmpty();
  }

  @Test
  void noClassUsesAProtocol() {
    NO_PROTOCOL_IS_USED.check(CORE);
  }

  @Test
  void aBreachIsSeen() throws IOException {
    Files.writeString(elsewhere.resolve("Word.java"), "// neutral\n/** Due record\n * batches. */\nclass Word {}\n");
    JavaClasses protocol = new ClassFileImporter().importClasses(ProtocolReader.class, ErrorCode.class);
    JavaClasses thisTest = new ClassFileImporter().importClasses(CoreIsNeutralTest.class);

    assertThat(wordsInSources(elsewhere)).singleElement().asString().endsWith("Word.java:2: record\n * batch");
    assertThat(namesWithWords(protocol)).anyMatch(name -> name.contains("readCompactNullableString"))
        .anyMatch(name -> name.contains("skipTaggedFields")).anyMatch(name -> name.contains("UNKNOWN_TOPIC"));
    assertThat(NO_PROTOCOL_IS_USED.evaluate(thisTest).getFailureReport().toString())
        .contains(ProtocolReader.class.getName());
  }

  @Test
  void eachWordIsSeenInTextAndInNames() {
    for (String breach : List.of("as Kafka does", "brokerId", "TopicPartition", "RECORD_BATCH_BYTES",
        "a consumer group", "compact string", "writeCompactArrayLength", "a tagged field", "(KIP-482)",
        "Kafka's protocol guide", "FIX 4.4")) {
      assertThat(words(breach)).as(breach).isNotEmpty();
    }
  }

  @Test
  void wordsOfTheJdkAreNone() {
    for (String neutral : List.of("buffer.compact()", "java.util.function.Consumer", "public record Finding()",
        "@param offset index of the first", "a skipped byte", "a fixed size", "suffix", "many producers")) {
      assertThat(words(neutral)).as(neutral).isEmpty();
    }
  }

  private static List<Path> sources(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files.filter(file -> file.toString().endsWith(".java") && !file.endsWith(DESCRIPTOR)).sorted().toList();
    }
  }

  private static List<String> wordsInSources(Path root) throws IOException {
    List<String> found = new ArrayList<>();
    for (Path file : sources(root)) {
      for (String word : words(Files.readString(file))) {
        found.add(file + ":" + word);
      }
    }
    return found;
  }

  /** The words with the number of the line that each is in. */
  private static List<String> words(String text) {
    List<String> found = new ArrayList<>();
    Matcher word = PROTOCOL_WORD.matcher(text);
    while (word.find()) {
      long line = 1 + text.substring(0, word.start()).chars().filter(c -> c == '\n').count();
      found.add(line + ": " + word.group());
    }
    return found;
  }

  private static List<String> namesWithWords(JavaClasses classes) {
    return classes.stream()
        .flatMap(type -> Stream.concat(Stream.of(type.getSimpleName()), memberNames(type)))
        .filter(name -> PROTOCOL_WORD.matcher(name).find())
        .toList();
  }

  private static Stream<String> memberNames(JavaClass type) {
    return type.getMembers().stream().map(JavaMember::getName).map(name -> type.getSimpleName() + "." + name);
  }
}
