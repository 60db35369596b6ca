package dev.decant.agent;

import dev.decant.agent.asm.ClassVisitor;
import dev.decant.agent.asm.ClassWriter;
import dev.decant.agent.asm.MethodVisitor;
import dev.decant.agent.asm.Opcodes;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Changes the places of a class that construct {@code KafkaProducer} or {@code KafkaConsumer}, and nothing else. What
 * they construct is still an object of these classes, so declared types, casts and calls stay as they are.
 */
final class ConstructionRewriter {
  /** The first version of class files with {@code invokedynamic}, that of Java 7. */
  private static final int FIRST_WITH_DYNAMIC = Opcodes.V1_7;

  private final ParsedClass parsed;
  private final Consumer<String> reasons;
  /** By name and descriptor. */
  private final Map<String, ConstructionPlan> plans = new HashMap<>();
  private boolean deserializesLambdas;

  private ConstructionRewriter(ParsedClass parsed, Consumer<String> reasons) {
    this.parsed = parsed;
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
    ParsedClass parsed;
    try {
      parsed = new ParsedClass(classFile);
    } catch (IllegalArgumentException e) {
      if (UnparsedClass.hasName(classFile)) {
        reasons.accept("its class file has version " + UnparsedClass.version(classFile)
            + ", which is newer than this agent; take a newer one");
      }
      return null;
    }
    return new ConstructionRewriter(parsed, reasons).result();
  }

  private byte @Nullable [] result() {
    boolean constructs = parsed.refersTo(ConstructionPlan::isConstructor);
    if (constructs) {
      parsed.accept(new Survey(), 0);
    }
    if (deserializesLambdas && parsed.hasHandle(ConstructionPlan::isConstructor)) {
      // The serialized form names the constructor, and deserialization looks it up by that name.
      reasons.accept("it has a serializable reference to the constructor");
      return null;
    }
    nameIfReflective();
    Optional<ClientKind> parent = Optional.ofNullable(parsed.getSuperName()).flatMap(ClientKind::of);
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
    return plans.values().stream().allMatch(ConstructionPlan::isEmpty) ? null : rewritten();
  }

  private void nameIfReflective() {
    for (ClientKind kind : ClientKind.values()) {
      if (parsed.hasString(text -> text.equals(kind.apacheName) || text.equals(kind.internalName))) {
        reasons
            .accept("it has the name of " + kind.simpleName + " as a string; clients made by reflection stay Apache's");
      }
    }
  }

  private @Nullable String reasonAgainstSwitching() {
    if (parsed.majorVersion() < FIRST_WITH_DYNAMIC) {
      return "its class file is older than Java 7";
    }
    if (plans.values().stream().anyMatch(ConstructionPlan::hasApacheClass) && looksAtMembers()) {
      return "it looks at the members of the class by reflection";
    }
    return plans.values().stream().anyMatch(ConstructionPlan::isUnknown) ? ConstructionPlan.UNUSUAL_CODE : null;
  }

  /** Whether the class calls one of the methods by which reflection reaches what is not public. */
  private boolean looksAtMembers() {
    return parsed.refersTo((owner, name) -> owner.equals("java/lang/Class") && name.startsWith("getDeclared"));
  }

  private byte[] rewritten() {
    ClassWriter changed = new ClassWriter(parsed, 0);
    // changed methods keep the frames of their compiler: new ones would ask for the classes that the code names
    parsed.accept(new Change(changed), 0);
    return changed.toByteArray();
  }

  /** Makes the plan of each method. */
  private final class Survey extends ClassVisitor {
    Survey() {
      super(Opcodes.ASM9);
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String descriptor, @Nullable String signature,
        String @Nullable [] exceptions) {
      deserializesLambdas |= name.equals("$deserializeLambda$");
      ConstructionPlan plan = new ConstructionPlan();
      plans.put(name + descriptor, plan);
      return plan;
    }
  }

  /** Changes the methods that have something in their plan. */
  private final class Change extends ClassVisitor {
    private final ConstructorMethods methods = new ConstructorMethods(parsed.getClassName(),
        (parsed.getAccess() & Opcodes.ACC_INTERFACE) != 0);

    Change(ClassVisitor changed) {
      super(Opcodes.ASM9, changed);
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String descriptor, @Nullable String signature,
        String @Nullable [] exceptions) {
      MethodVisitor written = super.visitMethod(access, name, descriptor, signature, exceptions);
      ConstructionPlan plan = plans.get(name + descriptor);
      return plan == null || plan.isEmpty() ? written : new ConstructionTransform(written, plan, methods);
    }

    @Override
    public void visitEnd() {
      methods.addTo(cv);
      super.visitEnd();
    }
  }
}
