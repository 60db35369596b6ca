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
 * The places of a method that construct a client of Apache's. A visit of the method's code makes the plan.
 *
 * <p>Compilers write {@code new}, {@code dup}, the arguments, {@code invokespecial <init>}. Some leave out {@code dup}
 * where the object is not used. An object of another {@code new} among the arguments is complete before the outer one,
 * so that constructors meet their {@code new} in reverse order.
 */
final class ConstructionPlan extends MethodVisitor {
  /** Message for a class whose code constructs clients in an unknown way. */
  static final String UNUSUAL_CODE = "its code constructs the client in a way that the agent does not know";

  /** A {@code new} of a client whose constructor is still to come. */
  private static final class Opened {
    final ClientKind kind;
    boolean duplicated;

    Opened(ClientKind kind) {
      this.kind = kind;
    }
  }

  private final Deque<Opened> open = new ArrayDeque<>();
  /** The {@code new} that comes just before, perhaps with its {@code dup}. */
  private @Nullable Opened last;
  /** The label of the instruction that comes next. */
  private @Nullable Label here;
  private final Set<Object> news = new HashSet<>();
  private final List<Boolean> calls = new ArrayList<>();
  private boolean handles;
  private boolean apacheClass;
  private boolean unknown;

  ConstructionPlan() {
    super(Opcodes.ASM9);
  }

  /** Whether an instruction begins an object of Apache's class. */
  static boolean isNew(int opcode, String type) {
    return opcode == Opcodes.NEW && ClientKind.of(type).isPresent();
  }

  /** Whether an instruction runs a constructor of Apache's class. */
  static boolean isConstructor(int opcode, String owner, String name) {
    return opcode == Opcodes.INVOKESPECIAL && isConstructor(owner, name);
  }

  /** Whether a member is a constructor of Apache's class. */
  static boolean isConstructor(String owner, String name) {
    return name.equals("<init>") && ClientKind.of(owner).isPresent();
  }

  /** Whether a constant is a handle of a constructor of Apache's class, as in {@code KafkaProducer::new}. */
  static boolean isConstructorHandle(Object constant) {
    return constant instanceof Handle handle && handle.getTag() == Opcodes.H_NEWINVOKESPECIAL
        && ClientKind.of(handle.getOwner()).isPresent();
  }

  boolean isEmpty() {
    return calls.isEmpty() && !handles;
  }

  /** Whether the method constructs a client in an unknown way. */
  boolean isUnknown() {
    return unknown;
  }

  /** Whether the method has Apache's class as a constant. */
  boolean hasApacheClass() {
    return apacheClass;
  }

  /** For each constructor call in the order of the code, whether its object is used afterwards. */
  List<Boolean> calls() {
    return calls;
  }

  /** Whether a label, which {@link ParsedClass} has made, is that of a {@code new}. */
  boolean isNew(Label label) {
    return label.info != null && news.contains(label.info);
  }

  /** An instruction that takes the object of a {@code new} elsewhere is unknown. */
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
    Optional<ClientKind> kind = ClientKind.of(type);
    if (opcode == Opcodes.NEW && kind.isPresent()) {
      Opened opened = new Opened(kind.get());
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
    if (isConstructor(opcode, owner, name)) {
      Opened opened = open.poll();
      if (opened == null || !opened.kind.internalName.equals(owner)) {
        unknown = true;
      } else {
        calls.add(opened.duplicated);
      }
    }
  }

  @Override
  public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
    instruction(Opcodes.INVOKEDYNAMIC);
    for (Object argument : arguments) {
      handles |= isConstructorHandle(argument);
    }
  }

  @Override
  public void visitLdcInsn(Object value) {
    instruction(Opcodes.LDC);
    handles |= isConstructorHandle(value);
    apacheClass |= value instanceof Type type && type.getSort() == Type.OBJECT
        && ClientKind.of(type.getInternalName()).isPresent();
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
  public void visitEnd() {
    unknown |= last != null || !open.isEmpty();
  }
}
