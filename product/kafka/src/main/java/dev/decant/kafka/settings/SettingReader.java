package dev.decant.kafka.settings;

import dev.decant.net.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Sorts settings by Decant's treatment of their names. */
public final class SettingReader {
  /** The prefix of Decant's own settings. No library has names that begin like this. */
  private static final String OWN = "decant.";
  private static final System.Logger LOG = System.getLogger(SettingReader.class.getName());

  private final Set<SettingOwner> readers;
  private final SettingProblems problems;
  private final ForeignNames foreign;
  private final SortedMap<String, String> honoured = new TreeMap<>();
  /** Settings of serializers and interceptors, with the replacement if it is known. */
  private final List<String> passedOver = new ArrayList<>();

  private SettingReader(Map<String, ?> given, Set<SettingOwner> readers, SettingProblems problems) {
    this.readers = readers;
    this.problems = problems;
    this.foreign = new ForeignNames(given);
  }

  /**
   * Takes out the honoured settings. Settings of serializers and interceptors have no effect, and are logged in one
   * line.
   *
   * @param given values by Kafka's names: text or objects; null counts as absent
   * @param readers the owners whose settings are allowed
   * @param problems takes names that are unknown, refused, or belong to none of the readers
   * @return the settings honoured by a reader, by name
   */
  public static SortedMap<String, String> read(Map<String, ?> given, Set<SettingOwner> readers,
      SettingProblems problems) {
    SettingReader reader = new SettingReader(given, readers, problems);
    new TreeMap<>(given).forEach((name, value) -> {
      if (value != null) {
        reader.read(name, SettingText.of(value));
      }
    });
    if (!reader.passedOver.isEmpty()) {
      LOG.log(System.Logger.Level.INFO, "settings of serializers and interceptors have no effect, as the code gives"
          + " encoders and decoders: {0}", String.join(", ", reader.passedOver));
    }
    return reader.honoured;
  }

  /** Reads one setting. A problem must not have the value: it may be a secret. */
  private void read(String name, String text) {
    SettingRule rule = SettingTable.rule(name);
    if (rule == null) {
      readUnknown(name);
    } else if (!rule.accepts(text)) {
      problems.add(name + ": " + rule.text());
    } else if (rule.treatment() == Treatment.HONOURED) {
      if (rule.owners().stream().anyMatch(readers::contains)) {
        honoured.put(name, text);
      } else {
        problems.add(name + ": a setting of "
            + rule.owners().stream().map(SettingOwner::where).collect(Collectors.joining(", and of ")));
      }
    } else if (SettingTable.isOfSerializers(name)) {
      String serde = SettingTable.serde(text);
      passedOver.add(serde == null ? name : name + " (" + serde + ")");
    }
  }

  /**
   * Reads an unknown name. A misspelled known name is an error, unless a library of serializers has names like this.
   */
  private void readUnknown(String name) {
    String nearest = foreign.has(name) ? null : NearestName.of(name, SettingTable.names());
    if (nearest != null) {
      problems.add(name + ": unknown; did you mean " + nearest + "?");
    } else if (name.startsWith(OWN)) {
      problems.add(name + ": unknown; Decant's own settings are "
          + SettingTable.names().stream().filter(known -> known.startsWith(OWN)).collect(Collectors.joining(", ")));
    } else if (foreign.has(name) || foreign.hasForeignClass()) {
      passedOver.add(Printable.of(name));
    } else {
      problems.add(name + ": unknown to Kafka's clients; a setting of a serializer belongs to the encoder or decoder");
    }
  }
}
