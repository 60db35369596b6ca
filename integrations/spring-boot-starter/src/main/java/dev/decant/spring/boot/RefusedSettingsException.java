package dev.decant.spring.boot;

import java.io.Serial;
import java.util.List;

/** Settings of a factory that Decant does not serve. */
final class RefusedSettingsException extends RuntimeException {
  @Serial
  private static final long serialVersionUID = 1;

  /** A line for each: its name and what to do instead. */
  private final String[] refusals;

  RefusedSettingsException(String factory, List<String> refusals) {
    super(factory + ": Decant refuses " + String.join("; ", refusals));
    this.refusals = refusals.toArray(String[]::new);
  }

  List<String> refusals() {
    return List.of(refusals);
  }
}
