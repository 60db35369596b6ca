package dev.decant.agent;

import dev.decant.agent.asm.ClassReader;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds a missing class of Decant's before the first client is made. Without this check, a client would fail later in
 * the program with the error of a class that is not found.
 *
 * <p>The search begins with the classes of the clients, reads which classes a class file names, and continues with
 * those. No class is loaded.
 */
final class DecantClasses {
  private static final String DECANT = "dev/decant/";
  /** Tag of a constant that names a class (JVM specification, section 4.4.1). */
  private static final int CLASS_CONSTANT = 7;
  private static final String APACHES_INTERFACES = "dev/decant/kafka/apache/";
  private static final String CODECS = "dev/decant/kafka/compression/CompressionCodec";
  private static final String CODEC = "dev/decant/kafka/codec/";
  /** Classes that no other class names: a client looks them up at the first compressed batch. */
  private static final List<String> CODEC_CLASSES = List.of(CODEC + "lz4/Lz4Codec", CODEC + "snappy/SnappyCodec",
      CODEC + "zstd/ZstdCodec");
  /** Packages of the modules that {@code kafka-apache} needs, with the names of their artifacts. */
  private static final Map<String, String> MODULES = Map.of(APACHES_INTERFACES, "decant-kafka-apache",
      CODEC + "lz4/", "decant-kafka-codec-lz4", CODEC + "snappy/", "decant-kafka-codec-snappy", CODEC + "zstd/",
      "decant-kafka-codec-zstd", "dev/decant/kafka/protocol/", "decant-kafka-protocol", "dev/decant/kafka/record/",
      "decant-kafka-protocol");

  /**
   * Classes that releases before 4.1 do not have. Programs for these releases do not call the methods that use them.
   */
  private static final List<String> NEW_CLASSES = List.of("clients/consumer/CloseOptions",
      "clients/consumer/SubscriptionPattern");

  private final ClassLoader loader;
  private final @Nullable KafkaMembers members;
  /** The package of kafka-clients, with which names of its classes begin. */
  private final String kafka;
  private final Deque<String> unread = new ArrayDeque<>();
  /** Each class that was found, with the class that named it. */
  private final Map<String, String> namedBy = new HashMap<>();

  private DecantClasses(ClassLoader loader, @Nullable KafkaMembers members, String prefix) {
    this.loader = loader;
    this.members = members;
    this.kafka = prefix.replace('.', '/') + "/";
  }

  /**
   * Checks all classes that the clients need, and classes of kafka-clients that they name: builds that minimize jars
   * leave classes out.
   *
   * @param loader has Decant's classes
   * @param members true to check the members of kafka-clients that they use, too
   * @param prefix the package of kafka-clients
   * @return the missing class and its cure; empty if none is missing
   */
  static String missing(ClassLoader loader, boolean members, String prefix) {
    DecantClasses classes = new DecantClasses(loader, members ? new KafkaMembers(loader, prefix) : null,
        prefix);
    for (ClientKind kind : ClientKind.values()) {
      classes.add(kind.decantName.replace('.', '/'), "");
    }
    return classes.search();
  }

  private void add(String name, String of) {
    if (namedBy.putIfAbsent(name, of) == null) {
      unread.add(name);
      if (name.equals(CODECS)) {
        CODEC_CLASSES.forEach(codec -> add(codec, name));
      }
    }
  }

  private String search() {
    for (String name = unread.poll(); name != null; name = unread.poll()) {
      try (InputStream file = loader.getResourceAsStream(name + ".class")) {
        if (file == null) {
          return describe(name);
        }
        byte[] classFile = file.readAllBytes();
        String member = members != null && usesKafka(name) ? members.missing(classFile) : "";
        if (!member.isEmpty()) {
          return "this kafka-clients does not have " + member + ", which " + name.replace('/', '.')
              + " uses; take a newer Decant";
        }
        for (String named : classesIn(classFile)) {
          if (named.startsWith(DECANT)) {
            add(named, name);
          } else if (usesKafka(name) && isMissing(named)) {
            return "this kafka-clients does not have the class " + named.replace('/', '.') + ", which "
                + name.replace('/', '.') + " uses; let the build keep all of its classes";
          }
        }
      } catch (IOException | RuntimeException e) {
        return "the file of " + name.replace('/', '.') + " cannot be read: " + e;
      }
    }
    return "";
  }

  /**
   * Returns true if the class may name members of kafka-clients. {@code ClientsRelease} names members of several
   * releases, and chooses at run time.
   */
  private static boolean usesKafka(String name) {
    return name.startsWith(APACHES_INTERFACES) && !name.startsWith(APACHES_INTERFACES + "ClientsRelease");
  }

  private boolean isMissing(String kafkaClass) {
    String behind = kafkaClass.substring(kafka.length());
    return loader.getResource(kafkaClass + ".class") == null
        && NEW_CLASSES.stream().noneMatch(name -> behind.equals(name) || behind.startsWith(name + "$"));
  }

  /** Returns Decant's and Kafka's classes that a class file names. The first bytes of a name exclude most others. */
  private List<String> classesIn(byte[] classFile) {
    ClassReader reader = new ClassReader(classFile);
    char[] text = new char[reader.getMaxStringLength()];
    List<String> classes = new ArrayList<>();
    for (int i = 1; i < reader.getItemCount(); i++) {
      int at = reader.getItem(i); // 0 at the second half of a long
      if (at > 0 && classFile[at - 1] == CLASS_CONSTANT) {
        int name = reader.getItem(reader.readUnsignedShort(at));
        int prefix = 2; // after the two bytes of the length
        while (classFile[name + prefix] == '[') {
          prefix++;
        }
        boolean isArray = prefix > 2;
        int from = name + prefix + (isArray ? 1 : 0);
        if (startsWith(DECANT, classFile, from) || startsWith(kafka, classFile, from)) {
          String whole = reader.readUTF8(at, text);
          classes.add(isArray ? whole.substring(prefix - 1, whole.length() - 1) : whole);
        }
      }
    }
    return classes;
  }

  private static boolean startsWith(String prefix, byte[] classFile, int from) {
    for (int i = 0; i < prefix.length(); i++) {
      if (from + i >= classFile.length || classFile[from + i] != prefix.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private String describe(String name) {
    String user = namedBy.getOrDefault(name, "");
    String needed = user.isEmpty() ? "" : ", which " + user.replace('/', '.') + " needs,";
    return "the class " + name.replace('/', '.') + needed + " is missing; add " + module(name)
        + " with all that it depends on, or take decant-agent-all.jar";
  }

  private static String module(String name) {
    for (Map.Entry<String, String> module : MODULES.entrySet()) {
      if (name.startsWith(module.getKey())) {
        return module.getValue();
      }
    }
    return name.startsWith("dev/decant/kafka/") ? "decant-kafka" : "decant-core";
  }
}
