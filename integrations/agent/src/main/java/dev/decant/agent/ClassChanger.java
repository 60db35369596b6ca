package dev.decant.agent;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads each class of the application while it is loaded, and changes it if it constructs a client. Apache's two
 * classes let calls of Decant's pass.
 */
final class ClassChanger implements ClassFileTransformer {
  private final ClassFilter classes;
  private final AgentLog log;
  private final Instrumentation instrumentation;

  ClassChanger(ClassFilter classes, AgentLog log, Instrumentation instrumentation) {
    this.classes = classes;
    this.log = log;
    this.instrumentation = instrumentation;
  }

  @Override
  public byte @Nullable [] transform(@Nullable Module module, @Nullable ClassLoader loader, @Nullable String className,
      @Nullable Class<?> redefined, @Nullable ProtectionDomain domain, byte[] classFile) {
    if (className == null || loader == null || redefined != null || !UnparsedClass.mentionsClient(classFile)) {
      return null;
    }
    String name = className.replace('/', '.');
    try {
      Optional<ClientKind> apache = ClientKind.of(className);
      if (apache.isPresent()) {
        return VisibleCalls.of(classFile, apache.get());
      }
      return classes.accepts(name) ? change(module, loader, name, classFile) : null;
    } catch (RuntimeException | LinkageError | StackOverflowError e) {
      log.leftAlone(name, "its class file cannot be changed: " + e);
      return null;
    }
  }

  private byte @Nullable [] change(@Nullable Module module, ClassLoader loader, String name, byte[] classFile) {
    byte[] changed = ConstructionRewriter.rewrite(classFile, reason -> log.leftAlone(name, reason));
    if (changed == null) {
      return null;
    }
    if (!seesAgent(loader)) {
      log.leftAlone(name, "its class loader " + loader + " does not see the package dev.decant.agent");
      return null;
    }
    if (module != null && module.isNamed()) {
      instrumentation.redefineModule(module, Set.of(Construction.class.getModule()), Map.of(), Map.of(), Set.of(),
          Map.of());
    }
    return changed;
  }

  /** Whether the changed class would find what it calls. */
  private static boolean seesAgent(ClassLoader loader) {
    try {
      return Class.forName(Construction.class.getName(), false, loader) == Construction.class;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }
}
