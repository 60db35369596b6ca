package dev.decant.runtime;

import java.util.List;
import jdk.jfr.FlightRecorder;

/** Emits findings as JFR events. Linking this class fails in an image without the flight recorder. */
final class FindingEvents {
  private FindingEvents() {}

  /**
   * Emits the findings if a recording runs. It checks that first, because loading an event class starts the flight
   * recorder, which takes hundreds of milliseconds.
   */
  static void emit(List<Finding> findings) {
    if (FlightRecorder.isInitialized()) {
      findings.forEach(finding -> new RuntimeFindingEvent(finding).commit());
    }
  }
}
