package dev.decant.lab.jvm;

import java.io.DataInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/** Finds the oldest JVM for the classes of a directory or jar. */
final class ClassFiles {
  private static final int MAGIC = 0xCAFEBABE;
  private static final String ENDING = ".class";
  /** A folder with classes for newer JVMs only, and files that no JVM loads by itself. */
  private static final String NOT_FOR_EVERY_JVM = "META-INF/";
  /** The module descriptor, which may have another version than the classes beside it. */
  private static final String DESCRIPTOR = "module-info.class";

  private ClassFiles() {}

  /**
   * Reads the version of the first class: one build has compiled them all.
   *
   * @param path directory or jar
   * @return 65 for Java 21; 0 if there is no class
   */
  static int version(Path path) {
    try {
      return Files.isDirectory(path) ? versionOfDirectory(path) : versionOfJar(path);
    } catch (IOException e) {
      throw new UncheckedIOException("the classes of " + path + " cannot be read", e);
    }
  }

  private static int versionOfDirectory(Path directory) throws IOException {
    Optional<Path> first;
    try (Stream<Path> files = Files.walk(directory)) {
      first = files.filter(file -> isClass(directory.relativize(file).toString().replace(File.separatorChar, '/')))
          .findFirst();
    }
    if (first.isEmpty()) {
      return 0;
    }
    try (InputStream in = Files.newInputStream(first.get())) {
      return version(in);
    }
  }

  private static int versionOfJar(Path path) throws IOException {
    try (JarFile jar = new JarFile(path.toFile())) {
      Optional<JarEntry> first = jar.stream().filter(entry -> isClass(entry.getName())).findFirst();
      if (first.isEmpty()) {
        return 0;
      }
      try (InputStream in = jar.getInputStream(first.get())) {
        return version(in);
      }
    }
  }

  private static boolean isClass(String name) {
    return name.endsWith(ENDING) && !name.startsWith(NOT_FOR_EVERY_JVM) && !name.endsWith(DESCRIPTOR);
  }

  /** Reads the version of a class file, which begins with its magic number, the minor and the major version. */
  private static int version(InputStream file) throws IOException {
    DataInputStream in = new DataInputStream(file);
    if (in.readInt() != MAGIC) {
      throw new IOException("no class file");
    }
    in.readUnsignedShort();
    return in.readUnsignedShort();
  }
}
