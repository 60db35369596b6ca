package dev.decant.agent;

import dev.decant.agent.asm.ClassWriter;
import dev.decant.agent.asm.MethodVisitor;
import dev.decant.agent.asm.Opcodes;
import dev.decant.agent.asm.Type;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A class below Apache's whose public methods call the same methods of an object of Decant's class. Methods that {@link
 * VisibleCalls} has changed are inherited and do the same. Adapters are made without a constructor of Apache's class:
 * that constructor would start a client.
 *
 * @param decant Decant's class
 * @param allocation makes an object of the adapter class
 * @param field sets Decant's object in it
 * @param traced fields that agents for tracing read, or null
 */
record Adapter(ClientKind kind, Class<?> decant, Constructor<?> allocation, MethodHandle field,
    @Nullable AdapterFields traced) {

  private static final String FIELD = "decant";
  private static final MethodHandle WRAP;

  static {
    try {
      WRAP = MethodHandles.lookup().findVirtual(Adapter.class, "wrap", MethodType.methodType(Object.class,
          Object.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /**
   * Defines an adapter class.
   *
   * @param loader loads both classes, or is below their loaders
   * @throws ReflectiveOperationException if the classes or the JDK do not allow it
   */
  static Adapter of(ClientKind kind, Class<?> apache, Class<?> decant, DecantLoader loader)
      throws ReflectiveOperationException {
    String name = "dev.decant.agent." + kind.simpleName + "OnDecant";
    Class<?> type = loader.define(name, classFile(name, kind, apache, decant));
    MethodHandle field = MethodHandles.publicLookup().findSetter(type, FIELD, decant);
    return new Adapter(kind, decant, allocation(type), field, AdapterFields.of(kind, apache, decant, loader));
  }

  /** Returns a constructor that runs only that of {@code Object}, as deserialization uses it. */
  static Constructor<?> allocation(Class<?> type) throws ReflectiveOperationException {
    Class<?> factory;
    try {
      factory = Class.forName("sun.reflect.ReflectionFactory");
    } catch (ClassNotFoundException e) {
      throw new UnsupportedOperationException(
          "the JVM runs without the module jdk.unsupported; add --add-modules jdk.unsupported to its command line", e);
    }
    Object made = factory.getMethod("getReflectionFactory").invoke(null);
    return (Constructor<?>) factory.getMethod("newConstructorForSerialization", Class.class, Constructor.class)
        .invoke(made, type, Object.class.getConstructor());
  }

  /**
   * Returns a constructor of Decant's class that puts its object behind one of Apache's class.
   *
   * @param type its arguments, and Apache's class
   * @throws ReflectiveOperationException if Decant's class has none for these arguments
   */
  MethodHandle constructor(MethodType type) throws ReflectiveOperationException {
    MethodHandle made = MethodHandles.publicLookup().findConstructor(decant, type.changeReturnType(void.class));
    return MethodHandles.filterReturnValue(made.asType(type.changeReturnType(Object.class)), WRAP.bindTo(this))
        .asType(type);
  }

  /** Puts an object of Decant's behind one of Apache's class. */
  Object wrap(Object client) throws Throwable {
    Object adapter = allocation.newInstance();
    field.invoke(adapter, client);
    if (traced != null) {
      traced.fill(adapter, client);
    }
    // Without the fence, another thread could see a null field: it is not final, and a program may pass the client on
    // by a plain field.
    VarHandle.storeStoreFence();
    return adapter;
  }

  private static byte[] classFile(String name, ClientKind kind, Class<?> apache, Class<?> decant) {
    String internalName = name.replace('.', '/');
    ClassWriter type = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    type.visit(Opcodes.V21, Opcodes.ACC_PUBLIC | Opcodes.ACC_SUPER | Opcodes.ACC_SYNTHETIC, internalName, null,
        Type.getInternalName(apache), null);
    type.visitField(Opcodes.ACC_PUBLIC, FIELD, decant.descriptorString(), null, null).visitEnd();
    Method client = VisibleCalls.clientOf(apache);
    if (client != null) {
      VisibleCalls.addClient(type, client, internalName, FIELD, decant);
    }
    addConstructor(type, kind);
    Set<String> written = new HashSet<>();
    for (Method method : apache.getMethods()) {
      if (method.getDeclaringClass() != Object.class && !Modifier.isStatic(method.getModifiers())
          && !(client != null && has(decant, method) && VisibleCalls.areThrough(kind, method))
          && written.add(method.getName() + Type.getMethodDescriptor(method))) {
        addMethod(type, internalName, method, decant);
      }
    }
    type.visitEnd();
    return type.toByteArray();
  }

  /**
   * Adds a protected constructor for libraries that make proxies of the class, as Spring and Mockito do. They extend
   * the class and need a visible constructor, which they do not run. Without it, Spring's proxies of a producer failed.
   * The constructor of Apache's class would open connections.
   */
  private static void addConstructor(ClassWriter type, ClientKind kind) {
    MethodVisitor code = type.visitMethod(Opcodes.ACC_PROTECTED, "<init>", "()V", null, null);
    code.visitCode();
    refuse(code, "Decant's agent makes the objects of this class; construct a " + kind.simpleName);
    code.visitMaxs(0, 0);
    code.visitEnd();
  }

  private static void addMethod(ClassWriter type, String name, Method method, Class<?> decant) {
    String descriptor = Type.getMethodDescriptor(method);
    MethodVisitor code = type.visitMethod(Opcodes.ACC_PUBLIC, method.getName(), descriptor, null, null);
    code.visitCode();
    if (has(decant, method)) {
      code.visitVarInsn(Opcodes.ALOAD, 0);
      code.visitFieldInsn(Opcodes.GETFIELD, name, FIELD, decant.descriptorString());
      int slot = 1;
      for (Type argument : Type.getArgumentTypes(descriptor)) {
        code.visitVarInsn(argument.getOpcode(Opcodes.ILOAD), slot);
        slot += argument.getSize();
      }
      code.visitMethodInsn(Opcodes.INVOKEVIRTUAL, Type.getInternalName(decant), method.getName(), descriptor, false);
      code.visitInsn(Type.getReturnType(descriptor).getOpcode(Opcodes.IRETURN));
    } else {
      refuse(code, decant.getSimpleName() + " has no method " + method.getName()
          + MethodTypeDesc.ofDescriptor(descriptor).displayDescriptor()
          + "; add the class that constructs it to decant.agent.exclude");
    }
    code.visitMaxs(0, 0);
    code.visitEnd();
  }

  private static void refuse(MethodVisitor code, String message) {
    String error = Type.getInternalName(UnsupportedOperationException.class);
    code.visitTypeInsn(Opcodes.NEW, error);
    code.visitInsn(Opcodes.DUP);
    code.visitLdcInsn(message);
    code.visitMethodInsn(Opcodes.INVOKESPECIAL, error, "<init>", "(Ljava/lang/String;)V", false);
    code.visitInsn(Opcodes.ATHROW);
  }

  /**
   * Returns true if Decant's class has a method. It reads no other method: one of them may name a class that this
   * kafka-clients does not have.
   */
  private static boolean has(Class<?> decant, Method method) {
    MethodType type = MethodType.methodType(method.getReturnType(), method.getParameterTypes());
    try {
      MethodHandles.publicLookup().findVirtual(decant, method.getName(), type);
      return true;
    } catch (NoSuchMethodException | IllegalAccessException e) {
      return false;
    }
  }
}
