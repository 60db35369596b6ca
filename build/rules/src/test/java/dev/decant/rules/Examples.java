package dev.decant.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The projects under {@code examples}. Readers copy them out of the tree, so they are no modules of the build. */
final class Examples {
  static final Path ROOT = Path.of("../..");

  private Examples() {}

  static List<Path> projects() throws IOException {
    try (Stream<Path> all = Files.list(ROOT.resolve("examples"))) {
      return all.filter(Files::isDirectory).sorted().toList();
    }
  }

  static List<Path> sources(Path project) throws IOException {
    try (Stream<Path> all = Files.walk(project.resolve("src"))) {
      return all.filter(file -> file.toString().endsWith(".java")).toList();
    }
  }

  /** Compiles all of them by one call of javac, since each call costs a second. */
  static void compile(Path classes) throws IOException {
    List<Path> sources = new ArrayList<>();
    for (Path project : projects()) {
      sources.addAll(sources(project));
    }
    try (StandardJavaFileManager files = ToolProvider.getSystemJavaCompiler().getStandardFileManager(null, null,
        StandardCharsets.UTF_8)) {
      assertThat(JavaSources.errors(classes, files.getJavaFileObjectsFromPaths(sources))).isEmpty();
    }
  }
}
