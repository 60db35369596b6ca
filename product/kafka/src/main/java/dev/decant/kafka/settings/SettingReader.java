package dev.decant.kafka.settings;

import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Sorts settings by what Decant does with their names. */
public final class SettingReader {
  private SettingReader() {}

  /**
   * Takes out the settings that are honoured.
   *
   * @param given values by Kafka's names: text or objects; null as if the name were not there
   * @param readers whose settings may be among them
   * @param problems takes names that are unknown, refused, or belong to none of the readers
   * @return those honoured by a reader, by name
   */
  public static SortedMap<String, String> read(Map<String, ?> given, Set<SettingOwner> readers,
      SettingProblems problems) {
    SortedMap<String, String> honoured = new TreeMap<>();
    new TreeMap<>(given).forEach((name, value) -> {
      if (value != null) {
        read(name, SettingText.of(value), readers, problems, honoured);
      }
    });
    return honoured;
  }

  /** No value is part of a problem here: it may be a secret. */
  private static void read(String name, String text, Set<SettingOwner> readers, SettingProblems problems,
      Map<String, String> honoured) {
    SettingRule rule = SettingTable.rule(name);
    if (rule == null) {
      problems.add(name + ": " + unknown(name));
    } else if (!rule.accepts(text)) {
      problems.add(name + ": " + SettingTable.advice(rule, text));
    } else if (rule.treatment() == Treatment.HONOURED) {
      if (rule.owners().stream().anyMatch(readers::contains)) {
        honoured.put(name, text);
      } else {
        problems.add(name + ": a setting of "
            + rule.owners().stream().map(SettingOwner::where).collect(Collectors.joining(", and of ")));
      }
    }
  }

  private static String unknown(String name) {
    String nearest = NearestName.of(name, SettingTable.names());
    return nearest != null
        ? "unknown; did you mean " + nearest + "?"
        : "unknown to Kafka's clients; a setting of a serializer belongs to the encoder or decoder";
  }
}
