package dev.decant.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples compile against this build. Their two build files agree, and name its versions. */
class ExamplesTest {
  private static final Pattern VERSION = Pattern.compile("<version>(.+?)</version>");
  private static final Pattern BOOT = Pattern.compile("<spring.boot.version>(.+?)</spring.boot.version>");
  private static final Pattern DEPENDENCY = Pattern.compile(
      "<dependency>\\s*<groupId>(.+?)</groupId>\\s*<artifactId>(.+?)</artifactId>(?:\\s*<version>(.+?)</version>)?");
  private static final Pattern MAIN = Pattern.compile("<exec.mainClass>(.+?)</exec.mainClass>");

  @TempDir
  Path classes;

  private static String first(Pattern pattern, Path pom) throws IOException {
    return pattern.matcher(Files.readString(pom)).results().map(match -> match.group(1)).findFirst().orElseThrow();
  }

  @Test
  void sourcesCompile() throws IOException {
    assertThat(Examples.projects()).hasSizeGreaterThanOrEqualTo(9);
    for (Path example : Examples.projects()) {
      assertThat(Examples.sources(example)).as("sources of %s", example).isNotEmpty();
    }
    Examples.compile(classes);
  }

  @Test
  void bothBuildFilesNameTheVersionsOfThisBuild() throws IOException {
    String decant = first(VERSION, Examples.ROOT.resolve("pom.xml"));
    String boot = first(BOOT, Examples.ROOT.resolve("pom.xml"));
    for (Path example : Examples.projects()) {
      String pom = Files.readString(example.resolve("pom.xml"));
      String gradle = Files.readString(example.resolve("build.gradle.kts"));
      assertThat(pom).as("%s", example).contains("<decant.version>" + decant + "<");
      assertThat(gradle).as("%s", example).contains("dev.decant:decant-bom:" + decant + "\"");
      if (pom.contains("spring-boot-starter-parent")) {
        assertThat(pom).contains("<version>" + boot + "<");
        assertThat(gradle).contains("version \"" + boot + "\"");
      }
    }
  }

  @Test
  void bothBuildFilesNameTheSameDependenciesAndTheSameProgram() throws IOException {
    for (Path example : Examples.projects()) {
      String pom = Files.readString(example.resolve("pom.xml"));
      String gradle = Files.readString(example.resolve("build.gradle.kts"));
      List<MatchResult> dependencies = DEPENDENCY.matcher(pom).results().toList();
      assertThat(dependencies).as("%s", example).hasSizeGreaterThan(1);
      for (MatchResult dependency : dependencies) {
        String version = dependency.group(3) == null || dependency.group(3).startsWith("${")
            ? ""
            : ":" + dependency.group(3) + "\"";
        assertThat(gradle).as("%s", example).contains(dependency.group(1) + ":" + dependency.group(2) + version);
      }
      MAIN.matcher(pom).results()
          .forEach(main -> assertThat(gradle).as("%s", example).contains("mainClass = \"" + main.group(1) + "\""));
    }
  }

  /** A reader finds each of them, with the command that starts it. */
  @Test
  void thePageOfTheExamplesNamesEachOfThem() throws IOException {
    String page = Files.readString(Examples.ROOT.resolve("examples/README.md"));
    for (Path example : Examples.projects()) {
      String name = example.getFileName().toString();
      assertThat(page).contains("[" + name + "](" + name + ")");
    }
  }
}
