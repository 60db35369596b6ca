package dev.decant.fix.quickfix;

import dev.decant.fix.quickfix.settings.QuickFixSession;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import quickfix.ConfigError;
import quickfix.DataDictionary;
import quickfix.DataDictionaryProvider;
import quickfix.DefaultDataDictionaryProvider;
import quickfix.MessageUtils;
import quickfix.ValidationSettings;
import quickfix.field.ApplVerID;

/**
 * The dictionaries of QuickFIX/J for sessions, by which it distinguishes groups from repeated fields. Each is loaded
 * once.
 */
final class DictionaryConversion {
  private final Map<String, DataDictionary> loaded = new ConcurrentHashMap<>();

  private static boolean flag(QuickFixSession session, String name, boolean ifAbsent) {
    String value = session.value(name);
    return value == null ? ifAbsent : value.equalsIgnoreCase("Y");
  }

  /** Loads the dictionaries of a session; null with UseDataDictionary=N. */
  @Nullable
  DataDictionaryProvider of(QuickFixSession session, String beginString) throws ConfigError {
    if (!flag(session, "UseDataDictionary", true)) {
      return null;
    }
    DefaultDataDictionaryProvider provider = new DefaultDataDictionaryProvider();
    String resource = beginString.replace(".", "") + ".xml";
    if (!beginString.startsWith("FIXT")) {
      DataDictionary dictionary = load(session.value("DataDictionary"), resource);
      provider.addTransportDictionary(beginString, dictionary);
      provider.addApplicationDictionary(MessageUtils.toApplVerID(beginString), dictionary);
      return provider;
    }
    provider.addTransportDictionary(beginString, load(session.value("TransportDataDictionary"), resource));
    String application = session.value("AppDataDictionary");
    if (application != null) {
      provider.addApplicationDictionary(new ApplVerID(session.settings().defaultApplVerId()), load(application, ""));
    }
    for (String version : new String[] {"FIX.4.0", "FIX.4.1", "FIX.4.2", "FIX.4.3", "FIX.4.4", "FIX.5.0",
        "FIX.5.0SP1", "FIX.5.0SP2"}) {
      String named = session.value("AppDataDictionary." + version);
      if (named != null) {
        provider.addApplicationDictionary(MessageUtils.toApplVerID(version), load(named, ""));
      }
    }
    return provider;
  }

  private DataDictionary load(@Nullable String named, String resource) throws ConfigError {
    String name = named == null ? resource : named;
    DataDictionary known = loaded.get(name);
    if (known == null) {
      known = new DataDictionary(name);
      loaded.put(name, known);
    }
    return known;
  }

  static ValidationSettings validation(QuickFixSession session) {
    ValidationSettings validation = new ValidationSettings();
    validation.setCheckFieldsOutOfOrder(flag(session, "ValidateFieldsOutOfOrder", true));
    validation.setCheckFieldsHaveValues(flag(session, "ValidateFieldsHaveValues", true));
    validation.setCheckUnorderedGroupFields(flag(session, "ValidateUnorderedGroupFields", true));
    validation.setCheckUserDefinedFields(flag(session, "ValidateUserDefinedFields", true));
    validation.setAllowUnknownMessageFields(flag(session, "AllowUnknownMsgFields", false));
    validation.setFirstFieldInGroupIsDelimiter(flag(session, "FirstFieldInGroupIsDelimiter", false));
    return validation;
  }
}
