package dev.decant.agent;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The class loader of the adapters, below the loader of Apache's classes. If that loader does not have Decant's
 * classes, or has them with another kafka-clients, this loader defines them.
 *
 * <p>Decant's classes come from this loader first. All others come from the parent first, so there is one
 * kafka-clients. For a relocated kafka-clients this loader defines each class of Decant's with the relocated names.
 */
final class DecantLoader extends URLClassLoader {
  /** A class that each client needs, without the prefix of its kafka-clients. */
  static final String ANCHOR = ".common.TopicPartition";
  private static final String DECANT = "dev.decant.";
  private static final String DECANT_FILES = "dev/decant/";
  private static final String CLASS = ".class";
  private static final String AGENT = "dev.decant.agent.";
  /** One class of each module that {@code kafka-apache} needs. */
  private static final List<String> OF_EACH_MODULE = List.of(ClientKind.PRODUCER.decantName,
      "dev.decant.kafka.client.KafkaClient", "dev.decant.kafka.record.RecordBatchReader", "dev.decant.loop.EventLoop",
      "dev.decant.kafka.codec.lz4.Lz4Codec", "dev.decant.kafka.codec.snappy.SnappyCodec",
      "dev.decant.kafka.codec.zstd.ZstdCodec");

  private final String missing;

  static {
    registerAsParallelCapable();
  }

  /** Renames Decant's classes for a relocated kafka-clients; else null. */
  private final @Nullable Relocation relocation;

  private DecantLoader(URL[] jars, @Nullable ClassLoader parent, @Nullable Relocation relocation) {
    super("decant", jars, parent);
    this.relocation = relocation;
    boolean isNew = ClientsRelease.isNewerThanTested(parent, relocation != null);
    // The check reads all class files, which takes a tenth of a second. The build has checked the agent's own jar.
    missing = isInsideAgent(jars) && !isNew && relocation == null
        ? ""
        : DecantClasses.missing(this, isNew, relocation == null ? ApacheClass.PUBLISHED : relocation.prefix());
  }

  /** Returns true if the classes are inside the agent's jar: only a folder within a jar has such an address. */
  private static boolean isInsideAgent(URL[] jars) {
    return jars.length == 1 && jars[0].getProtocol().equals("jar");
  }

  /**
   * Makes a loader.
   *
   * @param parent has Apache's classes
   * @param jars has Decant's; empty for none
   * @param prefix the package of the kafka-clients
   */
  static DecantLoader over(@Nullable ClassLoader parent, List<URL> jars, String prefix) {
    boolean isPublished = prefix.equals(ApacheClass.PUBLISHED);
    if (isPublished && seesDecant(parent)) {
      DecantLoader own = new DecantLoader(new URL[0], parent, null);
      if (jars.isEmpty() || own.missing.isEmpty()) {
        return own;
      }
    }
    return new DecantLoader(jars.isEmpty() ? jarsAbove(parent) : jars.toArray(URL[]::new), parent,
        isPublished ? null : new Relocation(prefix));
  }

  /** Returns what Decant's clients lack here and the cure; empty if they lack nothing. */
  String missing() {
    return missing;
  }

  /** Returns true if a loader has a class of Decant's that implements the interface of the same loader. */
  private static boolean seesDecant(@Nullable ClassLoader loader) {
    ClientKind kind = ClientKind.PRODUCER;
    try {
      return Class.forName(ApacheClass.published(kind).interfaceName(), false, loader)
          .isAssignableFrom(Class.forName(kind.decantName, false, loader));
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  /**
   * Returns the jars of Decant on the class path of a parent that has no kafka-clients. This loader defines all of
   * them. So the codecs find their libraries where kafka-clients finds them, and the client finds the codecs.
   */
  private static URL[] jarsAbove(@Nullable ClassLoader loader) {
    Set<String> jars = new LinkedHashSet<>();
    List<URL> urls = new ArrayList<>();
    for (String name : OF_EACH_MODULE) {
      URL jar = loader == null ? null : jarOf(name.replace('.', '/') + ".class", loader);
      if (jar != null && jars.add(jar.toString())) {
        urls.add(jar);
      }
    }
    return urls.toArray(URL[]::new);
  }

  private static @Nullable URL jarOf(String file, ClassLoader loader) {
    URL found = loader.getResource(file);
    try {
      if (found == null) {
        return null;
      }
      if (found.openConnection() instanceof JarURLConnection jar) {
        return jar.getJarFileURL();
      }
      String text = found.toURI().toString();
      return new URI(text.substring(0, text.length() - file.length())).toURL();
    } catch (IOException | URISyntaxException e) {
      return null;
    }
  }

  Class<?> find(ClientKind kind) throws ClassNotFoundException {
    return Class.forName(kind.decantName, false, this);
  }

  /** Defines the class of an adapter, or returns the one that another thread has defined meanwhile. */
  Class<?> define(String name, byte[] bytes) {
    synchronized (getClassLoadingLock(name)) {
      Class<?> defined = findLoadedClass(name);
      return defined != null ? defined : defineClass(name, bytes, 0, bytes.length);
    }
  }

  /** Returns the address of a class file, from the loader that would define its class. */
  @Override
  public @Nullable URL getResource(String name) {
    URL own = name.startsWith(DECANT_FILES) ? findResource(name) : null;
    return own != null ? own : super.getResource(name);
  }

  /** Returns a class file as this loader would define it. */
  @Override
  public @Nullable InputStream getResourceAsStream(String name) {
    if (relocation == null || !name.startsWith(DECANT_FILES) || !name.endsWith(CLASS)) {
      return super.getResourceAsStream(name);
    }
    URL found = getResource(name);
    try {
      return found == null ? null : new ByteArrayInputStream(relocated(found, relocation));
    } catch (IOException e) {
      return null;
    }
  }

  private static byte[] relocated(URL file, Relocation names) throws IOException {
    try (InputStream in = file.openStream()) {
      return names.apply(in.readAllBytes());
    } catch (IllegalArgumentException e) {
      // A linkage error, like any other defect of a class file: the program then runs Apache's client.
      ClassFormatError error = new ClassFormatError(file.toString());
      error.initCause(e);
      throw error;
    }
  }

  private byte[] relocated(String name, Relocation names) throws ClassNotFoundException {
    URL found = getResource(name.replace('.', '/') + CLASS);
    if (found == null) {
      throw new ClassNotFoundException(name);
    }
    try {
      return relocated(found, names);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (name.startsWith(DECANT) && !name.startsWith(AGENT)) {
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        if (loaded != null) {
          return loaded;
        }
        try {
          return relocation == null ? findClass(name) : define(name, relocated(name, relocation));
        } catch (ClassNotFoundException e) {
          // The parent has the class.
        }
      }
    }
    return super.loadClass(name, resolve);
  }
}
