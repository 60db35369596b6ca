package dev.decant.spring.boot;

import java.io.Serial;
import java.util.List;

/** Settings of a factory that Decant does not serve. */
final class RefusedSettingsException extends RuntimeException {
  @Serial
  private static final long serialVersionUID = 1;

  /** A line for each: its name and what to do instead. */
  private final List<String> refusals;

  RefusedSettingsException(String factory, List<String> refusals) {
    super(factory + ": Decant refuses " + String.join("; ", refusals));
    this.refusals = List.copyOf(refusals);
  }

  List<String> refusals() {
    return refusals;
  }
}
