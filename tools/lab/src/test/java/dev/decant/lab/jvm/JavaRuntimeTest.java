package dev.decant.lab.jvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(120)
class JavaRuntimeTest {
  @TempDir
  Path directory;

  private static void assertRefused(String path, String why) {
    assertThatThrownBy(() -> JavaRuntime.at(path)).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why).message().hasLineCount(1);
  }

  /** Returns the first bytes of a class. */
  private static byte[] classFile(int version) {
    return new byte[] {(byte) 0xCA, (byte) 0xFE, (byte) 0xBA, (byte) 0xBE, 0, 0, 0, (byte) version};
  }

  @Test
  void thisJvmIsFoundByItsHomeAndByItsProgram() {
    String home = System.getProperty("java.home");

    assertThat(JavaRuntime.at(home)).isEqualTo(JavaRuntime.own());
    assertThat(JavaRuntime.at(home + "/bin/java")).isEqualTo(JavaRuntime.own());
  }

  @Test
  void anotherJvmSaysItsVersion() throws IOException {
    Path program = FakeJava.write(directory, "21.0.9+10-LTS", "65.0");

    assertThat(JavaRuntime.at(directory.toString()))
        .isEqualTo(new JavaRuntime(program, "21.0.9+10-LTS", "Fake VM", 65));
    assertThat(JavaRuntime.at(program.toString()).title()).isEqualTo("Java 21.0.9+10-LTS");
  }

  /** A name without a folder was once looked up in PATH at the start. */
  @Test
  void programInTheWorkingDirectoryIsTheOneThatIsStarted() throws IOException {
    Path program = FakeJava.write(directory, "21.0.9+10-LTS", "65.0");
    Path name = Files.createTempFile(Path.of(""), "java", ".sh");
    try {
      Files.copy(program, name, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES);

      assertThat(JavaRuntime.at(name.toString()))
          .isEqualTo(new JavaRuntime(name.toAbsolutePath(), "21.0.9+10-LTS", "Fake VM", 65));
    } finally {
      Files.delete(name);
    }
  }

  @Test
  void whatIsNoJvmIsRefusedInOneLine() throws IOException {
    Path file = Files.writeString(directory.resolve("java"), "text");

    assertRefused(directory.resolve("nowhere").toString(), "there is no " + directory.resolve("nowhere"));
    assertRefused(directory.toString(), "it has no program bin/java");
    assertRefused(file.toString(), file + " is not executable");
    assertRefused("\0", "is no path");
    Path broken = FakeJava.program(directory.resolve("broken"), "#!/nowhere/sh\n");
    assertRefused(broken.toString(), broken + " cannot be started: ");
    assertRefused(FakeJava.program(directory.resolve("other"), "#!/bin/sh\necho 'all is well'\n").toString(),
        "it does not say its version");
  }

  @ParameterizedTest
  @CsvSource({"1.8.0_402, 52.0, 8", "17.0.18+8, 61.0, 17", "20+36, 64.0, 20"})
  void aJvmThatIsTooOldForDecantIsRefused(String version, String classFiles, String named) throws IOException {
    Path program = FakeJava.write(directory, version, classFiles);

    assertRefused(directory.toString(), program + " is Java " + named + ", and Decant needs Java 21 or newer");
  }

  @Test
  void classesThatAreTooNewAreRefusedWithTheirPlace() throws IOException {
    JavaRuntime java = new JavaRuntime(Path.of("java"), "21", "Fake VM", 65);
    Path old = Files.createDirectory(directory.resolve("old"));
    Files.write(old.resolve("module-info.class"), classFile(99));
    Files.createDirectories(old.resolve("META-INF/versions/99"));
    Files.write(old.resolve("META-INF/versions/99/A.class"), classFile(99));
    Files.write(old.resolve("A.class"), classFile(65));
    Path jar = directory.resolve("new.jar");
    try (OutputStream file = Files.newOutputStream(jar); JarOutputStream entries = new JarOutputStream(file)) {
      entries.putNextEntry(new JarEntry("META-INF/versions/9/B.class"));
      entries.write(classFile(53));
      entries.putNextEntry(new JarEntry("some/B.class"));
      entries.write(classFile(69));
    }

    java.requireToTake(List.of(old.toString(), Files.createDirectory(directory.resolve("none")).toString()));
    assertThatThrownBy(() -> java.requireToTake(List.of(old.toString(), jar.toString())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("java is Java 21, and " + jar + " is compiled for Java 25 or newer");
  }
}
