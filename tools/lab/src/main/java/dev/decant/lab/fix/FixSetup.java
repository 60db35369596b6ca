package dev.decant.lab.fix;

import dev.decant.lab.jvm.JavaRuntime;
import org.jspecify.annotations.Nullable;

/**
 * What is measured at once.
 *
 * @param engine which
 * @param work what it does
 * @param mode on which processors
 * @param java on which JVM; null if the run has only the lab's own
 */
public record FixSetup(Engine engine, FixWork work, FixMode mode, @Nullable JavaRuntime java) {

  /** On the only JVM of a run. */
  FixSetup(Engine engine, FixWork work, FixMode mode) {
    this(engine, work, mode, null);
  }

  /**
   * What it is called beside others of its group.
   *
   * @return the engine, with its JVM if the run has several
   */
  public String name() {
    return java == null ? engine.label() : engine.label() + ", " + java.title();
  }

  /**
   * What engines are compared in.
   *
   * @return work and mode in a few words
   */
  public String group() {
    return work.label() + ", " + mode.title();
  }

  /**
   * For people.
   *
   * @return engine, work and mode in a few words
   */
  public String label() {
    return name() + ", " + group();
  }
}
