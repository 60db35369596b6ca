package dev.decant.agent;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/** The test's program, compiled for a release of Java. */
final class CompiledProgram {
  static final String MAIN = "program.Program";
  private static final String SOURCE = "src/test/programs/program/Program.java";

  private CompiledProgram() {}

  /**
   * Compiles the program.
   *
   * @param release of Java
   * @param directory takes a folder of class files
   * @return the folder
   */
  static Path of(int release, Path directory) throws IOException, InterruptedException {
    Path classes = Files.createDirectories(directory.resolve("release-" + release));
    String libraries = AgentJvm.kafka().stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    // Newer JDKs warn that the oldest releases are deprecated.
    Jdk.compile(classes, "-Xlint:-options", "--release", Integer.toString(release), "-cp", libraries, SOURCE);
    return classes;
  }
}
