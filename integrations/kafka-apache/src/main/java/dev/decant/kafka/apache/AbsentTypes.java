package dev.decant.kafka.apache;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;

/**
 * Classes that signatures of {@link DecantConsumer} name, and that releases of kafka-clients before 4.1 do not have.
 *
 * <p>The JVM loads them as soon as code lists the methods of the class, as proxies, mocks and dependency injection do.
 * If they are missing, empty classes replace them in Apache's package. A program has no objects of them, so the methods
 * are never called.
 *
 * <p>Any thread.
 */
final class AbsentTypes {
  private static final String PACKAGE = "org.apache.kafka.clients.consumer.";
  private static final List<String> NAMES = List.of(PACKAGE + "CloseOptions", PACKAGE + "SubscriptionPattern");

  private static final int MAGIC = 0xcafebabe;
  private static final int VERSION_OF_JAVA_8 = 52;
  private static final int PUBLIC_FINAL_SUPER_SYNTHETIC = 0x1031;
  private static final int UTF8 = 1;
  private static final int CLASS = 7;

  private AbsentTypes() {}

  /**
   * Defines the missing classes. If the JVM does not allow that, listing the methods still fails, but nothing else
   * does.
   */
  static void define() {
    for (String name : NAMES) {
      if (isAbsent(name)) {
        try {
          MethodHandles.privateLookupIn(Consumer.class, MethodHandles.lookup()).defineClass(classFile(name));
        } catch (IllegalAccessException | IOException | LinkageError e) {
          return; // kafka-clients is a closed module, or another thread has defined the class
        }
      }
    }
  }

  private static boolean isAbsent(String name) {
    try {
      Class.forName(name, false, Consumer.class.getClassLoader());
      return false;
    } catch (ClassNotFoundException e) {
      return true;
    }
  }

  /**
   * Returns a class without members (JVM specification, section 4.1).
   *
   * <pre>
   * magic 4 | minor 2 | major 2 | constants 2: class, name, class, name of Object |
   * flags 2 | this 2 | super 2 | interfaces 2 | fields 2 | methods 2 | attributes 2
   * </pre>
   */
  private static byte[] classFile(String name) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeInt(MAGIC);
    out.writeShort(0);
    out.writeShort(VERSION_OF_JAVA_8);
    out.writeShort(5); // the count is the number of constants plus one
    writeClass(out, 2, name);
    writeClass(out, 4, Object.class.getName());
    out.writeShort(PUBLIC_FINAL_SUPER_SYNTHETIC);
    out.writeShort(1);
    out.writeShort(3);
    for (int none = 0; none < 4; none++) {
      out.writeShort(0);
    }
    return bytes.toByteArray();
  }

  private static void writeClass(DataOutputStream out, int index, String name) throws IOException {
    out.writeByte(CLASS);
    out.writeShort(index);
    out.writeByte(UTF8);
    out.writeUTF(name.replace('.', '/'));
  }
}
