package dev.decant.agent;

import dev.decant.agent.asm.ClassReader;
import dev.decant.agent.asm.Label;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

/**
 * A class file, with queries about its constant pool (JVMS 4.4):
 *
 * <pre>
 *            +---------------+----------------------+
 * class      | tag 7  (1)    | name (2)             |
 *            +---------------+----------------------+
 * String     | tag 8  (1)    | text (2)             |
 *            +---------------+----------------------+----------------------+
 * a member   | tag 9-11 (1)  | class (2)            | name and type (2)    |
 *            +---------------+----------------------+----------------------+
 * a handle   | tag 15 (1)    | kind (1)             | member (2)           |
 *            +---------------+----------------------+----------------------+
 * </pre>
 */
final class ParsedClass extends ClassReader {
  /** A predicate for members. */
  interface MemberFilter {
    /**
     * Returns true if the member is chosen.
     *
     * @param owner the class that the reference names, or one below it
     */
    boolean test(String owner, String name, String descriptor);
  }

  private static final int VERSION_AT = 6;
  private static final int CLASS = 7;
  private static final int STRING = 8;
  private static final int FIRST_MEMBER = 9;
  private static final int LAST_MEMBER = 11;
  private static final int HANDLE = 15;

  private final char[] text = new char[getMaxStringLength()];

  /**
   * Reads the constant pool.
   *
   * @throws IllegalArgumentException if the class file is of a version that ASM does not know
   */
  ParsedClass(byte[] classFile) {
    super(classFile);
  }

  int majorVersion() {
    return readUnsignedShort(VERSION_AT);
  }

  /** Returns true if the class names another one, by its internal name. */
  boolean hasClass(String name) {
    return hasConstant(CLASS, CLASS, at -> name.equals(readUTF8(at, text)));
  }

  /** Returns true if a string constant satisfies the predicate. */
  boolean hasString(Predicate<String> wanted) {
    return hasConstant(STRING, STRING, at -> wanted.test(readUTF8(at, text)));
  }

  /** Returns true if the class refers to a field or method that satisfies the predicate. */
  boolean refersTo(MemberFilter member) {
    return hasConstant(FIRST_MEMBER, LAST_MEMBER, at -> isMember(at, member));
  }

  /**
   * Returns true if the class has a handle of a member that satisfies the predicate.
   *
   * @param kind of handle (JVMS 5.4.3.5)
   */
  boolean hasHandle(MemberFilter member, int kind) {
    return hasConstant(HANDLE, HANDLE,
        at -> readByte(at) == kind && isMember(getItem(readUnsignedShort(at + 1)), member));
  }

  private boolean isMember(int at, MemberFilter wanted) {
    int nameAndType = getItem(readUnsignedShort(at + 2));
    return wanted.test(readClass(at, text), readUTF8(nameAndType, text), readUTF8(nameAndType + 2, text));
  }

  /**
   * Returns true if a constant with a tag in the range satisfies the predicate, which takes the index behind the tag.
   */
  private boolean hasConstant(int firstTag, int lastTag, IntPredicate wanted) {
    for (int i = 1; i < getItemCount(); i++) {
      int at = getItem(i);
      // The second half of a long or a double has no index.
      if (at > 0 && readByte(at - 1) >= firstTag && readByte(at - 1) <= lastTag && wanted.test(at)) {
        return true;
      }
    }
    return false;
  }

  /** Gives each label its offset in the code, because two passes over a method have different label objects. */
  @Override
  protected Label readLabel(int bytecodeOffset, Label[] labels) {
    Label label = super.readLabel(bytecodeOffset, labels);
    label.info = bytecodeOffset;
    return label;
  }
}
