package dev.decant.codegen;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Collects the files of one jar that has the agent and all that the agent needs. Argument: the directory to write.
 *
 * <p>The modules are those of Decant's on the class path of this program, as directories or as jars. The agent's own
 * files lie where a JVM looks for them. Those of all other modules lie in a folder of their own, out of sight of every
 * class loader but the agent's: a program may have another version of the same classes.
 */
public final class CollectAgent {
  /** The agent knows it by the same name. */
  private static final String INSIDE = "META-INF/decant/";
  private static final String AGENT = "dev/decant/agent/DecantAgent.class";
  private static final String GENERATOR = "dev/decant/codegen";
  private static final String SERVICES = "META-INF/services/";

  private final Map<String, byte[]> files = new TreeMap<>();
  /** Lines of the lists of services, by their place: each of several modules has a list of the same name. */
  private final Map<String, Set<String>> services = new TreeMap<>();

  private CollectAgent() {}

  /**
   * Writes the files, and deletes those that no module has any more.
   *
   * @param args the output directory
   * @throws IOException if a file cannot be read or written
   */
  public static void main(String[] args) throws IOException {
    CollectAgent collected = new CollectAgent();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      collected.add(Path.of(entry));
    }
    collected.services.forEach((name, lines) -> collected.files.put(name,
        lines.stream().map(line -> line + "\n").collect(Collectors.joining()).getBytes(StandardCharsets.UTF_8)));
    collected.write(Path.of(args[0]));
  }

  private void add(Path entry) throws IOException {
    if (Files.isDirectory(entry)) {
      addModule(entry);
    } else if (Files.exists(entry)) {
      try (FileSystem jar = FileSystems.newFileSystem(entry)) {
        addModule(jar.getPath("/"));
      }
    }
  }

  private void addModule(Path root) throws IOException {
    if (!Files.isDirectory(root.resolve("dev/decant")) || Files.isDirectory(root.resolve(GENERATOR))) {
      return;
    }
    String folder = Files.exists(root.resolve(AGENT)) ? "" : INSIDE;
    try (Stream<Path> all = Files.walk(root)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        String name = root.relativize(file).toString().replace(File.separatorChar, '/');
        if (name.startsWith(SERVICES)) {
          services.computeIfAbsent(folder + name, key -> new TreeSet<>()).addAll(providers(file));
        } else if (!isOfTheModuleAlone(name)) {
          files.put(folder + name, Files.readAllBytes(file));
        }
      }
    }
  }

  private static List<String> providers(Path file) throws IOException {
    return Files.readAllLines(file).stream().filter(line -> !line.isBlank()).toList();
  }

  private static boolean isOfTheModuleAlone(String name) {
    return name.equals("module-info.class") || name.equals("META-INF/MANIFEST.MF")
        || name.startsWith("META-INF/maven/");
  }

  /** Leaves a file alone that is as it should be. */
  private void write(Path output) throws IOException {
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      Path target = output.resolve(file.getKey());
      if (!Files.exists(target) || !Arrays.equals(Files.readAllBytes(target), file.getValue())) {
        Files.createDirectories(target.getParent());
        Files.write(target, file.getValue());
      }
    }
    try (Stream<Path> all = Files.walk(output)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        if (!files.containsKey(output.relativize(file).toString().replace(File.separatorChar, '/'))) {
          Files.delete(file);
        }
      }
    }
  }
}
