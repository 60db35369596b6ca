package dev.decant.fix.quickfix.settings;

import dev.decant.fix.dictionary.Dictionary;
import dev.decant.fix.dictionary.DictionaryException;
import dev.decant.fix.dictionary.ValidationSettings;
import dev.decant.fix.settings.SessionSettingsBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** The dictionaries of the sessions of a file, each loaded once, and their checks. Any thread. */
final class Dictionaries {
  private static final String APPLICATION = "AppDataDictionary";
  private static final Map<String, String> APPL_VER_IDS = Map.of("FIX.2.7", "0", "FIX.3.0", "1", "FIX.4.0", "2",
      "FIX.4.1", "3", "FIX.4.2", "4", "FIX.4.3", "5", "FIX.4.4", "6", "FIX.5.0", "7", "FIX.5.0SP1", "8", "FIX.5.0SP2",
      "9");

  private static final Map<String, String> VERSIONS = APPL_VER_IDS.entrySet().stream()
      .collect(Collectors.toUnmodifiableMap(Map.Entry::getValue, Map.Entry::getKey));

  private final Map<String, Dictionary> loaded = new ConcurrentHashMap<>();

  /** Returns the number of a version of application messages, such as 9 for FIX.5.0SP2. */
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

  /** Sets the dictionaries and checks of a session; none if the file disables them. */
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
    String ofSession = section.read("DefaultApplVerID", "7", "a version, such as FIX.5.0SP2", Dictionaries::applVerId);
    boolean isNamed = false;
    for (Map.Entry<String, String> setting : section.values().entrySet()) {
      String name = setting.getKey();
      if (name.equals(APPLICATION)) {
        settings.applicationDictionary(ofSession, load(setting.getValue()));
        isNamed = true;
      } else if (name.startsWith(APPLICATION + ".")) {
        String version = name.substring(APPLICATION.length() + 1);
        settings.applicationDictionary(applVerId(version), load(setting.getValue()));
        isNamed = true;
      }
    }
    if (!isNamed) {
      settings.applicationDictionary(ofSession, ofVersion(ofSession));
    }
  }

  /** Returns the dictionary of a version. QuickFIX/J loads it, too: without one, each message would be unknown. */
  private Dictionary ofVersion(String applVerId) {
    String resource = resource(VERSIONS.getOrDefault(applVerId, applVerId));
    try {
      return load(resource);
    } catch (DictionaryException e) {
      throw new IllegalArgumentException("AppDataDictionary is missing, and so is its default, " + resource
          + " on the class path: set it to the dictionary of DefaultApplVerID, or UseDataDictionary=N", e);
    }
  }

  private static String resource(String beginString) {
    return beginString.replace(".", "") + ".xml";
  }

  /** Loads a file or a resource of the class path. QuickFIX/J searches in the same order. */
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
