package dev.decant.agent;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Loads kafka-clients, Decant's stand-ins and the application again, as a JVM with the agent loads them. */
class PreparedLoader extends ClassLoader {
  private final ApacheClasses classes = new ApacheClasses(List.of());
  private final boolean prepares;
  /** Reasons why classes keep Apache's clients. */
  final List<String> reasons = new ArrayList<>();

  /**
   * Makes a loader.
   *
   * @param prepares false to load Apache's classes as they are
   */
  PreparedLoader(boolean prepares) {
    super(PreparedLoader.class.getClassLoader());
    this.prepares = prepares;
  }

  byte @Nullable [] changed(String name, byte[] classFile) {
    if (classes.of(name.replace('.', '/')).isPresent()) {
      return prepares ? PreparedApache.of(classFile) : null;
    }
    return name.startsWith("app.")
        ? ConstructionRewriter.rewrite(classFile, classes, this, reason -> reasons.add(name + ": " + reason))
        : null;
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith("org.apache.kafka.") && !name.startsWith("dev.decant.kafka.") && !name.startsWith("app.")) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      if (loaded != null) {
        return loaded;
      }
      try {
        byte[] classFile = ChangingLoader.classFile(name);
        byte @Nullable [] changed = changed(name, classFile);
        byte[] defined = changed == null ? classFile : changed;
        return defineClass(name, defined, 0, defined.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }
}
