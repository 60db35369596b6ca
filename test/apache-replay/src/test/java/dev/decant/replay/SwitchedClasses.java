package dev.decant.replay;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * The classes of Apache's test jars in which a client's class is replaced, in a directory. They come before the jars on
 * the class path, and all other classes are loaded from the jars. Apache's clients and brokers are not touched.
 */
final class SwitchedClasses {
  private SwitchedClasses() {}

  /**
   * Writes them.
   *
   * @param names what is replaced by what
   * @param directory takes the class files
   * @return how many classes it has
   */
  static int write(ClassSwitch names, Path directory) throws IOException {
    int classes = 0;
    for (Path jar : testJars()) {
      try (JarFile file = new JarFile(jar.toFile())) {
        for (JarEntry entry : (Iterable<JarEntry>) file.stream()::iterator) {
          if (entry.getName().endsWith(".class") && !entry.getName().startsWith("META-INF/")
              && !names.replaces(entry.getName())) {
            byte[] switched = names.apply(file.getInputStream(entry).readAllBytes());
            if (switched != null) {
              Path target = directory.resolve(entry.getName());
              Files.createDirectories(target.resolveSibling(""));
              Files.write(target, switched);
              classes++;
            }
          }
        }
      }
    }
    return classes;
  }

  /** Those with tests, and those with what tests start their clients by. */
  static List<Path> testJars() {
    return classPath().stream().filter(path -> {
      String name = path.getFileName().toString();
      return name.matches("kafka.*-test[.]jar|kafka-test-common-.*[.]jar");
    }).toList();
  }

  /** That of this JVM: Maven resolves it for the module. */
  static List<Path> classPath() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1)).map(Path::of).toList();
  }
}
