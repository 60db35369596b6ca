package dev.decant.agent;

import dev.decant.agent.asm.ClassReader;
import dev.decant.agent.asm.Label;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

/**
 * A class file, and what the agent asks of its constant pool (JVMS 4.4):
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
  /** A choice of members. */
  interface MemberFilter {
    /**
     * Chooses a member.
     *
     * @param owner the class that the reference names, or one below it
     * @param name of the field or method
     * @param descriptor of it
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

  /** Returns true if a string constant is as asked for. */
  boolean hasString(Predicate<String> wanted) {
    return hasConstant(STRING, STRING, at -> wanted.test(readUTF8(at, text)));
  }

  /** Returns true if a field or a method that the class refers to is as asked for. */
  boolean refersTo(MemberFilter member) {
    return hasConstant(FIRST_MEMBER, LAST_MEMBER, at -> isMember(at, member));
  }

  /**
   * The same for members of which the class has a handle.
   *
   * @param member the choice
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

  /** Returns true if a constant with one of these tags is as asked for, by the place behind its tag. */
  private boolean hasConstant(int firstTag, int lastTag, IntPredicate wanted) {
    for (int i = 1; i < getItemCount(); i++) {
      int at = getItem(i);
      // the second half of a long or a double has no place
      if (at > 0 && readByte(at - 1) >= firstTag && readByte(at - 1) <= lastTag && wanted.test(at)) {
        return true;
      }
    }
    return false;
  }

  /** Gives each label its place in the code: the labels of two visits of a method are different objects. */
  @Override
  protected Label readLabel(int bytecodeOffset, Label[] labels) {
    Label label = super.readLabel(bytecodeOffset, labels);
    label.info = bytecodeOffset;
    return label;
  }
}
