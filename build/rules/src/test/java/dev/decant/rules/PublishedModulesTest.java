package dev.decant.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * What users resolve: the POMs that the build publishes, which are not those that it is built from. A module is
 * published if its POM sets {@code decant.internal} to false.
 */
class PublishedModulesTest {
  private static final Path ROOT = Path.of("../..");
  private static final Pattern MODULE = Pattern.compile("<module>(.+?)</module>");
  private static final Pattern MANAGED = Pattern.compile("<artifactId>(decant-.+?)</artifactId>");
  private static final Pattern DEPENDENCY = Pattern.compile("<dependency>(.*?)</dependency>", Pattern.DOTALL);
  private static final Pattern GROUP = Pattern.compile("<groupId>(.+?)</groupId>");
  static final String BOM = "product/bom";
  /** Has the classes of other modules, for a command line: no program depends on it. */
  static final String AGENT_ALL = "integrations/agent-all";

  private static List<String> modules() throws IOException {
    return all(MODULE, Files.readString(ROOT.resolve("pom.xml")));
  }

  static List<String> published() throws IOException {
    return modules().stream().filter(module -> read(module, "pom.xml").contains("<decant.internal>false<")).toList();
  }

  /** Those whose classes a program uses. */
  static List<String> publishedJars() throws IOException {
    return published().stream().filter(module -> !module.equals(BOM) && !module.equals(AGENT_ALL)).toList();
  }

  /** The artifact is named after it: {@code decant-kafka} is built in {@code product/kafka}. */
  static String name(String module) {
    return module.substring(module.lastIndexOf('/') + 1);
  }

  private static List<String> all(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(match -> match.group(1)).toList();
  }

  private static String read(String module, String file) {
    try {
      return Files.readString(ROOT.resolve(module).resolve(file));
    } catch (IOException missing) {
      throw new AssertionError(module + " is not built: run mvn -pl build/rules -am verify", missing);
    }
  }

  private static void eachPom(Consumer<String> check) throws IOException {
    for (String module : published()) {
      check.accept(read(module, "target/published-pom.xml"));
    }
  }

  @Test
  void theBomManagesEveryPublishedModuleAndNothingElse() throws IOException {
    List<String> expected = published().stream().filter(module -> !module.equals(BOM))
        .map(module -> "decant-" + name(module)).toList();
    String bom = read(BOM, "target/published-pom.xml");
    String managed = bom.substring(bom.indexOf("<dependencyManagement>"));

    assertThat(all(MANAGED, managed)).containsExactlyInAnyOrderElementsOf(expected).contains("decant-testkit");
    assertThat(all(GROUP, managed)).containsOnly("dev.decant").hasSameSizeAs(expected);
  }

  /** A user who imports the BOM, or depends on a module, resolves no parent, and inherits no version of a library. */
  @Test
  void publishedPomsHaveNoParentAndNoPropertiesOfTheBuild() throws IOException {
    eachPom(pom -> assertThat(pom).doesNotContain("<parent>", "<properties>", "<build>", "<profiles>", "<scope>test<"));
    assertThat(published()).filteredOn(module -> !module.equals(BOM))
        .allSatisfy(
            module -> assertThat(read(module, "target/published-pom.xml")).doesNotContain("<dependencyManagement>"));
  }

  @Test
  void coreFixTheKafkaClientAndTheAgentBringNoLibrary() throws IOException {
    for (String module : List.of("product/core", "product/carriers", "product/fix", "product/kafka-protocol",
        "product/kafka", "product/kafka-work", "integrations/agent", AGENT_ALL)) {
      List<String> libraries = DEPENDENCY.matcher(read(module, "target/published-pom.xml")).results()
          .map(MatchResult::group).filter(text -> !text.contains("<scope>provided<"))
          .filter(text -> !text.contains("<groupId>dev.decant<")).toList();

      assertThat(libraries).as(module).isEmpty();
    }
  }

  /**
   * A project with decant-micrometer got micrometer-core 1.7.0 from it, beside a registry that needs a newer one, and
   * died with NoClassDefFoundError.
   */
  @Test
  void adaptersLeaveTheVersionOfTheirLibraryToTheApplication() throws IOException {
    for (String module : List.of("integrations/micrometer", "integrations/opentelemetry", "integrations/kafka-apache",
        "integrations/kafka-streams", "integrations/spring-kafka", "integrations/spring-boot-starter",
        "integrations/micronaut", "integrations/kafka-work-apache",
        "integrations/flink", "integrations/fix-quickfix")) {
      List<String> libraries = DEPENDENCY.matcher(read(module, "target/published-pom.xml")).results()
          .map(MatchResult::group).filter(text -> !text.contains("<groupId>dev.decant<")).toList();

      assertThat(libraries).as(module).isNotEmpty().allMatch(text -> text.contains("<scope>provided<"));
    }
  }

  /** Their versions are those that the application's kafka-clients has chosen. */
  @Test
  void apachesInterfacesBringTheCodecsWithoutTheirLibraries() throws IOException {
    String pom = read("integrations/kafka-apache", "target/published-pom.xml");

    for (String codec : List.of("lz4", "snappy", "zstd")) {
      assertThat(pom).containsPattern("<artifactId>decant-kafka-codec-" + codec + "</artifactId>\\s*<version>[^<]*"
          + "</version>\\s*<scope>compile</scope>\\s*<exclusions>\\s*<exclusion>");
    }
    assertThat(pom).contains("<artifactId>lz4-java<", "<artifactId>snappy-java<", "<artifactId>zstd-jni<");
  }

  /** The elements without which Maven Central refuses a POM; addresses come with a release, see CONTRIBUTING.md. */
  @Test
  void publishedPomsSayWhatMavenCentralAsksFor() throws IOException {
    eachPom(pom -> assertThat(pom).containsPattern("<name>.+</name>").containsPattern("<description>.+</description>")
        .contains("<url>", "<license>", "<developer>", "<scm ", "<connection>"));
  }

  @Test
  void modulesForTestsAndTheBuildAreNotPublished() throws IOException {
    assertThat(published()).isNotEmpty()
        .allSatisfy(module -> assertThat(module).doesNotStartWith("test/").doesNotStartWith("build/")
            .isNotEqualTo("tools/lab"));
    assertThat(Files.readString(ROOT.resolve("pom.xml"))).contains("<decant.internal>true<",
        "<maven.deploy.skip>${decant.internal}<");
  }

  /** The versions that users read of are those that the build declares and tests. */
  @Test
  void thePageOnObservingNamesTheLowestAndTheNewestVersionOfEachLibrary() throws IOException {
    String parent = Files.readString(ROOT.resolve("pom.xml"));
    String page = Files.readString(ROOT.resolve("docs/observing.md"));

    for (String library : List.of("micrometer", "opentelemetry")) {
      String lowest = property(parent, library + ".version");
      String newest = property(parent, library + ".newest.version");
      assertThat(page).contains("| `decant-" + library + "`").contains("| " + lowest + " | " + newest + " |");
      assertThat(read("integrations/" + library, "target/published-pom.xml")).contains("<version>" + lowest + "<");
    }
  }

  private static String property(String pom, String name) {
    return all(Pattern.compile("<" + Pattern.quote(name) + ">(.+?)<"), pom).getFirst();
  }
}
