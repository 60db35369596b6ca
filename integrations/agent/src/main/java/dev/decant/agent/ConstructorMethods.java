package dev.decant.agent;

import dev.decant.agent.asm.ClassVisitor;
import dev.decant.agent.asm.Handle;
import dev.decant.agent.asm.MethodVisitor;
import dev.decant.agent.asm.Opcodes;
import dev.decant.agent.asm.Type;
import java.lang.invoke.CallSite;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Adds static methods to a class that replace its handles of constructors. A handle of a call site is not possible
 * here: {@code LambdaMetafactory} accepts only handles of methods and constructors.
 */
final class ConstructorMethods {
  private static final String PREFIX = "decant$construct$";
  private static final Type OBJECT = Type.getType(Object.class);
  private static final Handle LINK = new Handle(Opcodes.H_INVOKESTATIC, Type.getInternalName(Construction.class),
      "link", Type.getMethodDescriptor(Type.getType(CallSite.class), Type.getType(MethodHandles.Lookup.class),
          Type.getType(String.class), Type.getType(MethodType.class), Type.INT_TYPE),
      false);

  private final ApacheClasses classes;
  private final String className;
  private final boolean inInterface;
  private final Map<Handle, Handle> methods = new LinkedHashMap<>();

  ConstructorMethods(ApacheClasses classes, String className, boolean inInterface) {
    this.classes = classes;
    this.className = className;
    this.inInterface = inInterface;
  }

  String className() {
    return className;
  }

  /**
   * Writes a call that constructs a client.
   *
   * @param constructor the descriptor of Apache's constructor
   * @param places number of nulls under the arguments
   */
  static void callSite(MethodVisitor code, String apache, String constructor, int places) {
    Type[] arguments = Type.getArgumentTypes(constructor);
    Type[] all = new Type[places + arguments.length];
    for (int i = 0; i < places; i++) {
      all[i] = OBJECT;
    }
    System.arraycopy(arguments, 0, all, places, arguments.length);
    code.visitInvokeDynamicInsn("construct", Type.getMethodDescriptor(Type.getObjectType(apache), all), LINK, places);
  }

  /**
   * Replaces a handle of Apache's constructor by one of the method that does the same. Returns other constants
   * unchanged.
   */
  Object insteadOf(Object constant) {
    if (!classes.isConstructorHandle(constant)) {
      return constant;
    }
    return methods.computeIfAbsent((Handle) constant,
        key -> new Handle(Opcodes.H_INVOKESTATIC, className, PREFIX + methods.size(),
            Type.getMethodDescriptor(Type.getObjectType(key.getOwner()), Type.getArgumentTypes(key.getDesc())),
            inInterface));
  }

  /** Adds the methods to their class. */
  void addTo(ClassVisitor changed) {
    methods.forEach((constructor, method) -> {
      MethodVisitor code = changed.visitMethod(Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC,
          method.getName(), method.getDesc(), null, null);
      code.visitCode();
      int slots = 0;
      for (Type argument : Type.getArgumentTypes(method.getDesc())) {
        code.visitVarInsn(argument.getOpcode(Opcodes.ILOAD), slots);
        slots += argument.getSize();
      }
      callSite(code, constructor.getOwner(), constructor.getDesc(), 0);
      code.visitInsn(Opcodes.ARETURN);
      code.visitMaxs(Math.max(slots, 1), slots);
      code.visitEnd();
    });
  }
}
