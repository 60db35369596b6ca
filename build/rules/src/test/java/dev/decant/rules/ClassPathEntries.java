package dev.decant.rules;

import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Our modules on the class path of the tests: directories of classes or jars, as the build has come so far. */
final class ClassPathEntries {
  private static final Path ROOT = Path.of("").toAbsolutePath().resolve("../..").normalize();

  private ClassPathEntries() {}

  /**
   * Finds modules and libraries.
   *
   * @param modules directories, from the root of the tree
   * @param libraries what names of their jars begin with
   * @return in the order of the class path
   */
  static List<Path> of(List<String> modules, List<String> libraries) {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator)).map(Path::of)
        .filter(path -> modules.stream().anyMatch(module -> isOf(module, path))
            || libraries.stream().anyMatch(path.getFileName().toString()::startsWith))
        .toList();
  }

  private static boolean isOf(String module, Path path) {
    return path.startsWith(ROOT.resolve(module).resolve("target"))
        || path.getFileName().toString().matches("decant-" + Path.of(module).getFileName() + "-\\d.*\\.jar");
  }
}
