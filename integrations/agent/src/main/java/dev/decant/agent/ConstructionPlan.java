package dev.decant.agent;

import dev.decant.agent.asm.Handle;
import dev.decant.agent.asm.Label;
import dev.decant.agent.asm.MethodVisitor;
import dev.decant.agent.asm.Opcodes;
import dev.decant.agent.asm.Type;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The places of a method that construct one of Apache's clients. A pass over the method's code makes the plan.
 *
 * <p>Compilers write {@code new}, {@code dup}, the arguments, {@code invokespecial <init>}. Some omit {@code dup} if
 * the object is not used. An object of another {@code new} among the arguments is complete before the outer one, so
 * constructors meet their {@code new} in reverse order.
 */
final class ConstructionPlan extends MethodVisitor {
  /** Message for a class whose code constructs clients in an unknown way. */
  static final String UNUSUAL_CODE = "its code constructs the client in a way that the agent does not know";

  /** A {@code new} of a client whose constructor follows later. */
  private static final class Opened {
    final ApacheClass apache;
    boolean duplicated;

    Opened(ApacheClass apache) {
      this.apache = apache;
    }
  }

  /** The purpose of a constructor call. */
  enum Call {
    /** It makes an object that is not used afterwards. */
    UNUSED,
    /** It makes an object that is used. */
    USED,
    /** It initialises the parent of a class that extends Apache's: {@code super(...)}. */
    SUPER
  }

  private final ApacheClasses classes;
  /** The class whose constructor this method may call as {@code super}; empty for none. */
  private final String parent;

  private final Deque<Opened> open = new ArrayDeque<>();
  /** The {@code new} directly before the current instruction, perhaps with its {@code dup}. */
  private @Nullable Opened last;
  /** The label of the next instruction. */
  private @Nullable Label here;
  private final Set<Object> news = new HashSet<>();
  private final List<Call> calls = new ArrayList<>();
  private boolean handles;
  private boolean apacheClass;
  private boolean unknown;
  private int locals;
  private int superLocals;

  /**
   * Plans a method.
   *
   * @param parent of the class, by its internal name, if the method is a constructor; else empty
   */
  ConstructionPlan(ApacheClasses classes, String parent) {
    super(Opcodes.ASM9);
    this.classes = classes;
    this.parent = parent;
  }

  boolean isEmpty() {
    return calls.isEmpty() && !handles;
  }

  /** Returns true if the method constructs a client in an unknown way. */
  boolean isUnknown() {
    return unknown;
  }

  /** Returns true if the method has Apache's class as a constant. */
  boolean hasApacheClass() {
    return apacheClass;
  }

  /** Returns the constructor calls in the order of the code. */
  List<Call> calls() {
    return calls;
  }

  /** Returns true if a label, which {@link ParsedClass} has made, is that of a {@code new}. */
  boolean isNew(Label label) {
    return label.info != null && news.contains(label.info);
  }

  /** Visits an instruction. One that moves the object of a {@code new} elsewhere makes the plan unknown. */
  private void instruction(int opcode) {
    here = null;
    Opened before = last;
    if (before == null) {
      return;
    }
    if (opcode == Opcodes.DUP && !before.duplicated) {
      before.duplicated = true;
    } else {
      unknown |= (opcode >= Opcodes.POP && opcode <= Opcodes.SWAP)
          || (opcode >= Opcodes.ISTORE && opcode <= Opcodes.ASTORE);
      last = null;
    }
  }

  @Override
  public void visitLabel(Label label) {
    here = label;
  }

  @Override
  public void visitTypeInsn(int opcode, String type) {
    Label label = here;
    instruction(opcode);
    Optional<ApacheClass> apache = classes.of(type);
    if (opcode == Opcodes.NEW && apache.isPresent()) {
      Opened opened = new Opened(apache.get());
      open.push(opened);
      last = opened;
      if (label != null) {
        news.add(label.info);
      }
    }
  }

  @Override
  public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
    instruction(opcode);
    if (classes.isConstructor(opcode, owner, name)) {
      Opened opened = open.poll();
      if (opened == null && owner.equals(parent)) {
        unknown |= !PreparedApache.takesSettings(descriptor);
        superLocals = Math.max(superLocals, Subclass.locals(descriptor));
        calls.add(Call.SUPER);
      } else if (opened == null || !opened.apache.internalName().equals(owner)) {
        unknown = true;
      } else {
        calls.add(opened.duplicated ? Call.USED : Call.UNUSED);
      }
    }
  }

  @Override
  public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
    instruction(Opcodes.INVOKEDYNAMIC);
    for (Object argument : arguments) {
      handles |= classes.isConstructorHandle(argument);
    }
  }

  @Override
  public void visitLdcInsn(Object value) {
    instruction(Opcodes.LDC);
    handles |= classes.isConstructorHandle(value);
    apacheClass |= value instanceof Type type && type.getSort() == Type.OBJECT
        && classes.of(type.getInternalName()).isPresent();
  }

  @Override
  public void visitInsn(int opcode) {
    instruction(opcode);
  }

  @Override
  public void visitIntInsn(int opcode, int operand) {
    instruction(opcode);
  }

  @Override
  public void visitVarInsn(int opcode, int variable) {
    instruction(opcode);
  }

  @Override
  public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
    instruction(opcode);
  }

  @Override
  public void visitJumpInsn(int opcode, Label label) {
    instruction(opcode);
  }

  @Override
  public void visitIincInsn(int variable, int increment) {
    instruction(Opcodes.IINC);
  }

  @Override
  public void visitTableSwitchInsn(int min, int max, Label otherwise, Label... labels) {
    instruction(Opcodes.TABLESWITCH);
  }

  @Override
  public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] labels) {
    instruction(Opcodes.LOOKUPSWITCH);
  }

  @Override
  public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
    instruction(Opcodes.MULTIANEWARRAY);
  }

  @Override
  public void visitMaxs(int maxStack, int maxLocals) {
    locals = maxLocals;
  }

  /** Returns how many local variables the code uses. */
  int locals() {
    return locals;
  }

  /** Returns how many more local variables the calls of {@code super} need. */
  int superLocals() {
    return superLocals;
  }

  @Override
  public void visitEnd() {
    unknown |= last != null || !open.isEmpty();
  }
}
