package dev.decant.agent;

import dev.decant.agent.ApacheMembers.PublicMethod;
import dev.decant.agent.asm.ClassVisitor;
import dev.decant.agent.asm.Handle;
import dev.decant.agent.asm.Label;
import dev.decant.agent.asm.MethodVisitor;
import dev.decant.agent.asm.Opcodes;
import dev.decant.agent.asm.Type;
import java.lang.invoke.CallSite;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A class that extends Apache's. After the change, its objects have a client in a field. Each public method of
 * Apache's class that it does not override calls that client. Its calls of {@code super} do so, too. Objects whose
 * field is null run Apache's code: Decant's classes were missing, or Apache's class was loaded before it was prepared.
 * Spring's consumers are of such a class, and stayed Apache's before this change existed.
 */
final class Subclass {
  private static final String FIELD = "decant$client";
  private static final String SUPER = "decant$super$";
  private static final String CONSTRUCTION = Type.getInternalName(Construction.class);
  private static final Handle LINK = new Handle(Opcodes.H_INVOKESTATIC, CONSTRUCTION, "linkBelow",
      Type.getMethodDescriptor(Type.getType(CallSite.class), Type.getType(MethodHandles.Lookup.class),
          Type.getType(String.class), Type.getType(MethodType.class), Type.INT_TYPE),
      false);
  private static final String SETTINGS = "(Ljava/util/Map;Ljava/lang/Object;)Ljava/util/Map;";
  /** Stack entries that the code instead of a constructor call adds: the object and the client. */
  static final int STACK = 2;

  private final ParsedClass parsed;
  private final ApacheClass apache;
  private final ApacheMembers members;
  /** Methods that replace calls of {@code super}, by name and descriptor. */
  private final Map<String, String> superMethods = new LinkedHashMap<>();

  Subclass(ParsedClass parsed, ApacheClass apache, ApacheMembers members) {
    this.parsed = parsed;
    this.apache = apache;
    this.members = members;
  }

  private String owner() {
    return apache.internalName();
  }

  private String fieldDescriptor() {
    return "L" + owner() + ";";
  }

  /**
   * Returns why the class keeps Apache's client, or null: it may use more of Apache's class than the public methods.
   *
   * @param declared the methods of the class, by name and descriptor
   */
  @Nullable
  String reasonAgainst(Set<String> declared) {
    String extension = "it extends " + apache.kind().simpleName;
    if (!members.isExtensible()) {
      return extension + ", whose form the agent does not know";
    }
    if (inPackageOfApache()) {
      return extension + " in the same package";
    }
    if (reflects()) {
      return extension + " and looks at members by reflection";
    }
    if (parsed.hasString(members::isHiddenField)) {
      return extension + " and has the name of a private field of it as a string";
    }
    if (parsed.refersTo((type, name, descriptor) -> isHidden(type, name, descriptor, declared))) {
      return extension + " and uses members of it that are not public";
    }
    if (parsed.hasHandle((type, name, descriptor) -> type.equals(owner()) && !name.equals("<init>"),
        Opcodes.H_INVOKESPECIAL)) {
      return extension + " and has a handle of one of its methods";
    }
    return null;
  }

  private boolean inPackageOfApache() {
    String name = parsed.getClassName();
    return name.startsWith(owner().substring(0, owner().lastIndexOf('/') + 1))
        && name.lastIndexOf('/') == owner().lastIndexOf('/');
  }

  /** Returns true if the class uses a way to reach members that are not public. */
  private boolean reflects() {
    return parsed.refersTo((type, name, descriptor) -> (type.equals("java/lang/Class")
        && name.startsWith("getDeclared"))
        || type.equals("java/lang/reflect/Field") || name.equals("setAccessible") || name.equals("trySetAccessible")
        || name.equals("privateLookupIn") || type.equals("sun/misc/Unsafe"));
  }

  private boolean isHidden(String type, String name, String descriptor, Set<String> declared) {
    if (!type.equals(owner()) && (!type.equals(parsed.getClassName()) || declared.contains(name + descriptor))) {
      return false;
    }
    boolean isField = descriptor.charAt(0) != '(';
    return isField ? type.equals(owner()) && members.isHiddenField(name) : members.isHiddenMethod(name + descriptor);
  }

