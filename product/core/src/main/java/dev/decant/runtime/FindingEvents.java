package dev.decant.runtime;

import java.util.List;
import jdk.jfr.FlightRecorder;

/** Findings as JFR events. Linking this fails where the image has no flight recorder. */
final class FindingEvents {
  private FindingEvents() {}

  /** Asks first: to load an event class starts the flight recorder, which takes hundreds of milliseconds. */
  static void emit(List<Finding> findings) {
    if (FlightRecorder.isInitialized()) {
      findings.forEach(finding -> new RuntimeFindingEvent(finding).commit());
    }
  }
}
