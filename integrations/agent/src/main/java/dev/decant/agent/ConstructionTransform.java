package dev.decant.agent;

import dev.decant.agent.asm.Handle;
import dev.decant.agent.asm.Label;
import dev.decant.agent.asm.MethodVisitor;
import dev.decant.agent.asm.Opcodes;
import java.util.Iterator;

/**
 * Changes the code of a method by its plan.
 *
 * <pre>
 * new KafkaProducer                        aconst_null
 * dup                                      dup
 * (arguments)                              (arguments)
 * invokespecial &lt;init&gt;(Map)V               invokedynamic (Object, Object, Map)KafkaProducer
 * </pre>
 *
 * The nulls hold the places of the object that is not there yet, and the call takes them off the stack. Frames between
 * these instructions have null, too, where an uninitialized object was. The stack is never deeper than it was.
 */
final class ConstructionTransform extends MethodVisitor {
  private final ConstructionPlan plan;
  private final ConstructorMethods methods;
  private final Iterator<Boolean> calls;

  ConstructionTransform(MethodVisitor changed, ConstructionPlan plan, ConstructorMethods methods) {
    super(Opcodes.ASM9, changed);
    this.plan = plan;
    this.methods = methods;
    calls = plan.calls().iterator();
  }

  @Override
  public void visitTypeInsn(int opcode, String type) {
    if (ConstructionPlan.isNew(opcode, type)) {
      super.visitInsn(Opcodes.ACONST_NULL);
    } else {
      super.visitTypeInsn(opcode, type);
    }
  }

  @Override
  public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
    if (!ConstructionPlan.isConstructor(opcode, owner, name)) {
      super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
      return;
    }
    boolean used = calls.next();
    ConstructorMethods.callSite(mv, owner, descriptor, used ? 2 : 1);
    if (!used) {
      super.visitInsn(Opcodes.POP);
    }
  }

  @Override
  public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
    Object[] others = arguments.clone();
    for (int i = 0; i < others.length; i++) {
      others[i] = methods.insteadOf(others[i]);
    }
    super.visitInvokeDynamicInsn(name, descriptor, bootstrap, others);
  }

  @Override
  public void visitLdcInsn(Object value) {
    super.visitLdcInsn(methods.insteadOf(value));
  }

  @Override
  public void visitFrame(int type, int locals, Object[] local, int depth, Object[] stack) {
    // a frame that takes locals away says how many, and has no types of them
    super.visitFrame(type, locals, type == Opcodes.F_CHOP ? local : withNulls(local, locals), depth,
        withNulls(stack, depth));
  }

  private Object[] withNulls(Object[] types, int count) {
    Object[] changed = types.clone();
    for (int i = 0; i < count; i++) {
      if (types[i] instanceof Label label && plan.isNew(label)) {
        changed[i] = Opcodes.NULL;
      }
    }
    return changed;
  }
}
