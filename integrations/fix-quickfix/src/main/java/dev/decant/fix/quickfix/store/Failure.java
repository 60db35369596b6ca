package dev.decant.fix.quickfix.store;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The first failure of a step within a handler that cannot throw it. */
final class Failure {
  private @Nullable IOException first;

  /** A step that may fail. */
  interface Step {
    void run() throws IOException;
  }

  /** Does a step; false if it has failed. */
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
