package dev.decant.lab.fix;

import dev.decant.lab.jvm.JavaRuntime;
import org.jspecify.annotations.Nullable;

/**
 * An engine, its work and its mode.
 *
 * @param engine the engine
 * @param work the work
 * @param mode the processors
 * @param java the JVM; null if the run has only the lab's own
 */
public record FixSetup(Engine engine, FixWork work, FixMode mode, @Nullable JavaRuntime java) {

  /** Makes a setup on the only JVM of a run. */
  FixSetup(Engine engine, FixWork work, FixMode mode) {
    this(engine, work, mode, null);
  }

  /**
   * Returns the name among the setups of a group.
   *
   * @return the engine, with its JVM if the run has several
   */
  public String name() {
    return java == null ? engine.label() : engine.label() + ", " + java.title();
  }

  /**
   * Returns the group in which engines are compared.
   *
   * @return work and mode in a few words
   */
  public String group() {
    return work.label() + ", " + mode.title();
  }

  /**
   * Returns the label for people.
   *
   * @return engine, work and mode in a few words
   */
  public String label() {
    return name() + ", " + group();
  }
}
