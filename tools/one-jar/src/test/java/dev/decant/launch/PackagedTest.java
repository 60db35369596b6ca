package dev.decant.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The jar that users get: nothing is missing in it, and it starts where there is nothing else. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class PackagedTest {
  private static final Path JAR = Path.of("target", "decant.jar");

  @TempDir
  private Path directory = Path.of("");

  @Test
  void everyClassPathOfTheLabHasItsJars() throws IOException {
    List<String> missing = new ArrayList<>();
    int lists = 0;
    try (JarFile jar = new JarFile(JAR.toFile())) {
      JarEntry lab = jar.stream().filter(entry -> entry.getName().matches(".*/decant-lab-[^/]*\\.jar")).findFirst()
          .orElseThrow();
      try (InputStream in = jar.getInputStream(lab); JarInputStream inner = new JarInputStream(in)) {
        for (JarEntry entry = inner.getNextJarEntry(); entry != null; entry = inner.getNextJarEntry()) {
          if (entry.getName().endsWith(".classpath")) {
            lists++;
            String list = new String(inner.readAllBytes(), StandardCharsets.UTF_8);
            for (String name : list.strip().split(":", -1)) {
              if (jar.getEntry(name.replace("@repository@/", "repository/")) == null) {
                missing.add(entry.getName() + ": " + name);
              }
            }
          }
        }
      }
      assertThat(missing).isEmpty();
      assertThat(lists).as("clients with a class path of their own").isGreaterThanOrEqualTo(5);
      assertThat(jar.getEntry("META-INF/THIRD-PARTY.txt")).isNotNull();
    }
  }

  @Test
  void itStartsWhereThereIsNothingElse() throws Exception {
    Path out = directory.resolve("out");
    Process lab = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx64m",
        "-Ddecant.cache=" + directory.resolve("cache"), "-jar", JAR.toAbsolutePath().toString(), "list")
        .directory(directory.toFile()).redirectErrorStream(true).redirectOutput(out.toFile()).start();
    try {
      assertThat(lab.waitFor(100, TimeUnit.SECONDS)).isTrue();
      assertThat(lab.exitValue()).as(Files.readString(out)).isZero();
      assertThat(Files.readString(out)).contains("produce-100");
    } finally {
      lab.destroyForcibly();
    }
  }
}
