package dev.decant.agent;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.URL;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Gives each place that constructs a client its constructor. */
final class Switch {
  private static final MethodHandle MISSING;

  static {
    try {
      MISSING = MethodHandles.lookup().findVirtual(Switch.class, "missing",
          MethodType.methodType(void.class, String.class, LinkageError.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final List<URL> jars;
  private final AgentLog log;
  private final ClassValue<Outcome> adapters = new ClassValue<>() {
    @Override
    protected Outcome computeValue(Class<?> apache) {
      return adapt(apache);
    }
  };
  /** By a class that all clients of one class loader share. */
  private final ClassValue<DecantLoader> loaders = new ClassValue<>() {
    @Override
    protected DecantLoader computeValue(Class<?> anchor) {
      return DecantLoader.over(anchor.getClassLoader(), jars);
    }
  };

  /** One of both: an adapter, or why there is none. */
  private record Outcome(@Nullable Adapter adapter, String reason) {}

  /**
   * Makes a switch.
   *
   * @param jars with Decant's classes, for class loaders that do not have them; may be empty
   * @param log for what is switched
   */
  Switch(List<URL> jars, AgentLog log) {
    this.jars = jars;
    this.log = log;
  }

  /**
   * Finds Decant's constructor.
   *
   * @param caller the class that constructs
   * @param type the constructor's arguments, and Apache's class
   * @return null if the caller keeps Apache's client, which is then in the log
   */
  @Nullable
  MethodHandle constructor(Class<?> caller, MethodType type) {
    Class<?> apache = type.returnType();
    Outcome outcome = adapters.get(apache);
    Adapter adapter = outcome.adapter;
    if (adapter == null) {
      log.leftAlone(caller.getName(), outcome.reason);
      return null;
    }
    try {
      MethodHandle constructor = adapter.constructor(type);
      log.switched(adapter.kind(), caller.getName());
      return constructor;
    } catch (ReflectiveOperationException e) {
      log.leftAlone(caller.getName(), adapter.kind().decantName + " has no constructor " + type.changeReturnType(
          void.class));
      return null;
    } catch (RuntimeException | LinkageError e) {
      log.leftAlone(caller.getName(), "the constructor of " + adapter.kind().decantName + " cannot be linked: " + e);
      return null;
    }
  }

  /**
   * Runs Apache's constructor if Decant's finds that a class is missing: the jars that the agent was given may be too
   * few. Other errors are those of a client, and reach the program.
   */
  MethodHandle orElse(MethodHandles.Lookup caller, MethodHandle decant, MethodHandle apache) {
    MethodHandle note = MethodHandles.insertArguments(MISSING, 0, this, caller.lookupClass().getName());
    MethodHandle instead = MethodHandles.dropArguments(apache, 0, LinkageError.class);
    return MethodHandles.catchException(decant, LinkageError.class, MethodHandles.foldArguments(instead, note));
  }

  /** Called by the handle of {@link #orElse}. */
  void missing(String caller, LinkageError error) {
    log.leftAlone(caller, "Decant's client does not start: " + error);
  }

  /** Both clients of a class loader are switched, or none: a program would find out in production otherwise. */
  private Outcome adapt(Class<?> apache) {
    ClientKind kind = ClientKind.of(apache.getName().replace('.', '/')).orElseThrow();
    ClassLoader apacheLoader = apache.getClassLoader();
    String old = ClientsRelease.tooOld(apacheLoader);
    if (!old.isEmpty()) {
      return new Outcome(null, old);
    }
    Outcome outcome = adapt(kind, apacheLoader);
    for (ClientKind other : ClientKind.values()) {
      if (outcome.adapter != null && other != kind) {
        Outcome besides = adapt(other, apacheLoader);
        if (besides.adapter == null) {
          return new Outcome(null, other.apacheName + " cannot be switched, and so neither is: " + besides.reason);
        }
      }
    }
    return outcome;
  }

  private Outcome adapt(ClientKind kind, @Nullable ClassLoader apacheLoader) {
    try {
      Class<?> apache = Class.forName(kind.apacheName, false, apacheLoader);
      DecantLoader loader = loaders.get(Class.forName(DecantLoader.ANCHOR, false, apacheLoader));
      Class<?> decant = loader.find(kind);
      if (!loader.missing().isEmpty()) {
        return new Outcome(null, loader.missing());
      }
      if (!Class.forName(kind.interfaceName, false, apacheLoader).isAssignableFrom(decant)) {
        return new Outcome(null, kind.decantName + " was loaded with another kafka-clients than the program's; "
            + "name Decant's jars by decant.agent.lib");
      }
      return new Outcome(Adapter.of(kind, apache, decant, loader), "");
    } catch (ClassNotFoundException e) {
      return new Outcome(null, "the class loader " + apacheLoader + " finds no " + kind.decantName
          + "; add decant-kafka-apache to the class path, or name its jars by decant.agent.lib");
    } catch (UnsupportedOperationException e) {
      return new Outcome(null, String.valueOf(e.getMessage()));
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      return new Outcome(null, "an object of " + kind.decantName + " does not fit " + kind.apacheName + ": " + e);
    }
  }

}
