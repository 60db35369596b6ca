package dev.decant.agent;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * Renames kafka-clients in Decant's class files to a relocated copy.
 *
 * <p>All names, descriptors, signatures and strings of a class file are texts of its constant pool (JVMS 4.4.7). No
 * other part of the file depends on their lengths:
 *
 * <pre>
 * +-----------+-------------+-----------+------------------------------------+------------+
 * | magic (4) | version (4) | count (2) | constants: tag (1), more by the tag | all others |
 * +-----------+-------------+-----------+------------------------------------+------------+
 * a text:                                 tag 1 (1), length (2), bytes
 * </pre>
 *
 * @param prefix the package that replaces {@code org.apache.kafka}
 */
record Relocation(String prefix) {
  private static final String BINARY = ApacheClass.PUBLISHED + ".";
  private static final String INTERNAL = BINARY.replace('.', '/');
  private static final int HEADER = 8;
  private static final int TEXT = 1;

  /**
   * Renames kafka-clients in one class file.
   *
   * @throws IllegalArgumentException if the bytes are no class file, or a name becomes longer than class files
   *     allow
   */
  byte[] apply(byte[] classFile) {
    try {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream(classFile.length + classFile.length / 8);
      DataOutputStream out = new DataOutputStream(bytes);
      DataInputStream in = new DataInputStream(new ByteArrayInputStream(classFile));
      out.write(in.readNBytes(HEADER));
      int count = in.readUnsignedShort();
      out.writeShort(count);
      for (int i = 1; i < count; i++) {
        i += constant(in, out);
      }
      in.transferTo(out);
      return bytes.toByteArray();
    } catch (IOException e) {
      throw new IllegalArgumentException("no class file, or a name is too long: " + e, e);
    }
  }

  /** Copies a constant. Returns how many more indices of the pool it takes after its own. */
  private int constant(DataInputStream in, DataOutputStream out) throws IOException {
    int tag = in.readUnsignedByte();
    out.writeByte(tag);
    if (tag == TEXT) {
      out.writeUTF(renamed(in.readUTF()));
      return 0;
    }
    int length = switch (tag) {
      case 7, 8, 16, 19, 20 -> 2; // class, string, method type, module, package
      case 15 -> 3; // handle
      case 3, 4, 9, 10, 11, 12, 17, 18 -> 4; // int, float, members, name and type, dynamic
      case 5, 6 -> 8; // long, double
      default -> throw new IOException("a constant has tag " + tag);
    };
    out.write(in.readNBytes(length));
    return length == 8 ? 1 : 0;
  }

  /** Returns a name, descriptor, signature or text of the program with the new package. */
  String renamed(String text) {
    return text.replace(INTERNAL, prefix.replace('.', '/') + "/").replace(BINARY, prefix + ".");
  }
}
