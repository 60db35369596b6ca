package dev.decant.agent;

import dev.decant.agent.asm.ClassReader;
import java.util.Arrays;

/** The code of a method in its class file (JVMS 4.1, 4.6 and 4.7), with the frames. */
final class CodeBytes {
  private final byte[] classFile;
  private final ClassReader reader;
  private final char[] text;
  private int at;

  private CodeBytes(byte[] classFile) {
    this.classFile = classFile;
    reader = new ClassReader(classFile);
    text = new char[reader.getMaxStringLength()];
    // Skips flags, class, parent and interfaces.
    at = reader.header + 6;
    at += 2 + 2 * reader.readUnsignedShort(at);
  }

  static byte[] of(byte[] classFile, String method) {
    CodeBytes bytes = new CodeBytes(classFile);
    bytes.find("no field has code");
    return bytes.find(method);
  }

  /** Skips all fields, or all methods: flags, name, descriptor, attributes. */
  private byte[] find(String wanted) {
    byte[] found = {};
    int members = next();
    for (int i = 0; i < members; i++) {
      String name = reader.readUTF8(at + 2, text);
      at += 6;
      int attributes = next();
      for (int j = 0; j < attributes; j++) {
        int start = at + 6;
        int end = start + reader.readInt(at + 2);
        if (name.equals(wanted) && reader.readUTF8(at, text).equals("Code")) {
          found = Arrays.copyOfRange(classFile, start, end);
        }
        at = end;
      }
    }
    return found;
  }

  private int next() {
    int value = reader.readUnsignedShort(at);
    at += 2;
    return value;
  }
}
