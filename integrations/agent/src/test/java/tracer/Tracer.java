package tracer;

import dev.decant.agent.asm.ClassReader;
import dev.decant.agent.asm.ClassVisitor;
import dev.decant.agent.asm.ClassWriter;
import dev.decant.agent.asm.MethodVisitor;
import dev.decant.agent.asm.Opcodes;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import org.jspecify.annotations.Nullable;

/**
 * An agent like those for tracing: it can change loaded classes, finds Apache's by their names, and inserts code of its
 * own at the start of their methods.
 */
public final class Tracer implements ClassFileTransformer {
  private Tracer() {}

  /** Begins to trace. */
  public static void premain(@Nullable String argument, Instrumentation instrumentation) {
    instrumentation.addTransformer(new Tracer(), true);
  }

  @Override
  public byte @Nullable [] transform(@Nullable Module module, @Nullable ClassLoader loader, @Nullable String className,
      @Nullable Class<?> redefined, @Nullable ProtectionDomain domain, byte[] classFile) {
    if (!"org/apache/kafka/clients/producer/KafkaProducer".equals(className)
        && !"org/apache/kafka/clients/consumer/KafkaConsumer".equals(className)) {
      return null;
    }
    ClassReader read = new ClassReader(classFile);
    ClassWriter changed = new ClassWriter(read, ClassWriter.COMPUTE_MAXS);
    read.accept(new ClassVisitor(Opcodes.ASM9, changed) {
      @Override
      public MethodVisitor visitMethod(int access, String name, String descriptor, @Nullable String signature,
          String @Nullable [] exceptions) {
        MethodVisitor code = super.visitMethod(access, name, descriptor, signature, exceptions);
        boolean traced = descriptor.startsWith("(Lorg/apache/kafka/clients/producer/ProducerRecord;Lorg/")
            || (name.equals("poll") && descriptor.contains("Duration"));
        return traced && (access & Opcodes.ACC_PUBLIC) != 0 ? saying(code, "traced " + name) : code;
      }
    }, 0);
    return changed.toByteArray();
  }

  private static MethodVisitor saying(MethodVisitor code, String text) {
    return new MethodVisitor(Opcodes.ASM9, code) {
      @Override
      public void visitCode() {
        super.visitCode();
        super.visitFieldInsn(Opcodes.GETSTATIC, "java/lang/System", "out", "Ljava/io/PrintStream;");
        super.visitLdcInsn(text);
        super.visitMethodInsn(Opcodes.INVOKEVIRTUAL, "java/io/PrintStream", "println", "(Ljava/lang/String;)V", false);
      }
    };
  }
}
