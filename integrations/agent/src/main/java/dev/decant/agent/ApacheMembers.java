package dev.decant.agent;

import dev.decant.agent.asm.ClassReader;
import dev.decant.agent.asm.ClassVisitor;
import dev.decant.agent.asm.FieldVisitor;
import dev.decant.agent.asm.Handle;
import dev.decant.agent.asm.MethodVisitor;
import dev.decant.agent.asm.Opcodes;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The members of Apache's class, read from its class file. A class that extends it is changed before the JVM has loaded
 * Apache's class.
 */
final class ApacheMembers extends ClassVisitor {
  /**
   * A public method of an object.
   *
   * @param key its name and descriptor
   * @param exceptions that it declares
   * @param isForwarded false if Apache's code only calls other public methods of its object. That code stays in
   *     use, because a subclass may override those methods
   */
  record PublicMethod(String key, String name, String descriptor, List<String> exceptions, boolean isForwarded) {}

  private final String owner;
  private final Map<String, SelfCalls> calls = new TreeMap<>();
  private final Set<String> hiddenMethods = new HashSet<>();
  private final Set<String> hiddenFields = new HashSet<>();
  private boolean isExtensible;

  private ApacheMembers(ClassReader classFile) {
    super(Opcodes.ASM9);
    owner = classFile.getClassName();
    isExtensible = "java/lang/Object".equals(classFile.getSuperName());
    classFile.accept(this, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
  }

  /** Reads the class file that a loader finds. Returns null if there is none, or if ASM does not know its version. */
  static @Nullable ApacheMembers read(ApacheClass apache, @Nullable ClassLoader loader) {
    try (InputStream in = loader == null
        ? ClassLoader.getSystemResourceAsStream(apache.file())
        : loader.getResourceAsStream(apache.file())) {
      return in == null ? null : new ApacheMembers(new ClassReader(in.readAllBytes()));
    } catch (IOException | IllegalArgumentException e) {
      return null; // as if there were no class: classes below it keep Apache's client
    }
  }

  @Override
  public @Nullable FieldVisitor visitField(int access, String name, String descriptor, @Nullable String signature,
      @Nullable Object value) {
    if ((access & Opcodes.ACC_PUBLIC) == 0) {
      hiddenFields.add(name);
    }
    return null;
  }

  @Override
  public @Nullable MethodVisitor visitMethod(int access, String name, String descriptor, @Nullable String signature,
      String @Nullable [] exceptions) {
    if ((access & Opcodes.ACC_PUBLIC) == 0) {
      hiddenMethods.add(name + descriptor);
      return null;
    }
    if ((access & Opcodes.ACC_STATIC) != 0 || name.startsWith("<")) {
      return null;
    }
    isExtensible &= (access & Opcodes.ACC_FINAL) == 0;
    SelfCalls code = new SelfCalls(name, descriptor, exceptions);
    calls.put(name + descriptor, code);
    return code;
  }

  /** Returns true if a subclass can override all public methods of the object. */
  boolean isExtensible() {
    return isExtensible;
  }

  /** Returns true for the name of a field that is not public. */
  boolean isHiddenField(String name) {
    return hiddenFields.contains(name);
  }

  /** Returns true for the name and descriptor of a method or constructor that is not public. */
  boolean isHiddenMethod(String key) {
    return hiddenMethods.contains(key);
  }

  /** Returns the public methods in the order of their names. */
  List<PublicMethod> methods() {
    return calls.values().stream().map(this::method).toList();
  }

  /** Returns true if a public method with this name and descriptor is forwarded. */
  boolean forwards(String key) {
    SelfCalls code = calls.get(key);
    return code != null && method(code).isForwarded;
  }

  private PublicMethod method(SelfCalls code) {
    return new PublicMethod(code.name + code.descriptor, code.name, code.descriptor, code.exceptions,
        !code.onlyCalls(calls.keySet()));
  }

  /**
   * Returns a number that is equal for classes with the same members. A loader may find the file of one class and load
   * another one.
   */
  int fingerprint() {
    int hash = owner.hashCode();
    for (PublicMethod method : methods()) {
      hash = 31 * (31 * hash + method.key.hashCode()) + Boolean.hashCode(method.isForwarded);
    }
    return hash;
  }

  /** Finds how the code of a method uses its object. */
  private final class SelfCalls extends MethodVisitor {
    private final String name;
    private final String descriptor;
    private final List<String> exceptions;
    private final List<String> called = new ArrayList<>();
    /** How often the code has put its object onto the stack. */
    private int taken;
    private boolean usesMore;

    SelfCalls(String name, String descriptor, String @Nullable [] exceptions) {
      super(Opcodes.ASM9);
      this.name = name;
      this.descriptor = descriptor;
      this.exceptions = exceptions == null ? List.of() : List.of(exceptions);
    }

    /** Returns true if the code uses its object only to call these methods. */
    boolean onlyCalls(Set<String> methods) {
      return !usesMore && !called.isEmpty() && called.size() == taken && methods.containsAll(called)
          && !called.contains(name + descriptor);
    }

    @Override
    public void visitVarInsn(int opcode, int variable) {
      if (variable == 0) {
        taken++;
        usesMore |= opcode != Opcodes.ALOAD;
      }
    }

    @Override
    public void visitMethodInsn(int opcode, String type, String method, String methodDescriptor, boolean inInterface) {
      if (type.equals(owner)) {
        usesMore |= opcode != Opcodes.INVOKEVIRTUAL;
        called.add(method + methodDescriptor);
      }
    }

    @Override
    public void visitFieldInsn(int opcode, String type, String field, String fieldDescriptor) {
      usesMore |= type.equals(owner) && opcode != Opcodes.GETSTATIC;
    }

    @Override
    public void visitInvokeDynamicInsn(String method, String methodDescriptor, Handle bootstrap, Object... arguments) {
      for (Object argument : arguments) {
        usesMore |= argument instanceof Handle handle && handle.getOwner().equals(owner);
      }
    }
  }
}
