package dev.decant.agent;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Finds facts in the bytes of a class file without parsing its structure, which takes longer and changes with the
 * version of the file.
 */
final class UnparsedClass {
  private static final int MINOR_AT = 4;
  private static final int MAJOR_AT = 6;
  /**
   * Literals instead of names from {@link ClientKind}: a JVM without any class of Kafka's then loads only this class.
   */
  private static final byte[][] SIMPLE_NAMES = {ascii("KafkaProducer"), ascii("KafkaConsumer")};

  private UnparsedClass() {}

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Returns true if the simple name of one of Apache's classes occurs anywhere. */
  static boolean mentionsClient(byte[] classFile) {
    for (byte[] name : SIMPLE_NAMES) {
      if (contains(classFile, name)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns true if a text constant (tag 1, length, text) is the name of one of Apache's classes, as references have
   * it.
   */
  static boolean hasName(byte[] classFile, ApacheClasses classes) {
    for (ApacheClass apache : classes.all()) {
      byte[] name = ascii(apache.internalName());
      byte[] constant = ByteBuffer.allocate(3 + name.length).put((byte) 1).putShort((short) name.length).put(name)
          .array();
      if (contains(classFile, constant)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the version of a class file as {@code javap} prints it, with a dot. */
  static String version(byte[] classFile) {
    ByteBuffer bytes = ByteBuffer.wrap(classFile);
    return Short.toUnsignedInt(bytes.getShort(MAJOR_AT)) + "." + Short.toUnsignedInt(bytes.getShort(MINOR_AT));
  }

  private static boolean contains(byte[] bytes, byte[] text) {
    int last = bytes.length - text.length;
    for (int i = 0; i <= last; i++) {
      int matched = 0;
      while (matched < text.length && bytes[i + matched] == text[matched]) {
        matched++;
      }
      if (matched == text.length) {
        return true;
      }
    }
    return false;
  }
}
