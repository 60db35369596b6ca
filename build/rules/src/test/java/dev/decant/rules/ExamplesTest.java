package dev.decant.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The projects under {@code examples} are no modules: a reader copies them out of the tree. Their sources compile
 * against this build, and their two build files name its versions.
 */
class ExamplesTest {
  private static final Path ROOT = Path.of("../..");
  private static final Pattern VERSION = Pattern.compile("<version>(.+?)</version>");
  private static final Pattern BOOT = Pattern.compile("<spring.boot.version>(.+?)</spring.boot.version>");

  @TempDir
  Path classes;

  private static List<Path> examples() throws IOException {
    try (Stream<Path> all = Files.list(ROOT.resolve("examples"))) {
      return all.filter(Files::isDirectory).sorted().toList();
    }
  }

  private static String first(Pattern pattern, Path pom) throws IOException {
    return pattern.matcher(Files.readString(pom)).results().map(match -> match.group(1)).findFirst().orElseThrow();
  }

  @Test
  void sourcesCompile() throws IOException {
    assertThat(examples()).isNotEmpty();
    for (Path example : examples()) {
      List<Path> sources;
      try (Stream<Path> all = Files.walk(example.resolve("src"))) {
        sources = all.filter(file -> file.toString().endsWith(".java")).toList();
      }
      assertThat(sources).as("sources of %s", example).isNotEmpty();
      try (StandardJavaFileManager files = ToolProvider.getSystemJavaCompiler().getStandardFileManager(null, null,
          StandardCharsets.UTF_8)) {
        assertThat(JavaSources.errors(classes, files.getJavaFileObjectsFromPaths(sources))).as("%s", example)
            .isEmpty();
      }
    }
  }

  @Test
  void bothBuildFilesNameTheVersionsOfThisBuild() throws IOException {
    String decant = first(VERSION, ROOT.resolve("pom.xml"));
    String boot = first(BOOT, ROOT.resolve("pom.xml"));
    for (Path example : examples()) {
      assertThat(Files.readString(example.resolve("pom.xml"))).contains("<decant.version>" + decant + "<",
          "<version>" + boot + "<");
      assertThat(Files.readString(example.resolve("build.gradle.kts"))).contains(
          "dev.decant:decant-bom:" + decant + "\"",
          "version \"" + boot + "\"");
    }
  }
}
