package dev.decant.agent;

import dev.decant.agent.asm.Handle;
import dev.decant.agent.asm.Label;
import dev.decant.agent.asm.MethodVisitor;
import dev.decant.agent.asm.Opcodes;
import java.util.Iterator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

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
 * <p>The nulls take the places of the object that does not exist yet, and the call removes them from the stack. Frames
 * between these instructions have null instead of an uninitialized object. The stack never becomes deeper.
 */
final class ConstructionTransform extends MethodVisitor {
  private final ConstructionPlan plan;
  private final ApacheClasses classes;
  private final ConstructorMethods methods;
  private final @Nullable Subclass subclass;
  private final Iterator<ConstructionPlan.Call> calls;

  ConstructionTransform(MethodVisitor changed, ConstructionPlan plan, ApacheClasses classes,
      ConstructorMethods methods, @Nullable Subclass subclass) {
    super(Opcodes.ASM9, changed);
    this.plan = plan;
    this.classes = classes;
    this.methods = methods;
    this.subclass = subclass;
    calls = plan.calls().iterator();
  }

  @Override
  public void visitTypeInsn(int opcode, String type) {
    if (classes.isNew(opcode, type)) {
      super.visitInsn(Opcodes.ACONST_NULL);
    } else {
      super.visitTypeInsn(opcode, type);
    }
  }

  @Override
  public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
    if (!classes.isConstructor(opcode, owner, name)) {
      String instead = subclass == null ? null : subclass.insteadOfSuper(opcode, owner, name, descriptor);
      super.visitMethodInsn(opcode, instead == null ? owner : methods.className(), instead == null ? name : instead,
          descriptor, isInterface);
      return;
    }
    switch (calls.next()) {
      case USED -> ConstructorMethods.callSite(mv, owner, descriptor, 2);
      case UNUSED -> {
        ConstructorMethods.callSite(mv, owner, descriptor, 1);
        super.visitInsn(Opcodes.POP);
      }
      case SUPER -> Objects.requireNonNull(subclass).constructor(mv, descriptor, plan.locals());
    }
  }

  @Override
  public void visitMaxs(int stack, int locals) {
    boolean isConstructor = plan.superLocals() > 0;
    super.visitMaxs(isConstructor ? stack + Subclass.STACK : stack, locals + plan.superLocals());
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
    // A frame that removes locals (F_CHOP) has their number, but no array of types.
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
