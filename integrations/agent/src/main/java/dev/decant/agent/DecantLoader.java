package dev.decant.agent;

import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The class loader of the adapters, below the one that has Apache's classes. If that one does not have Decant's
 * classes, or has them with another kafka-clients, this one defines them.
 *
 * <p>Decant's classes come from this loader first. All others come from the parent first, so that there is one
 * kafka-clients.
 */
final class DecantLoader extends URLClassLoader {
  /** A class of kafka-clients that each client needs. */
  static final String ANCHOR = "org.apache.kafka.common.TopicPartition";
  private static final String DECANT = "dev.decant.";

  static {
    registerAsParallelCapable();
  }

  private DecantLoader(URL[] jars, @Nullable ClassLoader parent) {
    super("decant", jars, parent);
  }

  /**
   * Makes a loader.
   *
   * @param parent has Apache's classes
   * @param jars has Decant's; empty for none
   */
  static DecantLoader over(@Nullable ClassLoader parent, List<URL> jars) {
    if (seesDecant(parent)) {
      return new DecantLoader(new URL[0], parent);
    }
    return new DecantLoader(jars.isEmpty() ? jarAbove(parent) : jars.toArray(URL[]::new), parent);
  }

  /** Whether a loader has a class of Decant's that implements the interface of the same loader. */
  private static boolean seesDecant(@Nullable ClassLoader loader) {
    ClientKind kind = ClientKind.PRODUCER;
    try {
      return Class.forName(kind.interfaceName, false, loader)
          .isAssignableFrom(Class.forName(kind.decantName, false, loader));
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  /**
   * The jar of kafka-apache on the class path of a parent that has no kafka-clients. The modules below it need none, so
   * that their classes come from that parent.
   */
  private static URL[] jarAbove(@Nullable ClassLoader loader) {
    String file = ClientKind.PRODUCER.decantName.replace('.', '/') + ".class";
    URL found = loader == null ? null : loader.getResource(file);
    try {
      if (found == null) {
        return new URL[0];
      }
      if (found.openConnection() instanceof JarURLConnection jar) {
        return new URL[] {jar.getJarFileURL()};
      }
      String text = found.toURI().toString();
      return new URL[] {new URI(text.substring(0, text.length() - file.length())).toURL()};
    } catch (IOException | URISyntaxException e) {
      return new URL[0];
    }
  }

  Class<?> find(ClientKind kind) throws ClassNotFoundException {
    return Class.forName(kind.decantName, false, this);
  }

  /** Defines the class of an adapter, or finds the one that another thread has defined meanwhile. */
  Class<?> define(String name, byte[] bytes) {
    synchronized (getClassLoadingLock(name)) {
      Class<?> defined = findLoadedClass(name);
      return defined != null ? defined : defineClass(name, bytes, 0, bytes.length);
    }
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (name.startsWith(DECANT)) {
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        if (loaded != null) {
          return loaded;
        }
        try {
          return findClass(name);
        } catch (ClassNotFoundException e) {
          // the parent has it
        }
      }
    }
    return super.loadClass(name, resolve);
  }
}
