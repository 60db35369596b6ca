package dev.decant.replay;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Replaces classes by others in class files. All code names a class by its constant pool (JVMS 4.4): constructions,
 * calls, casts, instanceof, fields, lambdas, stack maps and class constants refer to an entry of kind Class, and
 * descriptors and signatures are entries of kind Utf8. So new texts of these entries are all that changes; indexes,
 * instructions and attributes stay.
 *
 * <pre>
 * offset  0      4        8            10
 *         +------+--------+------------+-------------------------------+----------
 *         | magic| version| entries + 1| entries: kind (1), its content| the rest
 *         +------+--------+------------+-------------------------------+----------
 * </pre>
 */
final class ClassSwitch {
  private static final int COUNT_AT = 8;
  private static final int ENTRIES_AT = 10;
  private static final int UTF8 = 1;
  private static final int LONG = 5;
  private static final int DOUBLE = 6;
  private static final int CLASS = 7;
  /** Bytes of an entry by its kind, the kind included; 0 is a kind that does not exist, or has no fixed length. */
  private static final int[] LENGTHS = {0, 0, 0, 5, 5, 9, 9, 3, 3, 5, 5, 5, 5, 0, 0, 4, 3, 5, 5, 3, 3};

  private final Map<String, String> names = new TreeMap<>();

  /**
   * Replaces these classes.
   *
   * @param names full names, {@code java.util.Map} for example, each with the one that takes its place
   */
  ClassSwitch(Map<String, String> names) {
    names.forEach((from, to) -> this.names.put(from.replace('.', '/'), to.replace('.', '/')));
  }

  /** Whether a file of a jar is that of a class that another one replaces, which stays as it is. */
  boolean replaces(String file) {
    return names.containsKey(file.substring(0, file.length() - ".class".length()));
  }

  /**
   * Replaces the names in one class.
   *
   * @param file a class file
   * @return a new class file; null if the class has none of the names
   */
  byte @Nullable [] apply(byte[] file) throws IOException {
    ByteBuffer in = ByteBuffer.wrap(file);
    int count = in.getShort(COUNT_AT) & 0xFFFF;
    int[] starts = new int[count + 1];
    BitSet classNames = new BitSet(count);
    int at = ENTRIES_AT;
    int entry = 1;
    while (entry < count) {
      starts[entry] = at;
      int kind = in.get(at);
      if (kind == CLASS) {
        classNames.set(in.getShort(at + 1) & 0xFFFF);
      }
      at += kind == UTF8 ? 3 + (in.getShort(at + 1) & 0xFFFF) : LENGTHS[kind];
      entry++;
      if (kind == LONG || kind == DOUBLE) {
        starts[entry++] = at; // these two take an index more
      }
    }
    starts[count] = at;
    return write(file, starts, classNames);
  }

  private byte @Nullable [] write(byte[] file, int[] starts, BitSet classNames) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(file.length + 256);
    DataOutputStream out = new DataOutputStream(bytes);
    out.write(file, 0, ENTRIES_AT);
    boolean changed = false;
    for (int entry = 1; entry < starts.length - 1; entry++) {
      int length = starts[entry + 1] - starts[entry];
      String old = length > 0 && file[starts[entry]] == UTF8 ? text(file, starts[entry], length) : null;
      String text = old == null ? null : replaced(old, classNames.get(entry));
      if (text == null || text.equals(old)) {
        out.write(file, starts[entry], length);
      } else {
        out.writeByte(UTF8);
        out.writeUTF(text);
        changed = true;
      }
    }
    int end = starts[starts.length - 1];
    out.write(file, end, file.length - end);
    return changed ? bytes.toByteArray() : null;
  }

  /** The text of an entry: its length and then the bytes that {@link DataInputStream#readUTF} reads. */
  private static String text(byte[] file, int start, int length) throws IOException {
    return new DataInputStream(new ByteArrayInputStream(file, start + 1, length - 1)).readUTF();
  }

  private String replaced(String text, boolean className) {
    String whole = className ? names.get(text) : null;
    if (whole != null) {
      return whole;
    }
    String result = text;
    for (Map.Entry<String, String> name : names.entrySet()) {
      if (result.contains(name.getKey())) {
        for (char end : new char[] {';', '<'}) { // a signature has type arguments before the semicolon
          result = result.replace("L" + name.getKey() + end, "L" + name.getValue() + end);
        }
      }
    }
    return result;
  }
}
