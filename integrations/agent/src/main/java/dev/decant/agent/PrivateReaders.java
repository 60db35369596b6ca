package dev.decant.agent;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds code that reads private fields of clients that other classes construct. That code would find nulls in Decant's
 * clients, and could treat a transactional producer as a plain one.
 */
final class PrivateReaders {
  /** A class of each library, by its internal name. */
  private static final Map<String, String> LIBRARIES = new TreeMap<>(Map.of(
      "io/confluent/parallelconsumer/ParallelConsumerOptions", "parallel-consumer",
      "com/hazelcast/jet/kafka/impl/ResumeTransactionUtil", "hazelcast-jet-kafka"));

  private PrivateReaders() {}

  /**
   * Finds a library that reads private fields of the clients that it is given.
   *
   * @param loader of a class that constructs clients
   * @return why the clients stay Apache's, or null if there is no such library
   */
  static @Nullable String library(@Nullable ClassLoader loader) {
    for (Map.Entry<String, String> library : LIBRARIES.entrySet()) {
      String file = library.getKey() + ".class";
      if ((loader == null ? ClassLoader.getSystemResource(file) : loader.getResource(file)) != null) {
        return library.getValue() + " is there, and reads private fields of the clients that it is given";
      }
    }
    return null;
  }

  /**
   * Returns Apache's class whose private fields a class seems to read: it mentions that class, has the name of one of
   * its private fields, and calls reflection.
   *
   * @param parsed a class that neither constructs nor extends Apache's
   */
  static Optional<ApacheClass> readBy(ParsedClass parsed, ApacheClasses classes, @Nullable ClassLoader loader) {
    if (!parsed.refersTo(
        (owner, name, descriptor) -> owner.equals("java/lang/Class") && name.startsWith("getDeclaredField"))) {
      return Optional.empty();
    }
    for (ApacheClass apache : classes.all()) {
      if (parsed.hasClass(apache.internalName())) {
        ApacheMembers members = ApacheMembers.read(apache, loader);
        if (members != null && parsed.hasString(members::isHiddenField)) {
          return Optional.of(apache);
        }
      }
    }
    return Optional.empty();
  }
}
