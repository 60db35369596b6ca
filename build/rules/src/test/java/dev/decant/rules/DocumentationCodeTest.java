package dev.decant.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compiles the Java that documents show: imports, then statements. */
class DocumentationCodeTest {
  private static final Pattern BLOCK = Pattern.compile("```java\\R(.*?)```", Pattern.DOTALL);
  private static final Path ROOT = Path.of("../..");

  @TempDir
  Path classes;

  private static List<Path> documents() throws IOException {
    List<Path> documents = new ArrayList<>();
    try (Stream<Path> root = Files.list(ROOT)) {
      root.filter(DocumentationCodeTest::isDocument).forEach(documents::add);
    }
    Path pages = ROOT.resolve("docs");
    if (Files.isDirectory(pages)) {
      try (Stream<Path> all = Files.walk(pages)) {
        all.filter(DocumentationCodeTest::isDocument).forEach(documents::add);
      }
    }
    return documents;
  }

  private static boolean isDocument(Path file) {
    return file.getFileName().toString().endsWith(".md");
  }

  @Test
  void everyBlockCompiles() throws IOException {
    int blocks = 0;
    for (Path document : documents()) {
      Matcher block = BLOCK.matcher(Files.readString(document));
      while (block.find()) {
        assertThat(errors(block.group(1))).as("%s, block at character %d", document, block.start()).isEmpty();
        blocks++;
      }
    }
    assertThat(blocks).as("blocks found").isPositive();
  }

  @Test
  void aBlockThatDoesNotCompileIsFound() throws IOException {
    assertThat(errors("import java.time.Duration;\nDuration.ofFortnights(1);")).hasSize(1).first().asString()
        .contains("ofFortnights");
  }

  private List<String> errors(String block) throws IOException {
    List<String> imports = block.lines().filter(line -> line.startsWith("import ")).toList();
    List<String> statements = block.lines().filter(line -> !line.startsWith("import ")).toList();
    String source = String.join("\n", imports) + "\nfinal class Block { void run() throws Exception {\n"
        + String.join("\n", statements) + "\n} }";
    JavaFileObject file = new SimpleJavaFileObject(URI.create("string:///Block.java"), JavaFileObject.Kind.SOURCE) {
      @Override
      public CharSequence getCharContent(boolean ignoreEncodingErrors) {
        return source;
      }
    };
    return JavaSources.errors(classes, List.of(file));
  }
}