  /**
   * Writes the call of a constructor of Apache's class. The object and the arguments are on the stack.
   *
   * <pre>
   * this.decant$client = construct(arguments);    // null to run Apache's constructor
   * super(settings(first, this.decant$client), other arguments);
   * </pre>
   *
   * @param free the first free local variable
   */
  void constructor(MethodVisitor code, String descriptor, int free) {
    Type[] arguments = Type.getArgumentTypes(descriptor);
    int client = free + size(arguments);
    int slot = client;
    for (int i = arguments.length - 1; i >= 0; i--) {
      slot -= arguments[i].getSize();
      code.visitVarInsn(arguments[i].getOpcode(Opcodes.ISTORE), slot);
    }
    load(code, arguments, 0, free);
    code.visitInvokeDynamicInsn("construct", Type.getMethodDescriptor(Type.getObjectType(owner()), arguments), LINK,
        members.fingerprint());
    code.visitVarInsn(Opcodes.ASTORE, client);
    // Before the other constructor has run, a constructor may only write a field of its own class (JVMS 4.10.1.9).
    code.visitInsn(Opcodes.DUP);
    code.visitVarInsn(Opcodes.ALOAD, client);
    code.visitFieldInsn(Opcodes.PUTFIELD, parsed.getClassName(), FIELD, fieldDescriptor());
    code.visitVarInsn(Opcodes.ALOAD, free);
    code.visitVarInsn(Opcodes.ALOAD, client);
    code.visitMethodInsn(Opcodes.INVOKESTATIC, CONSTRUCTION, "settings", SETTINGS, false);
    code.visitTypeInsn(Opcodes.CHECKCAST, arguments[0].getInternalName());
    load(code, arguments, 1, free + arguments[0].getSize());
    code.visitMethodInsn(Opcodes.INVOKESPECIAL, owner(), "<init>", descriptor, false);
  }

  /** Returns how many local variables {@link #constructor} takes. */
  static int locals(String descriptor) {
    return size(Type.getArgumentTypes(descriptor)) + 1;
  }

  private static int size(Type[] arguments) {
    int size = 0;
    for (Type argument : arguments) {
      size += argument.getSize();
    }
    return size;
  }

  private static void load(MethodVisitor code, Type[] arguments, int first, int from) {
    int slot = from;
    for (int i = first; i < arguments.length; i++) {
      code.visitVarInsn(arguments[i].getOpcode(Opcodes.ILOAD), slot);
      slot += arguments[i].getSize();
    }
  }

  /** Returns the method that replaces a call of {@code super}, or null if the call stays. */
  @Nullable
  String insteadOfSuper(int opcode, String type, String name, String descriptor) {
    return opcode == Opcodes.INVOKESPECIAL && type.equals(owner()) && members.forwards(name + descriptor)
        ? superMethods.computeIfAbsent(name + descriptor, key -> SUPER + superMethods.size())
        : null;
  }

  /**
   * Adds the field and the methods.
   *
   * @param declared the methods that it has, by name and descriptor
   */
  void addTo(ClassVisitor changed, Set<String> declared) {
    changed.visitField(Opcodes.ACC_PRIVATE | Opcodes.ACC_FINAL | Opcodes.ACC_TRANSIENT | Opcodes.ACC_SYNTHETIC, FIELD,
        fieldDescriptor(), null, null).visitEnd();
    for (PublicMethod method : members.methods()) {
      if (method.isForwarded() && !declared.contains(method.key())) {
        forward(changed, Opcodes.ACC_PUBLIC, method.name(), method);
      }
      String instead = superMethods.get(method.key());
      if (instead != null) {
        forward(changed, Opcodes.ACC_PRIVATE | Opcodes.ACC_SYNTHETIC, instead, method);
      }
    }
  }

  /** Adds a method that calls the client, or Apache's own method without one. */
  private void forward(ClassVisitor changed, int access, String name, PublicMethod method) {
    MethodVisitor code = changed.visitMethod(access, name, method.descriptor(), null,
        method.exceptions().toArray(String[]::new));
    Type[] arguments = Type.getArgumentTypes(method.descriptor());
    int end = Type.getReturnType(method.descriptor()).getOpcode(Opcodes.IRETURN);
    Label apache = new Label();
    code.visitCode();
    client(code);
    code.visitJumpInsn(Opcodes.IFNULL, apache);
    client(code);
    load(code, arguments, 0, 1);
    code.visitMethodInsn(Opcodes.INVOKEVIRTUAL, owner(), method.name(), method.descriptor(), false);
    code.visitInsn(end);
    code.visitLabel(apache);
    code.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
    code.visitVarInsn(Opcodes.ALOAD, 0);
    load(code, arguments, 0, 1);
    code.visitMethodInsn(Opcodes.INVOKESPECIAL, owner(), method.name(), method.descriptor(), false);
    code.visitInsn(end);
    code.visitMaxs(1 + Math.max(size(arguments), Type.getReturnType(method.descriptor()).getSize()),
        1 + size(arguments));
    code.visitEnd();
  }

  private void client(MethodVisitor code) {
    code.visitVarInsn(Opcodes.ALOAD, 0);
    code.visitFieldInsn(Opcodes.GETFIELD, parsed.getClassName(), FIELD, fieldDescriptor());
  }
}
