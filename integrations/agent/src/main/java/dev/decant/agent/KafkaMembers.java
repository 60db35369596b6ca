package dev.decant.agent;

import dev.decant.agent.asm.ClassReader;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;

/**
 * Finds methods and fields of kafka-clients that Decant's classes use and a release does not have. A release after
 * those that Decant was tested with may lack one: a consumer once failed in poll, because kafka-clients 3.9 has no such
 * constructor.
 */
final class KafkaMembers {
  /** Tags of constants that name members (JVM specification, section 4.4.2). */
  private static final int FIELD = 9;
  private static final int METHOD = 10;
  private static final int INTERFACE_METHOD = 11;

  private final Lookup lookup = MethodHandles.publicLookup();
  private final ClassLoader loader;
  /** The package of kafka-clients, with which names of its classes begin. */
  private final String kafka;

  /**
   * Makes a search.
   *
   * @param loader has kafka-clients
   */
  KafkaMembers(ClassLoader loader, String prefix) {
    this.loader = loader;
    kafka = prefix.replace('.', '/') + "/";
  }

  /** Returns the first missing member that one class file uses; empty if none is missing. */
  String missing(byte[] classFile) {
    ClassReader reader = new ClassReader(classFile);
    char[] text = new char[reader.getMaxStringLength()];
    for (int i = 1; i < reader.getItemCount(); i++) {
      int at = reader.getItem(i); // 0 at the second half of a long
      int constant = at == 0 ? 0 : classFile[at - 1];
      if (constant == FIELD || constant == METHOD || constant == INTERFACE_METHOD) {
        String owner = reader.readUTF8(reader.getItem(reader.readUnsignedShort(at)), text);
        int member = reader.getItem(reader.readUnsignedShort(at + 2));
        String name = reader.readUTF8(member, text);
        String descriptor = reader.readUTF8(member + 2, text);
        if (owner.startsWith(kafka) && !exists(owner.replace('/', '.'), name, descriptor)) {
          return owner.replace('/', '.') + "." + name + descriptor;
        }
      }
    }
    return "";
  }

  private boolean exists(String owner, String name, String descriptor) {
    try {
      Class<?> type = Class.forName(owner, false, loader);
      if (descriptor.startsWith("(")) {
        return hasMethod(type, name, MethodType.fromMethodDescriptorString(descriptor, loader));
      }
      return hasField(type, name, MethodType.fromMethodDescriptorString("()" + descriptor, loader).returnType());
    } catch (ClassNotFoundException | TypeNotPresentException | LinkageError e) {
      return false;
    }
  }

  private boolean hasMethod(Class<?> type, String name, MethodType signature) {
    try {
      if (name.equals("<init>")) {
        lookup.findConstructor(type, signature);
      } else {
        lookup.findVirtual(type, name, signature);
      }
      return true;
    } catch (NoSuchMethodException e) {
      return !name.equals("<init>") && hasStatic(type, name, signature);
    } catch (IllegalAccessException e) {
      return true; // it exists, but is static or not public
    }
  }

  private boolean hasStatic(Class<?> type, String name, MethodType signature) {
    try {
      lookup.findStatic(type, name, signature);
      return true;
    } catch (NoSuchMethodException e) {
      return false;
    } catch (IllegalAccessException e) {
      return true;
    }
  }

  private boolean hasField(Class<?> type, String name, Class<?> value) {
    try {
      lookup.findStaticGetter(type, name, value);
      return true;
    } catch (NoSuchFieldException e) {
      return false;
    } catch (IllegalAccessException e) {
      return true; // it exists, but is an instance field
    }
  }
}
