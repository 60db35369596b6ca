package dev.decant.agent;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Loads the classes of a package again, changed by the agent. The JVM verifies them. */
final class ChangingLoader extends ClassLoader {
  private final String prefix;
  private final Set<String> untouched;
  /** Reasons why classes keep Apache's clients. */
  final List<String> reasons = new ArrayList<>();
  /** The names of the classes that were changed. */
  final List<String> changed = new ArrayList<>();

  /**
   * Makes a loader of the package {@code app}.
   *
   * @param untouched classes that it does not change
   */
  ChangingLoader(String... untouched) {
    this(ChangingLoader.class.getClassLoader(), "app.", untouched);
  }

  /**
   * Makes a loader.
   *
   * @param parent has the class files
   * @param prefix of the names of the classes
   * @param untouched classes that it does not change
   */
  ChangingLoader(ClassLoader parent, String prefix, String... untouched) {
    super(parent);
    this.prefix = prefix;
    this.untouched = Set.of(untouched);
  }

  static byte[] classFile(String name) throws IOException {
    return classFile(ChangingLoader.class.getClassLoader(), name);
  }

  private static byte[] classFile(ClassLoader loader, String name) throws IOException {
    try (InputStream in = loader.getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new IOException("no class file of " + name);
      }
      return in.readAllBytes();
    }
  }

  Class<?> define(String name, byte[] classFile) {
    byte[] bytes = untouched.contains(name)
        ? null
        : ConstructionRewriter.rewrite(classFile, new ApacheClasses(List.of()), this,
            reason -> reasons.add(name + ": " + reason));
    if (bytes == null) {
      return defineClass(name, classFile, 0, classFile.length);
    }
    changed.add(name);
    return defineClass(name, bytes, 0, bytes.length);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(prefix)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      try {
        return loaded != null ? loaded : define(name, classFile(getParent(), name));
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }
}
