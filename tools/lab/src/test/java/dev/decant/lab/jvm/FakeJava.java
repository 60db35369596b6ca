package dev.decant.lab.jvm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Programs with the name java: this JVM under the name of another version, or another program. */
public final class FakeJava {
  private FakeJava() {}

  /**
   * Makes the home directory of a JVM like this one, which prints another version.
   *
   * @param home directory to create
   * @param version version to print
   * @param classFiles version of class files to print
   * @return the program
   * @throws IOException if a file cannot be written
   */
  public static Path write(Path home, String version, String classFiles) throws IOException {
    String own = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    return program(home, """
        #!/bin/sh
        if [ "$1" = -XshowSettings:properties ]; then
          echo "Property settings:
            java.class.version = %s
            java.runtime.version = %s
            java.vm.name = Fake VM" >&2
        else
          exec "%s" "$@"
        fi
        """.formatted(classFiles, version, own));
  }

  static Path program(Path home, String script) throws IOException {
    Path program = home.resolve("bin").resolve("java");
    Files.createDirectories(home.resolve("bin"));
    Files.writeString(program, script);
    assertThat(program.toFile().setExecutable(true)).isTrue();
    return program;
  }
}
