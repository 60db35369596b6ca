package dev.decant.agent;

import dev.decant.agent.asm.ClassVisitor;
import dev.decant.agent.asm.ClassWriter;
import dev.decant.agent.asm.FieldVisitor;
import dev.decant.agent.asm.Label;
import dev.decant.agent.asm.MethodVisitor;
import dev.decant.agent.asm.Opcodes;
import dev.decant.agent.asm.Type;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * Lets calls of Decant's clients pass through the methods of Apache's classes that agents for tracing instrument. Such
 * an agent inserts code into {@code KafkaProducer.send} and {@code KafkaConsumer.poll}, which it finds by name.
 * Programs lost their spans and trace headers while adapters overrode these methods. So each of them begins with:
 *
 * <pre>
 * if (decant$client() != null) {
 *   return decant$client().send(record, callback);
 * }
 * </pre>
 *
 * <p>The new method {@code decant$client} returns null, and an {@link Adapter} overrides it. A transformer that can
 * change loaded classes runs after one that cannot, in each order of {@code -javaagent}
 * ({@link java.lang.instrument.Instrumentation#addTransformer}). So the code of the other agent surrounds this one.
 *
 * <p>Fields that such an agent reads lose {@code final}, because no constructor of Apache's class runs for an adapter.
 */
final class VisibleCalls extends ClassVisitor {
  private static final String CLIENT = "decant$client";

  private final ClientKind kind;
  private final String owner;
  private final String clientDescriptor;
  private final String interfaceName;

  private VisibleCalls(ClassVisitor changed, ApacheClass apache) {
    super(Opcodes.ASM9, changed);
    kind = apache.kind();
    owner = apache.internalName();
    interfaceName = apache.interfaceName().replace('.', '/');
    clientDescriptor = "()L" + interfaceName + ";";
  }

  /** Changes the class file of Apache's class. */
  static byte[] of(byte[] classFile, ApacheClass apache) {
    ParsedClass parsed = new ParsedClass(classFile);
    ClassWriter changed = new ClassWriter(parsed, 0);
    parsed.accept(new VisibleCalls(changed, apache), 0);
    return changed.toByteArray();
  }

  /** Finds the new method in Apache's class; returns null if {@link #of} has not changed the class. */
  static @Nullable Method clientOf(Class<?> apache) {
    for (Method method : apache.getDeclaredMethods()) {
      if (method.getName().equals(CLIENT)) {
        return method;
      }
    }
    return null;
  }

  /**
   * Returns true for a method of Apache's class that calls Decant's client of an adapter: a changed one, and the {@code
   * send} without a callback, which calls the other.
   */
  static boolean areThrough(ClientKind kind, Method method) {
    return method.getName().equals(kind == ClientKind.PRODUCER ? "send" : "poll");
  }

  private static boolean isInstrumented(ClientKind kind, String name, String descriptor) {
    int arguments = Type.getArgumentTypes(descriptor).length;
    return kind == ClientKind.PRODUCER
        ? name.equals("send") && arguments == 2
        : name.equals("poll") && arguments == 1;
  }

  /** Adds a method to an adapter that overrides the new one of Apache's class, and returns the adapter's client. */
  static void addClient(ClassVisitor adapter, Method ofApache, String adapterName, String field, Class<?> decant) {
    MethodVisitor code = adapter.visitMethod(Opcodes.ACC_PROTECTED | Opcodes.ACC_SYNTHETIC, CLIENT,
        Type.getMethodDescriptor(ofApache), null, null);
    code.visitCode();
    code.visitVarInsn(Opcodes.ALOAD, 0);
    code.visitFieldInsn(Opcodes.GETFIELD, adapterName, field, decant.descriptorString());
    code.visitInsn(Opcodes.ARETURN);
    code.visitMaxs(0, 0);
    code.visitEnd();
  }

  @Override
  public FieldVisitor visitField(int access, String name, String descriptor, @Nullable String signature,
      @Nullable Object value) {
    return super.visitField(AdapterFields.isRead(kind, name) ? access & ~Opcodes.ACC_FINAL : access, name, descriptor,
        signature, value);
  }

  @Override
  public MethodVisitor visitMethod(int access, String name, String descriptor, @Nullable String signature,
      String @Nullable [] exceptions) {
    MethodVisitor written = super.visitMethod(access, name, descriptor, signature, exceptions);
    boolean isPublic = (access & (Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC | Opcodes.ACC_BRIDGE)) == Opcodes.ACC_PUBLIC;
    return isPublic && isInstrumented(kind, name, descriptor) ? new Prefix(written, name, descriptor) : written;
  }

  @Override
  public void visitEnd() {
    MethodVisitor code = super.visitMethod(Opcodes.ACC_PROTECTED | Opcodes.ACC_SYNTHETIC, CLIENT, clientDescriptor,
        null, null);
    code.visitCode();
    code.visitInsn(Opcodes.ACONST_NULL);
    code.visitInsn(Opcodes.ARETURN);
    code.visitMaxs(1, 1);
    code.visitEnd();
    super.visitEnd();
  }

  /** Writes the call of Decant's client before the code of a method. */
  private final class Prefix extends MethodVisitor {
    private final String name;
    private final String descriptor;

    Prefix(MethodVisitor changed, String name, String descriptor) {
      super(Opcodes.ASM9, changed);
      this.name = name;
      this.descriptor = descriptor;
    }

    @Override
    public void visitCode() {
      super.visitCode();
      Label apache = new Label();
      pushClient();
      super.visitJumpInsn(Opcodes.IFNULL, apache);
      pushClient();
      int slot = 1;
      for (Type argument : Type.getArgumentTypes(descriptor)) {
        super.visitVarInsn(argument.getOpcode(Opcodes.ILOAD), slot);
        slot += argument.getSize();
      }
      super.visitMethodInsn(Opcodes.INVOKEINTERFACE, interfaceName, name, descriptor, true);
      super.visitInsn(Type.getReturnType(descriptor).getOpcode(Opcodes.IRETURN));
      super.visitLabel(apache);
      // Each later frame is stored as its difference from the one before, so this frame repeats the frame of the start.
      super.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
      super.visitInsn(Opcodes.NOP); // the first instruction may have a frame, and two frames cannot share an offset
    }

    private void pushClient() {
      super.visitVarInsn(Opcodes.ALOAD, 0);
      super.visitMethodInsn(Opcodes.INVOKEVIRTUAL, owner, CLIENT, clientDescriptor, false);
    }

    @Override
    public void visitMaxs(int stack, int locals) {
      super.visitMaxs(Math.max(stack, Type.getArgumentsAndReturnSizes(descriptor) >> 2), locals);
    }
  }
}
