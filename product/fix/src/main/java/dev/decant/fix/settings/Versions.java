package dev.decant.fix.settings;

import dev.decant.fix.dictionary.Dictionary;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the version of a session exists, and that its dictionaries have the same version. Counterparties would
 * refuse another version, and another dictionary would reject each message: logons and messages were once refused for
 * reasons that named neither.
 */
final class Versions {
  private static final List<String> BEGIN_STRINGS = List.of("FIX.4.0", "FIX.4.1", "FIX.4.2", "FIX.4.3", "FIX.4.4",
      "FIXT.1.1");

  private Versions() {}

  /** Throws an IllegalArgumentException whose one line has the fault and the remedy. */
  static void require(String beginString, @Nullable Dictionary dictionary, Map<String, Dictionary> applications) {
    boolean isOwnProtocol = dictionary != null && dictionary.beginString().equals(beginString);
    if (!BEGIN_STRINGS.contains(beginString) && !isOwnProtocol) {
      throw new IllegalArgumentException("beginString: " + beginString + " is no version of FIX; "
          + advice(beginString));
    }
    if (dictionary != null && !dictionary.beginString().equals(beginString)) {
      throw new IllegalArgumentException("dictionary: " + dictionary + " is of BeginString " + dictionary.beginString()
          + ", and the session of " + beginString + "; give a dictionary of " + beginString
          + (beginString.startsWith("FIXT") ? ", and this one as applicationDictionary" : ""));
    }
    applications.forEach((applVerId, application) -> {
      if (application.beginString().startsWith("FIXT")) {
        throw new IllegalArgumentException("applicationDictionary: " + application + ", for ApplVerID " + applVerId
            + ", is of BeginString " + application.beginString()
            + "; give the dictionary of the application's version, and this one as dictionary");
      }
    });
  }

  private static String advice(String beginString) {
    String plain = plain(beginString);
    for (String version : BEGIN_STRINGS) {
      if (plain(version).equals(plain)) {
        return "write " + version;
      }
    }
    return plain.startsWith("FIX5")
        ? "a session of FIX 5.0 and later has FIXT.1.1, and its version as defaultApplVerId"
        : "give one of " + String.join(", ", BEGIN_STRINGS) + ", or a dictionary whose BeginString is this one";
  }

  /** Returns the letters and digits of a version. */
  private static String plain(String beginString) {
    return beginString.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "");
  }
}
