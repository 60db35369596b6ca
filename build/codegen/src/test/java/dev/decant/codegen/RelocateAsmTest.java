package dev.decant.codegen;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RelocateAsmTest {
  @TempDir
  private Path directory = Path.of("");

  private List<Path> relocated() throws IOException {
    RelocateAsm.main(new String[] {"com.example.inside", directory.toString()});
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  @Test
  void noClassIsOutsideOfThePackageOrNamesAsmsOwn() throws IOException {
    List<Path> files = relocated();

    assertThat(files).hasSizeGreaterThan(30)
        .allMatch(
            file -> file.startsWith(directory.resolve("com/example/inside")) && file.toString().endsWith(".class"));
    for (Path file : files) {
      assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)).as(file.toString())
          .doesNotContain("org/objectweb/asm/C").doesNotContain("Lorg/objectweb");
    }
  }

  @Test
  void theCopyReadsAClassFile() throws Exception {
    relocated();

    try (URLClassLoader loader = new URLClassLoader(new URL[] {directory.toUri().toURL()},
        ClassLoader.getPlatformClassLoader());
        var in = Objects.requireNonNull(RelocateAsmTest.class.getResourceAsStream("RelocateAsmTest.class"))) {
      Class<?> reader = loader.loadClass("com.example.inside.ClassReader");
      Object read = reader.getConstructor(byte[].class).newInstance((Object) in.readAllBytes());

      assertThat(reader.getMethod("getClassName").invoke(read)).isEqualTo(RelocateAsmTest.class.getName()
          .replace('.', '/'));
    }
  }

  @Test
  void filesOfAnEarlierRunGoAndOthersKeepTheirTimes() throws IOException {
    Path one = relocated().getFirst();
    Path earlier = Files.writeString(one.resolveSibling("Earlier.class"), "");
    var time = Files.getLastModifiedTime(one);

    assertThat(relocated()).contains(one).doesNotContain(earlier);
    assertThat(Files.getLastModifiedTime(one)).isEqualTo(time);
  }
}
