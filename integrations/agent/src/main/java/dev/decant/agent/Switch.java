package dev.decant.agent;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.URL;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Supplies the constructor for each place that constructs a client. */
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
  private final ApacheClasses classes;
  private final AgentLog log;
  private final ClassValue<Outcome> adapters = new ClassValue<>() {
    @Override
    protected Outcome computeValue(Class<?> apache) {
      return adapt(apache);
    }
  };
  /** Loaders of adapters, by a class that all clients of one class loader share. */
  private final ClassValue<DecantLoader> loaders = new ClassValue<>() {
    @Override
    protected DecantLoader computeValue(Class<?> anchor) {
      String name = anchor.getName();
      return DecantLoader.over(anchor.getClassLoader(), jars,
          name.substring(0, name.length() - DecantLoader.ANCHOR.length()));
    }
  };

  /** An adapter, or the reason why there is none. */
  private record Outcome(@Nullable Adapter adapter, String reason) {}

  /**
   * Makes a switch.
   *
   * @param jars with Decant's classes, for class loaders that do not have them; may be empty
   */
  Switch(List<URL> jars, ApacheClasses classes, AgentLog log) {
    this.classes = classes;
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
    return guarded(caller, () -> {
      MethodHandle constructor = find(caller, type);
      if (constructor != null) {
        log.switched(kind(type), caller.getName());
      }
      return constructor;
    });
  }

  /**
   * Runs a search, and keeps Apache's client if it throws. A class loader that a server has stopped may throw at each
   * call, and the place that constructs a client once got that error.
   */
  private @Nullable MethodHandle guarded(Class<?> caller, Supplier<@Nullable MethodHandle> search) {
    try {
      return search.get();
    } catch (RuntimeException | LinkageError e) {
      log.keptOnApache(caller.getName(), "Decant's client cannot be looked up: " + e);
      return null;
    }
  }

  /**
   * Finds Decant's constructor for a class that extends Apache's.
   *
   * @param type the arguments of Apache's constructor, and Apache's class
   * @param fingerprint of the members for which the class was changed
   * @return null if the caller runs Apache's constructor, which is then in the log
   */
  @Nullable
  MethodHandle constructorBelow(Class<?> caller, MethodType type, int fingerprint) {
    return guarded(caller, () -> {
      String against = reasonAgainst(type.returnType(), fingerprint);
      if (!against.isEmpty()) {
        log.keptOnApache(caller.getName(), against);
        return null;
      }
      MethodHandle constructor = find(caller, type);
      if (constructor != null) {
        log.switchedBelow(kind(type), caller.getName());
      }
      return constructor;
    });
  }

  /** Returns why a class below Apache's runs Apache's constructor; empty for no reason. */
  private String reasonAgainst(Class<?> apache, int fingerprint) {
    if (!PreparedApache.is(apache)) {
      return apache.getName() + ", which it extends, was loaded without this agent";
    }
    ApacheMembers members = ApacheMembers.read(classes.of(apache).orElseThrow(), apache.getClassLoader());
    return members == null || members.fingerprint() != fingerprint
        ? "its class loader has the file of another " + apache.getName() + " than the class that it extends"
        : "";
  }

  private ClientKind kind(MethodType type) {
    return classes.of(type.returnType()).orElseThrow().kind();
  }

  private @Nullable MethodHandle find(Class<?> caller, MethodType type) {
    Class<?> apache = type.returnType();
    String reader = PrivateReaders.library(caller.getClassLoader());
    if (reader != null) {
      log.keptOnApache(caller.getName(), reader);
      return null;
    }
    Outcome outcome = adapters.get(apache);
    Adapter adapter = outcome.adapter;
    if (adapter == null) {
      log.keptOnApache(caller.getName(), outcome.reason);
      return null;
    }
    try {
      return adapter.constructor(type);
    } catch (ReflectiveOperationException e) {
      log.keptOnApache(caller.getName(), adapter.kind().decantName + " has no constructor " + type.changeReturnType(
          void.class));
      return null;
    } catch (RuntimeException | LinkageError e) {
      log.keptOnApache(caller.getName(), "the constructor of " + adapter.kind().decantName + " cannot be linked: " + e);
      return null;
    }
  }

  /**
   * Returns a constructor that runs Apache's if Decant's finds that a class is missing, because the agent was given too
   * few jars. Other errors are those of a client, and reach the program.
   */
  MethodHandle orElse(MethodHandles.Lookup caller, MethodHandle decant, MethodHandle apache) {
    MethodHandle note = MethodHandles.insertArguments(MISSING, 0, this, caller.lookupClass().getName());
    MethodHandle instead = MethodHandles.dropArguments(apache, 0, LinkageError.class);
    return MethodHandles.catchException(decant, LinkageError.class, MethodHandles.foldArguments(instead, note));
  }

  /** Notes the missing class. Called by the handle of {@link #orElse}. */
  void missing(String caller, LinkageError error) {
    log.keptOnApache(caller, "Decant's client does not start: " + error);
  }

  /**
   * Switches both clients of a class loader, or neither. With one of them, an application once had a producer that
   * worked and a consumer that failed in poll.
   */
  private Outcome adapt(Class<?> apache) {
    ApacheClass wanted = classes.of(apache).orElseThrow();
    ClassLoader apacheLoader = apache.getClassLoader();
    String old = ClientsRelease.tooOld(wanted, apacheLoader);
    if (!old.isEmpty()) {
      return new Outcome(null, old);
    }
    Outcome outcome = adapt(wanted, apacheLoader);
    if (outcome.adapter != null) {
      ApacheClass other = wanted.other();
      Outcome besides = adapt(other, apacheLoader);
      if (besides.adapter == null) {
        return new Outcome(null, other.name() + " cannot be switched, and so neither is: " + besides.reason);
      }
    }
    return outcome;
  }

  private Outcome adapt(ApacheClass wanted, @Nullable ClassLoader apacheLoader) {
    ClientKind kind = wanted.kind();
    try {
      Class<?> apache = Class.forName(wanted.name(), false, apacheLoader);
      DecantLoader loader = loaders.get(Class.forName(wanted.prefix() + DecantLoader.ANCHOR, false, apacheLoader));
      Class<?> decant = loader.find(kind);
      if (!loader.missing().isEmpty()) {
        return new Outcome(null, loader.missing());
      }
      if (!Class.forName(wanted.interfaceName(), false, apacheLoader).isAssignableFrom(decant)) {
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
      return new Outcome(null, "an object of " + kind.decantName + " does not fit " + wanted.name() + ": " + e);
    }
  }

}
