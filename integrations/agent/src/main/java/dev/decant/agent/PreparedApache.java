package dev.decant.agent;

import dev.decant.agent.asm.ClassVisitor;
import dev.decant.agent.asm.ClassWriter;
import dev.decant.agent.asm.Label;
import dev.decant.agent.asm.MethodVisitor;
import dev.decant.agent.asm.Opcodes;
import dev.decant.agent.asm.Type;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Lets a class below Apache's run a constructor of Apache's class that starts no client. Each public constructor
 * returns at once if its settings are those of {@link #settings}:
 *
 * <pre>
 * if (settings instanceof Properties p &amp;&amp; p.getProperty("decant.agent.substitute") != null) {
 *   super();
 *   return;
 * }
 * </pre>
 *
 * <p>All other code of Apache's class stays as it is, and so does its behaviour with other settings.
 */
final class PreparedApache extends ClassVisitor {
  private static final String MARK = "decant.agent.substitute";
  /** Marks a class that was prepared. */
  private static final String FIELD = "decant$prepared";
  private static final String PROPERTIES = Type.getInternalName(Properties.class);
  private static final String MAP = Type.getInternalName(Map.class);

  private PreparedApache(ClassVisitor changed) {
    super(Opcodes.ASM9, changed);
  }

  /** Changes the class file of Apache's class; returns null if it stays as it is. */
  static byte @Nullable [] of(byte[] classFile) {
    ParsedClass parsed = new ParsedClass(classFile);
    if (parsed.majorVersion() < Opcodes.V1_7 || !"java/lang/Object".equals(parsed.getSuperName())) {
      return null;
    }
    ClassWriter changed = new ClassWriter(parsed, 0);
    parsed.accept(new PreparedApache(changed), 0);
    return changed.toByteArray();
  }

  /** Returns true for a loaded class that {@link #of} has changed. */
  static boolean is(Class<?> apache) {
    try {
      return apache.getDeclaredField(FIELD) != null;
    } catch (NoSuchFieldException | LinkageError e) {
      return false;
    }
  }

  /** Returns settings with which a constructor starts no client. */
  static Properties settings() {
    Properties settings = new Properties();
    settings.setProperty(MARK, "true");
    return settings;
  }

  /** Returns true for a constructor whose first parameter is the settings. */
  static boolean takesSettings(String descriptor) {
    Type[] arguments = Type.getArgumentTypes(descriptor);
    return arguments.length > 0 && arguments[0].getSort() == Type.OBJECT
        && (arguments[0].getInternalName().equals(MAP) || arguments[0].getInternalName().equals(PROPERTIES));
  }

  @Override
  public MethodVisitor visitMethod(int access, String name, String descriptor, @Nullable String signature,
      String @Nullable [] exceptions) {
    MethodVisitor written = super.visitMethod(access, name, descriptor, signature, exceptions);
    return name.equals("<init>") && (access & Opcodes.ACC_PUBLIC) != 0 && takesSettings(descriptor)
        ? new Early(written)
        : written;
  }

  @Override
  public void visitEnd() {
    super.visitField(Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC | Opcodes.ACC_FINAL | Opcodes.ACC_SYNTHETIC, FIELD, "Z",
        null, null).visitEnd();
    super.visitEnd();
  }

  /** Writes the early return before the code of a constructor. */
  private static final class Early extends MethodVisitor {
    private static final int STACK = 2;

    Early(MethodVisitor changed) {
      super(Opcodes.ASM9, changed);
    }

    @Override
    public void visitCode() {
      super.visitCode();
      Label apache = new Label();
      super.visitVarInsn(Opcodes.ALOAD, 1);
      super.visitTypeInsn(Opcodes.INSTANCEOF, PROPERTIES);
      super.visitJumpInsn(Opcodes.IFEQ, apache);
      super.visitVarInsn(Opcodes.ALOAD, 1);
      super.visitTypeInsn(Opcodes.CHECKCAST, PROPERTIES);
      super.visitLdcInsn(MARK);
      super.visitMethodInsn(Opcodes.INVOKEVIRTUAL, PROPERTIES, "getProperty", "(Ljava/lang/String;)Ljava/lang/String;",
          false);
      super.visitJumpInsn(Opcodes.IFNULL, apache);
      super.visitVarInsn(Opcodes.ALOAD, 0);
      super.visitMethodInsn(Opcodes.INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
      super.visitInsn(Opcodes.RETURN);
      super.visitLabel(apache);
      // Each later frame is stored as its difference from the one before, so this frame repeats the frame of the start.
      super.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
    }

    @Override
    public void visitMaxs(int stack, int locals) {
      super.visitMaxs(Math.max(stack, STACK), locals);
    }
  }
}
