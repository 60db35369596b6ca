package dev.decant.lab.fix;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.decant.buffer.BufferPool;
import dev.decant.fix.quickfix.settings.QuickFixSettings;
import dev.decant.fix.store.MessageStore;
import dev.decant.lab.jvm.JavaRuntime;
import dev.decant.testkit.RepositoryJars;
import java.io.File;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.HdrHistogram.Histogram;

/** Flags and class paths of the engines' JVMs: each has one engine, and no other. */
public final class FixJvm {
  static final String QUICKFIXJ = "org.quickfixj:quickfixj-core:3.0.0";
  private static final String PHILADELPHIA = "com.paritytrading.philadelphia:philadelphia-core:2.0.0";
  /** The heap: QuickFIX/J's store in memory keeps every message of a sample. */
  private static final List<String> HEAP = List.of("-Xms2g", "-Xmx2g");

  private FixJvm() {}

  /**
   * Returns the flags of a JVM: a fixed heap, the collector that a JVM chooses on that many processors, and compiler
   * threads that stay, so that their processor time can be separated.
   *
   * @param mode the processors
   * @param own flags of the user, which come last and win
   * @return all flags
   */
  public static List<String> flags(FixMode mode, List<String> own) {
    List<String> flags = new ArrayList<>(HEAP);
    flags.add("-XX:-UseDynamicNumberOfCompilerThreads");
    if (own.stream().noneMatch(flag -> flag.matches("-XX:\\+Use\\w+GC"))) {
      flags.add(mode.cpus() == 1 ? "-XX:+UseSerialGC" : "-XX:+UseG1GC");
    }
    flags.addAll(own);
    return flags;
  }

  /** Returns the arguments behind {@code java}: flags, class path, main class and its argument. */
  static List<String> arguments(FixSpec spec, List<String> flags) {
    List<String> arguments = new ArrayList<>(flags);
    arguments.addAll(List.of("-cp", String.join(File.pathSeparator, classPath(spec.engine())),
        FixMain.class.getName(), spec.toJson()));
    return arguments;
  }

  /**
   * Rejects a JVM that is too old for an engine's classes, or for those of the lab.
   *
   * @param engine the engine
   * @param java the JVM
   * @throws IllegalArgumentException if the JVM is too old; the message is one line that says why
   * @throws dev.decant.testkit.ClusterException if a jar is missing; the message says how to fetch it
   */
  public static void requireToRunOn(Engine engine, JavaRuntime java) {
    java.requireToTake(classPath(engine));
  }

  static Set<String> classPath(Engine engine) {
    Set<String> path = new LinkedHashSet<>();
    for (Class<?> type : new Class<?>[] {FixMain.class, ObjectMapper.class, JsonFactory.class, JsonProperty.class,
        Histogram.class}) {
      path.add(RepositoryJars.locationOf(type));
    }
    switch (engine) {
      case DECANT_MEMORY, DECANT_FILE, DECANT_ASYNC -> {
        path.add(RepositoryJars.locationOf(MessageStore.class));
        path.add(RepositoryJars.locationOf(BufferPool.class));
      }
      case QUICKFIXJ_MEMORY, QUICKFIXJ_FILE -> path
          .addAll(RepositoryJars.locate(FixJvm.class, "quickfixj.classpath", QUICKFIXJ));
      case ADAPTER_MEMORY -> {
        path.addAll(RepositoryJars.locate(FixJvm.class, "quickfixj.classpath", QUICKFIXJ));
        path.add(RepositoryJars.locationOf(MessageStore.class));
        path.add(RepositoryJars.locationOf(BufferPool.class));
        path.add(RepositoryJars.locationOf(QuickFixSettings.class));
      }
      case PHILADELPHIA -> path.addAll(RepositoryJars.locate(FixJvm.class, "philadelphia.classpath", PHILADELPHIA));
      case BARE_SOCKET -> {
        // the JDK has all it needs
      }
    }
    return path;
  }
}
