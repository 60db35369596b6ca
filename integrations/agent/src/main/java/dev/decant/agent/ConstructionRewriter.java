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
 * Changes the places of a class that construct {@code KafkaProducer} or {@code KafkaConsumer}. A class that extends one
 * of these gets methods, too, see {@link Subclass}. All objects keep these classes, so declared types, casts and calls
 * stay as they are.
 */
final class ConstructionRewriter {
  /** The first version of class files with {@code invokedynamic}, that of Java 7. */
  private static final int FIRST_WITH_DYNAMIC = Opcodes.V1_7;

  private final ParsedClass parsed;
  private final ApacheClasses classes;
  private final Consumer<String> reasons;
  /** The plans of the methods, by name and descriptor. */
  private final Map<String, ConstructionPlan> plans = new HashMap<>();
  private boolean deserializesLambdas;
  /** The class itself if it extends Apache's; else null. */
  private @Nullable Subclass subclass;

  private ConstructionRewriter(ParsedClass parsed, ApacheClasses classes, Consumer<String> reasons) {
    this.parsed = parsed;
    this.classes = classes;
    this.reasons = reasons;
  }

  /**
   * Rewrites a class.
   *
   * @param classFile with a mention of one of Apache's classes
   * @param loader of the class, by which it finds Apache's; null for the boot loader
   * @param reasons takes why parts of it keep Apache's clients
   * @return the new class file, or null if the class stays as it is
   */
  static byte @Nullable [] rewrite(byte[] classFile, ApacheClasses classes, @Nullable ClassLoader loader,
      Consumer<String> reasons) {
    ParsedClass parsed;
    try {
      parsed = new ParsedClass(classFile);
    } catch (IllegalArgumentException e) {
      if (UnparsedClass.hasName(classFile, classes)) {
        reasons.accept("its class file has version " + UnparsedClass.version(classFile)
            + ", which is newer than this agent; take a newer one");
      }
      return null;
    }
    return new ConstructionRewriter(parsed, classes, reasons).result(loader);
  }

  private byte @Nullable [] result(@Nullable ClassLoader loader) {
    Optional<ApacheClass> parent = Optional.ofNullable(parsed.getSuperName()).flatMap(classes::of);
    boolean constructs = parsed.refersTo((owner, name, descriptor) -> classes.isConstructor(owner, name));
    if (constructs || parent.isPresent()) {
      parsed.accept(new Survey(parent.map(ApacheClass::internalName).orElse("")), 0);
    }
    if (deserializesLambdas && parsed.hasHandle((owner, name, descriptor) -> classes.isConstructor(owner, name),
        Opcodes.H_NEWINVOKESPECIAL)) {
      // The serialized form names the constructor, and deserialization looks it up by that name.
      reasons.accept("it has a serializable reference to the constructor");
      return null;
    }
    nameIfReflective();
    if (!constructs && parent.isEmpty()) {
      return null;
    }
    String reason = reasonAgainstSwitching();
    if (reason == null && parent.isPresent()) {
      reason = extend(parent.get(), loader);
    }
    if (reason != null) {
      reasons.accept(reason);
      return null;
    }
    return subclass == null && plans.values().stream().allMatch(ConstructionPlan::isEmpty) ? null : rewritten();
  }

  /** Makes the class one below Decant's client; returns the reason if that is not possible. */
  private @Nullable String extend(ApacheClass apache, @Nullable ClassLoader loader) {
    ApacheMembers members = ApacheMembers.read(apache, loader);
    if (members == null) {
      return "it extends " + apache.kind().simpleName + ", whose class file is not found";
    }
    Subclass extended = new Subclass(parsed, apache, members);
    String reason = extended.reasonAgainst(plans.keySet());
    if (reason == null) {
      subclass = extended;
    }
    return reason;
  }

  private void nameIfReflective() {
    for (ApacheClass apache : classes.all()) {
      if (parsed.hasString(text -> text.equals(apache.name()) || text.equals(apache.internalName()))) {
        reasons.accept("it has the name of " + apache.kind().simpleName
            + " as a string; clients made by reflection stay Apache's");
      }
    }
  }

  private @Nullable String reasonAgainstSwitching() {
    if (parsed.majorVersion() < FIRST_WITH_DYNAMIC) {
      return "its class file is older than Java 7";
    }
    if (plans.values().stream().anyMatch(ConstructionPlan::hasApacheClass) && reflectsOnMembers()) {
      return "it looks at the members of the class by reflection";
    }
    return plans.values().stream().anyMatch(ConstructionPlan::isUnknown) ? ConstructionPlan.UNUSUAL_CODE : null;
  }

  /** Returns true if the class calls a method by which reflection reaches members that are not public. */
  private boolean reflectsOnMembers() {
    return parsed
        .refersTo((owner, name, descriptor) -> owner.equals("java/lang/Class") && name.startsWith("getDeclared"));
  }

  private byte[] rewritten() {
    ClassWriter changed = new ClassWriter(parsed, 0);
    // Changed methods keep the frames of their compiler: to compute new ones, ASM would load the classes that the code
    // names.
    parsed.accept(new Change(changed), 0);
    return changed.toByteArray();
  }

  /** Makes the plan of each method. */
  private final class Survey extends ClassVisitor {
    private final String parent;

    Survey(String parent) {
      super(Opcodes.ASM9);
      this.parent = parent;
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String descriptor, @Nullable String signature,
        String @Nullable [] exceptions) {
      deserializesLambdas |= name.equals("$deserializeLambda$");
      ConstructionPlan plan = new ConstructionPlan(classes, name.equals("<init>") ? parent : "");
      plans.put(name + descriptor, plan);
      return plan;
    }
  }

  /** Changes the methods whose plan has a place. */
  private final class Change extends ClassVisitor {
    private final ConstructorMethods methods = new ConstructorMethods(classes, parsed.getClassName(),
        (parsed.getAccess() & Opcodes.ACC_INTERFACE) != 0);

    Change(ClassVisitor changed) {
      super(Opcodes.ASM9, changed);
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String descriptor, @Nullable String signature,
        String @Nullable [] exceptions) {
      MethodVisitor written = super.visitMethod(access, name, descriptor, signature, exceptions);
      ConstructionPlan plan = plans.get(name + descriptor);
      return plan == null || (plan.isEmpty() && subclass == null)
          ? written
          : new ConstructionTransform(written, plan, classes, methods, subclass);
    }

    @Override
    public void visitEnd() {
      methods.addTo(cv);
      if (subclass != null) {
        subclass.addTo(cv, plans.keySet());
      }
      super.visitEnd();
    }
  }
}
