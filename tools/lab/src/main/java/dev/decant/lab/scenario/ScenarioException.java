package dev.decant.lab.scenario;

import java.io.Serial;

/** A scenario that cannot be used. The message is one line that names the place and the cure. */
public final class ScenarioException extends RuntimeException {
  @Serial
  private static final long serialVersionUID = 1;

  ScenarioException(String message) {
    super(message);
  }
}
