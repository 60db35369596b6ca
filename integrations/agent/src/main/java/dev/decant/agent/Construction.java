package dev.decant.agent;

import java.lang.invoke.CallSite;
import java.lang.invoke.ConstantCallSite;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The methods that changed classes call. This class is no API; it is public because the JVM links those calls. */
public final class Construction {
  private static volatile @Nullable Switch current;

  private Construction() {}

  static void use(Switch started) {
    current = started;
  }

  /**
   * Links a place that constructs a client. If Decant's class is not available there, the place runs Apache's
   * constructor.
   *
   * @param caller the class with the place
   * @param name ignored
   * @param type the nulls under the arguments, the constructor's arguments, and Apache's class
   * @param places number of these nulls
   * @return the constructor of Decant's class behind an object of Apache's class, or Apache's constructor
   * @throws ReflectiveOperationException if Apache's class does not have the constructor either
   */
  public static CallSite link(Lookup caller, String name, MethodType type, int places)
      throws ReflectiveOperationException {
    Objects.requireNonNull(caller, "caller");
    MethodType arguments = Objects.requireNonNull(type, "type").dropParameterTypes(0, places);
    MethodHandle apache = caller.findConstructor(arguments.returnType(), arguments.changeReturnType(void.class))
        .asType(arguments);
    Switch started = current;
    MethodHandle decant = started == null ? null : started.constructor(caller.lookupClass(), arguments);
    MethodHandle handle = started == null || decant == null ? apache : started.orElse(caller, decant, apache);
    return new ConstantCallSite(MethodHandles.dropArguments(handle, 0, Collections.nCopies(places, Object.class)));
  }

  /**
   * Links a place where a class that extends Apache's calls the constructor of its parent.
   *
   * @param caller the class
   * @param name ignored
   * @param type the arguments of Apache's constructor, and Apache's class
   * @param fingerprint of the members of Apache's class for which the caller was changed
   * @return the constructor of Decant's class behind an object of Apache's class, or null for Apache's constructor
   */
  public static CallSite linkBelow(Lookup caller, String name, MethodType type, int fingerprint) {
    Objects.requireNonNull(type, "type");
    MethodHandle none = MethodHandles.dropArguments(MethodHandles.constant(type.returnType(), null), 0,
        type.parameterList());
    Switch started = current;
    MethodHandle decant = started == null ? null : started.constructorBelow(caller.lookupClass(), type, fingerprint);
    return new ConstantCallSite(started == null || decant == null ? none : started.orElse(caller, decant, none));
  }

  /**
   * Chooses the settings for Apache's constructor in an object of a subclass.
   *
   * @param given the program's settings
   * @param client of the object, or null to run Apache's
   * @return settings with which Apache's constructor starts no client, if there is a client; else the given ones
   */
  public static @Nullable Map<?, ?> settings(@Nullable Map<?, ?> given, @Nullable Object client) {
    return client == null ? given : PreparedApache.settings();
  }
}
