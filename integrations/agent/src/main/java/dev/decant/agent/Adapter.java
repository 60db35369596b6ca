package dev.decant.agent;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A class below Apache's, of which each public method calls the same method of an object of Decant's. Its objects are
 * made without a constructor of Apache's: that one would start a client.
 *
 * @param kind of client
 * @param decant Decant's class
 * @param allocation makes an object of the adapter class
 * @param field sets Decant's object in it
 */
record Adapter(ClientKind kind, Class<?> decant, Constructor<?> allocation, MethodHandle field) {

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
   * @param kind of client
   * @param apache Apache's class
   * @param decant Decant's class
   * @param loader of both, or below theirs
   * @throws ReflectiveOperationException if the classes or the JDK do not allow it
   */
  static Adapter of(ClientKind kind, Class<?> apache, Class<?> decant, DecantLoader loader)
      throws ReflectiveOperationException {
    String name = "dev.decant.agent." + kind.simpleName + "OnDecant";
    Class<?> type = loader.define(name, classFile(ClassDesc.of(name), apache, decant));
    MethodHandle field = MethodHandles.publicLookup().findSetter(type, FIELD, decant);
    return new Adapter(kind, decant, allocation(type), field);
  }

  /** A constructor that runs that of {@code Object} alone, as deserialization has it. */
  private static Constructor<?> allocation(Class<?> type) throws ReflectiveOperationException {
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
   * A constructor of Decant's class whose object lies behind one of Apache's.
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
    // the field is not final, and a program may hand the client to another thread by a plain field
    VarHandle.storeStoreFence();
    return adapter;
  }

  private static byte[] classFile(ClassDesc name, Class<?> apache, Class<?> decant) {
    return ClassFile.of().build(name, type -> {
      type.withFlags(ClassFile.ACC_PUBLIC | ClassFile.ACC_FINAL | ClassFile.ACC_SUPER | ClassFile.ACC_SYNTHETIC);
      type.withSuperclass(descriptor(apache));
      type.withField(FIELD, descriptor(decant), ClassFile.ACC_PUBLIC);
      Set<String> written = new HashSet<>();
      for (Method method : apache.getMethods()) {
        if (method.getDeclaringClass() != Object.class && !Modifier.isStatic(method.getModifiers())
            && written.add(method.getName() + typeOf(method).descriptorString())) {
          addMethod(type, name, method, decant);
        }
      }
    });
  }

  private static void addMethod(ClassBuilder builder, ClassDesc name, Method method, Class<?> decant) {
    MethodTypeDesc type = typeOf(method);
    builder.withMethodBody(method.getName(), type, ClassFile.ACC_PUBLIC, code -> {
      if (has(decant, method)) {
        code.aload(0).getfield(name, FIELD, descriptor(decant));
        for (int i = 0; i < type.parameterCount(); i++) {
          code.loadLocal(TypeKind.from(type.parameterType(i)), code.parameterSlot(i));
        }
        code.invokevirtual(descriptor(decant), method.getName(), type).return_(TypeKind.from(type.returnType()));
      } else {
        refuse(code, decant.getSimpleName() + " has no method " + method.getName() + type.displayDescriptor()
            + "; add the class that constructs it to decant.agent.exclude");
      }
    });
  }

  private static void refuse(CodeBuilder code, String message) {
    ClassDesc error = ClassDesc.of(UnsupportedOperationException.class.getName());
    code.new_(error).dup().ldc(message)
        .invokespecial(error, "<init>", MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_String)).athrow();
  }

  /** Looks at no other method: one may have a class that this kafka-clients does not have yet. */
  private static boolean has(Class<?> decant, Method method) {
    MethodType type = MethodType.methodType(method.getReturnType(), method.getParameterTypes());
    try {
      MethodHandles.publicLookup().findVirtual(decant, method.getName(), type);
      return true;
    } catch (NoSuchMethodException | IllegalAccessException e) {
      return false;
    }
  }

  private static ClassDesc descriptor(Class<?> type) {
    return ClassDesc.ofDescriptor(type.descriptorString());
  }

  private static MethodTypeDesc typeOf(Method method) {
    List<ClassDesc> parameters = new ArrayList<>();
    for (Class<?> parameter : method.getParameterTypes()) {
      parameters.add(descriptor(parameter));
    }
    return MethodTypeDesc.of(descriptor(method.getReturnType()), parameters);
  }
}
