package dev.decant.fix.conformance;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A parsed script.
 *
 * @param name of its file
 * @param title what it shows
 * @param initiator whether the session connects; otherwise it is connected to
 * @param needs what a session must have beside the state machine: {@code dictionary}, {@code engine}
 * @param settings of the session, by name
 * @param steps the lines of each version that the script covers
 */
record Script(String name, String title, boolean initiator, Set<String> needs, Map<String, String> settings,
    Map<Version, List<Step>> steps) {
  Script {
    needs = Set.copyOf(needs);
    settings = Map.copyOf(settings);
    steps = Map.copyOf(new EnumMap<>(steps));
  }
}
