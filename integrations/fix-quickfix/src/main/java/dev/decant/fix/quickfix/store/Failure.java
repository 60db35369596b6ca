package dev.decant.fix.quickfix.store;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Keeps the first failure of a step within a handler that cannot throw it. */
final class Failure {
  /** The first failure; null while there is none. */
  private @Nullable IOException first;

  /** A step that may fail. */
  interface Step {
    void run() throws IOException;
  }

  /** Runs a step. Returns false if it has failed. */
  boolean none(Step step) {
    try {
      step.run();
      return true;
    } catch (IOException e) {
      first = e;
      return false;
    }
  }

  void raise() throws IOException {
    if (first != null) {
      throw first;
    }
  }
}
