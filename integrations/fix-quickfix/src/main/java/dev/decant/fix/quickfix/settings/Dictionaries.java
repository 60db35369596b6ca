package dev.decant.fix.quickfix.settings;

import dev.decant.fix.dictionary.Dictionary;
import dev.decant.fix.dictionary.ValidationSettings;
import dev.decant.fix.settings.SessionSettingsBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The dictionaries that the sessions of a file name, each loaded once, and the checks by them. One thread at a time.
 */
final class Dictionaries {
  private static final String APPLICATION = "AppDataDictionary";
  private static final Map<String, String> APPL_VER_IDS = Map.of("FIX.2.7", "0", "FIX.3.0", "1", "FIX.4.0", "2",
      "FIX.4.1", "3", "FIX.4.2", "4", "FIX.4.3", "5", "FIX.4.4", "6", "FIX.5.0", "7", "FIX.5.0SP1", "8", "FIX.5.0SP2",
      "9");

  private final Map<String, Dictionary> loaded = new HashMap<>();

  /** The number of a version of the application's messages, such as 9 for FIX.5.0SP2. */
  static String applVerId(String value) {
    if (value.matches("[0-9]+")) {
      return value;
    }
    String number = APPL_VER_IDS.get(value);
    if (number == null) {
      throw new IllegalArgumentException("no version of FIX");
    }
    return number;
  }

  /** Sets dictionaries and checks of a session; none if the file wants none. */
  void set(Section section, String beginString, SessionSettingsBuilder settings) {
    settings.validation(validation(section));
    if (!section.flag("UseDataDictionary", true) || !section.flag("ValidateIncomingMessage", true)) {
      return;
    }
    if (!beginString.startsWith("FIXT")) {
      settings.dictionary(load(section.text("DataDictionary", resource(beginString))));
      return;
    }
    settings.dictionary(load(section.text("TransportDataDictionary", resource(beginString))));
    for (Map.Entry<String, String> setting : section.values().entrySet()) {
      String name = setting.getKey();
      if (name.equals(APPLICATION)) {
        settings.applicationDictionary(
            section.read("DefaultApplVerID", "7", "a version, such as FIX.5.0SP2", Dictionaries::applVerId),
            load(setting.getValue()));
      } else if (name.startsWith(APPLICATION + ".")) {
        String version = name.substring(APPLICATION.length() + 1);
        settings.applicationDictionary(applVerId(version), load(setting.getValue()));
      }
    }
  }

  private static String resource(String beginString) {
    return beginString.replace(".", "") + ".xml";
  }

  /** A file, or a resource of the class path, as QuickFIX/J looks for it. */
  private Dictionary load(String name) {
    return loaded.computeIfAbsent(name, any -> {
      Path file = Path.of(name);
      return Files.isReadable(file) ? Dictionary.load(file) : Dictionary.loadResource(name);
    });
  }

  private static ValidationSettings validation(Section section) {
    boolean ordered = section.flag("ValidateUnorderedGroupFields", true);
    return ValidationSettings.builder()
        .checkFieldsOutOfOrder(section.flag("ValidateFieldsOutOfOrder", true))
        .checkFieldsHaveValues(section.flag("ValidateFieldsHaveValues", true))
        .checkUserDefinedFields(section.flag("ValidateUserDefinedFields", true))
        .checkUnorderedGroupFields(ordered)
        .firstFieldInGroupIsDelimiter(section.flag("FirstFieldInGroupIsDelimiter", false) && !ordered)
        .allowUnknownMessageFields(section.flag("AllowUnknownMsgFields", false))
        .allowUnknownEnumValues(section.flag("AllowUnknownEnumValues", false))
        .build();
  }
}
