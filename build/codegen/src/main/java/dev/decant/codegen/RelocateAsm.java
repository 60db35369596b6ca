package dev.decant.codegen;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.commons.ClassRemapper;
import org.objectweb.asm.commons.Remapper;

/**
 * Copies ASM's classes into another package. Arguments: the package, and the directory of the class files to write.
 *
 * <p>The module that uses them is compiled against the copy. Its classes are thus the same in every place from which
 * they run: a directory of classes, a test, a jar. ASM's reader of generic signatures is left out, and so are its
 * tables of lines and variables.
 */
public final class RelocateAsm {
  private static final String ASM = "org/objectweb/asm/";
  private static final String SIGNATURES = ASM + "signature/";

  private RelocateAsm() {}

  /**
   * Copies ASM's classes into the package, and deletes older files that ASM no longer has.
   *
   * @param args the package and the output directory
   * @throws IOException if a file cannot be read or written
   */
  public static void main(String[] args) throws IOException {
    String target = args[0].replace('.', '/') + "/";
    Path output = Path.of(args[1]);
    Set<Path> written = new HashSet<>();
    try (JarFile jar = new JarFile(jarOfAsm().toFile())) {
      for (JarEntry entry : (Iterable<JarEntry>) jar.stream()::iterator) {
        String name = entry.getName();
        if (name.startsWith(ASM) && name.endsWith(".class") && !name.startsWith(SIGNATURES)) {
          Path file = output.resolve(moved(name, target));
          try (InputStream in = jar.getInputStream(entry)) {
            replace(file, relocated(in.readAllBytes(), target));
          }
          written.add(file);
        }
      }
    }
    deleteOthers(output.resolve(target), written);
  }

  private static Path jarOfAsm() {
    try {
      return Path.of(ClassReader.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException("the place of ASM's jar is unknown", e);
    }
  }

  private static String moved(String name, String target) {
    return name.startsWith(ASM) ? target + name.substring(ASM.length()) : name;
  }

  private static byte[] relocated(byte[] classFile, String target) {
    ClassWriter writer = new ClassWriter(0);
    new ClassReader(classFile).accept(new ClassRemapper(writer, new Remapper(Opcodes.ASM9) {
      @Override
      public String map(String internalName) {
        return moved(internalName, target);
      }
    }), ClassReader.SKIP_DEBUG);
    return writer.toByteArray();
  }

  /** Leaves a file alone that is as it should be, so that the compiler has nothing to do. */
  private static void replace(Path file, byte[] content) throws IOException {
    if (Files.exists(file) && Arrays.equals(Files.readAllBytes(file), content)) {
      return;
    }
    Files.createDirectories(file.getParent());
    Files.write(file, content);
  }

  /** Removes what an earlier version of ASM had. */
  private static void deleteOthers(Path directory, Set<Path> written) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (!written.contains(file)) {
          Files.delete(file);
        }
      }
    }
  }
}
