package dev.decant.agent;

import dev.decant.agent.asm.Handle;
import dev.decant.agent.asm.Opcodes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Apache's producer and consumer in each kafka-clients that the agent knows: the published one and relocated copies.
 */
final class ApacheClasses {
  private final Map<String, ApacheClass> byInternalName = new LinkedHashMap<>();
  private final List<String> prefixes = new ArrayList<>();

  /**
   * Makes the classes.
   *
   * @param relocated the packages of relocated copies
   */
  ApacheClasses(List<String> relocated) {
    prefixes.add(ApacheClass.PUBLISHED);
    prefixes.addAll(relocated);
    for (String prefix : prefixes) {
      for (ClientKind kind : ClientKind.values()) {
        ApacheClass apache = new ApacheClass(kind, prefix);
        byInternalName.put(apache.internalName(), apache);
      }
    }
  }

  /** Returns the package of each kafka-clients. */
  List<String> prefixes() {
    return prefixes;
  }

  Iterable<ApacheClass> all() {
    return byInternalName.values();
  }

  Optional<ApacheClass> of(String internalName) {
    return Optional.ofNullable(byInternalName.get(internalName));
  }

  /** Returns true for a class that may be Apache's in some package. */
  static boolean hasNameOfClient(String internalName) {
    for (ClientKind kind : ClientKind.values()) {
      if (internalName.endsWith(kind.className.replace('.', '/'))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Recognises Apache's class in a relocated copy of kafka-clients that the options do not name.
   *
   * @param interfaces that it implements
   */
  Optional<ApacheClass> relocated(String internalName, List<String> interfaces) {
    String name = internalName.replace('/', '.');
    for (ClientKind kind : ClientKind.values()) {
      if (name.endsWith(kind.className)) {
        ApacheClass apache = new ApacheClass(kind, name.substring(0, name.length() - kind.className.length()));
        if (!byInternalName.containsKey(internalName)
            && interfaces.contains(apache.interfaceName().replace('.', '/'))) {
          return Optional.of(apache);
        }
      }
    }
    return Optional.empty();
  }

  Optional<ApacheClass> of(Class<?> apache) {
    return of(apache.getName().replace('.', '/'));
  }

  /** Returns true if an instruction allocates an object of Apache's class. */
  boolean isNew(int opcode, String type) {
    return opcode == Opcodes.NEW && byInternalName.containsKey(type);
  }

  /** Returns true if an instruction runs a constructor of Apache's class. */
  boolean isConstructor(int opcode, String owner, String name) {
    return opcode == Opcodes.INVOKESPECIAL && isConstructor(owner, name);
  }

  /** Returns true if a member is a constructor of Apache's class. */
  boolean isConstructor(String owner, String name) {
    return name.equals("<init>") && byInternalName.containsKey(owner);
  }

  /** Returns true for a handle of a constructor of Apache's class, as in {@code KafkaProducer::new}. */
  boolean isConstructorHandle(Object constant) {
    return constant instanceof Handle handle && handle.getTag() == Opcodes.H_NEWINVOKESPECIAL
        && byInternalName.containsKey(handle.getOwner());
  }
}
