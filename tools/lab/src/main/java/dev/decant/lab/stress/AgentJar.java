package dev.decant.lab.stress;

import dev.decant.agent.DecantAgent;
import dev.decant.testkit.RepositoryJars;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.jspecify.annotations.Nullable;

/**
 * Decant's agent as a jar, which {@code -javaagent} needs. If the lab runs from compiled classes, it makes the jar, and
 * deletes it when its own JVM ends.
 */
final class AgentJar {
  private AgentJar() {}

  static Path path() {
    Path location = Path.of(RepositoryJars.locationOf(DecantAgent.class));
    return Files.isRegularFile(location) ? location : Made.of(location);
  }

  /** Holds the jar, which is made at the first use. */
  private static final class Made {
    private static @Nullable Path jar;

    static synchronized Path of(Path classes) {
      Path made = jar;
      if (made == null) {
        try {
          made = write(classes);
        } catch (IOException e) {
          throw new UncheckedIOException("the agent's jar cannot be written to the directory for temporary files", e);
        }
        jar = made;
      }
      return made;
    }
  }

  private static Path write(Path classes) throws IOException {
    Path jar = Files.createTempFile("decant-agent-", ".jar");
    jar.toFile().deleteOnExit();
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Premain-Class", DecantAgent.class.getName());
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream entries = new JarOutputStream(out, manifest);
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        entries.putNextEntry(new ZipEntry(classes.relativize(file).toString().replace(File.separatorChar, '/')));
        Files.copy(file, entries);
      }
    }
    return jar;
  }
}
