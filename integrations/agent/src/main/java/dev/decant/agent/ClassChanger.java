package dev.decant.agent;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads each class of the application while it is loaded, and changes it if it constructs or extends a client. Apache's
 * two classes are changed, too, so that calls reach Decant's clients.
 */
final class ClassChanger implements ClassFileTransformer {
  private final ClassFilter filter;
  private final ApacheClasses classes;
  private final AgentLog log;
  private final Instrumentation instrumentation;

  ClassChanger(ClassFilter filter, ApacheClasses classes, AgentLog log, Instrumentation instrumentation) {
    this.filter = filter;
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
      Optional<ApacheClass> apache = classes.of(className);
      if (apache.isPresent()) {
        log.count().loaded();
        log.begin();
        return PreparedApache.of(VisibleCalls.of(classFile, apache.get()));
      }
      nameIfRelocated(className, classFile);
      if (!filter.accepts(name)) {
        noteExcluded(name, classFile);
        return null;
      }
      return change(module, loader, name, classFile);
    } catch (RuntimeException | LinkageError | StackOverflowError e) {
      log.keptOnApache(name, "its class file cannot be changed: " + e);
      return null;
    }
  }

  /**
   * Notes a class that constructs clients but is excluded. A program whose clients Kafka Streams constructs must learn
   * that from the log.
   */
  private void noteExcluded(String name, byte[] classFile) {
    if (!filter.isOfJdkOrDecant(name) && UnparsedClass.hasName(classFile, classes)
        && new ParsedClass(classFile).refersTo((owner, member, descriptor) -> classes.isConstructor(owner, member))) {
      log.count().excluded(name);
    }
  }

  /**
   * Warns about a class that reads private fields. The clients that it constructs stay Apache's, but those that other
   * classes construct do not.
   */
  private void nameIfReader(ClassLoader loader, String name, byte[] classFile) {
    if (!UnparsedClass.hasName(classFile, classes)) {
      return;
    }
    ParsedClass parsed = new ParsedClass(classFile);
    if (!parsed.refersTo((owner, member, descriptor) -> classes.isConstructor(owner, member))) {
      PrivateReaders.readBy(parsed, classes, loader).filter(apache -> PrivateReaders.library(loader) == null)
          .ifPresent(apache -> log.reads(name, apache));
    }
  }

  private void nameIfRelocated(String className, byte[] classFile) {
    if (ApacheClasses.hasNameOfClient(className)) {
      classes.relocated(className, List.of(new ParsedClass(classFile).getInterfaces()))
          .ifPresent(apache -> log.relocated(apache.prefix()));
    }
  }

  private byte @Nullable [] change(@Nullable Module module, ClassLoader loader, String name, byte[] classFile) {
    byte[] changed = ConstructionRewriter.rewrite(classFile, classes, loader,
        reason -> log.keptOnApache(name, reason));
    if (changed == null) {
      nameIfReader(loader, name, classFile);
      return null;
    }
    if (!seesAgent(loader)) {
      log.keptOnApache(name, "its class loader " + loader + " does not see the package dev.decant.agent");
      return null;
    }
    if (module != null && module.isNamed()) {
      instrumentation.redefineModule(module, Set.of(Construction.class.getModule()), Map.of(), Map.of(), Set.of(),
          Map.of());
    }
    return changed;
  }

  /** Returns true if the changed class would find what it calls. */
  private static boolean seesAgent(ClassLoader loader) {
    try {
      return Class.forName(Construction.class.getName(), false, loader) == Construction.class;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }
}
