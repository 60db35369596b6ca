package dev.decant.agent;

import dev.decant.agent.ConstructionPlan.UnknownCodeException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.MethodHandleEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.StringEntry;
import java.lang.classfile.instruction.ConstantInstruction;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Changes the places of a class that construct {@code KafkaProducer} or {@code KafkaConsumer}, and nothing else. What
 * they construct is still an object of these classes, so declared types, casts and calls stay as they are.
 */
final class ConstructionRewriter {
  /** The first version of class files with {@code invokedynamic}, that of Java 7. */
  private static final int FIRST_WITH_DYNAMIC = ClassFile.JAVA_7_VERSION;

  private final ClassModel model;
  private final Consumer<String> reasons;

  private ConstructionRewriter(ClassModel model, Consumer<String> reasons) {
    this.model = model;
    this.reasons = reasons;
  }

  /**
   * Rewrites a class.
   *
   * @param classFile with a mention of one of Apache's classes
   * @param reasons takes why parts of it keep Apache's clients
   * @return the new class file, or null if the class stays as it is
   */
  static byte @Nullable [] rewrite(byte[] classFile, Consumer<String> reasons) {
    return new ConstructionRewriter(ClassFile.of().parse(classFile), reasons).result();
  }

  private byte @Nullable [] result() {
    boolean constructs = false;
    if (hasSerializableReference()) {
      reasons.accept("it has a serializable reference to the constructor");
      return null;
    }
    for (PoolEntry entry : model.constantPool()) {
      if (entry instanceof StringEntry text) {
        nameIfReflective(text.stringValue());
      }
      constructs |= entry instanceof MemberRefEntry member && isConstructor(member);
    }
    Optional<ClientKind> parent = model.superclass().flatMap(entry -> ClientKind.of(entry.asInternalName()));
    if (parent.isPresent()) {
      reasons.accept("it extends " + parent.get().simpleName);
      return null;
    }
    if (!constructs) {
      return null;
    }
    String reason = reasonAgainstSwitching();
    if (reason != null) {
      reasons.accept(reason);
      return null;
    }
    return rewritten();
  }

  /** Its serialized form names the constructor, and who reads it looks for that name. */
  private boolean hasSerializableReference() {
    boolean deserializes = model.methods().stream().anyMatch(m -> m.methodName().equalsString("$deserializeLambda$"));
    if (deserializes) {
      for (PoolEntry entry : model.constantPool()) {
        if (entry instanceof MethodHandleEntry handle && isConstructor(handle.reference())) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isConstructor(MemberRefEntry member) {
    return member.name().equalsString("<init>") && ClientKind.of(member.owner().asInternalName()).isPresent();
  }

  private void nameIfReflective(String text) {
    for (ClientKind kind : ClientKind.values()) {
      if (text.equals(kind.apacheName) || text.equals(kind.internalName)) {
        reasons
            .accept("it has the name of " + kind.simpleName + " as a string; clients made by reflection stay Apache's");
      }
    }
  }

  private @Nullable String reasonAgainstSwitching() {
    if (model.majorVersion() < FIRST_WITH_DYNAMIC) {
      return "its class file is older than Java 7";
    }
    for (MethodModel method : model.methods()) {
      for (CodeElement element : method.code().map(CodeModel::elementList).orElse(List.of())) {
        if (element instanceof ConstantInstruction constant && isApacheClass(constant) && looksAtMembers()) {
          return "it looks at the members of the class by reflection";
        }
      }
    }
    return null;
  }

  private static boolean isApacheClass(ConstantInstruction constant) {
    for (ClientKind kind : ClientKind.values()) {
      if (kind.isApache(constant.constantValue())) {
        return true;
      }
    }
    return false;
  }

  /** Whether the class calls one of the methods by which reflection reaches what is not public. */
  private boolean looksAtMembers() {
    for (PoolEntry entry : model.constantPool()) {
      if (entry instanceof MemberRefEntry member && member.owner().asInternalName().equals("java/lang/Class")
          && member.name().stringValue().startsWith("getDeclared")) {
        return true;
      }
    }
    return false;
  }

  private byte @Nullable [] rewritten() {
    IdentityHashMap<MethodModel, ConstructionPlan> plans = new IdentityHashMap<>();
    try {
      for (MethodModel method : model.methods()) {
        Optional<CodeAttribute> code = method.findAttribute(Attributes.code());
        if (code.isPresent()) {
          ConstructionPlan plan = ConstructionPlan.of(code.get());
          if (!plan.isEmpty()) {
            plans.put(method, plan);
          }
        }
      }
    } catch (UnknownCodeException e) {
      reasons.accept(ConstructionPlan.UNUSUAL_CODE);
      return null;
    }
    if (plans.isEmpty()) {
      return null;
    }
    ConstructorMethods methods = new ConstructorMethods(model);
    ClassTransform transform = (builder, element) -> {
      ConstructionPlan plan = element instanceof MethodModel method ? plans.get(method) : null;
      if (plan == null) {
        builder.with(element);
      } else {
        change(builder, (MethodModel) element, plan, methods);
      }
    };
    // changed methods keep the frames of their compiler: new ones would ask for the classes that the code names
    return ClassFile.of(ClassFile.StackMapsOption.DROP_STACK_MAPS)
        .transformClass(model, transform.andThen(ClassTransform.endHandler(methods::addTo)));
  }

  private static void change(ClassBuilder builder, MethodModel method, ConstructionPlan plan,
      ConstructorMethods methods) {
    CodeAttribute code = method.findAttribute(Attributes.code()).orElseThrow();
    builder.transformMethod(method, MethodTransform.transformingCode(
        CodeTransform.ofStateful(() -> new ConstructionTransform(code, plan, methods))));
  }
}
