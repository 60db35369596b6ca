package dev.decant.fix.quickfix;

import dev.decant.fix.quickfix.settings.QuickFixSettings;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import quickfix.ConfigError;
import quickfix.SessionID;
import quickfix.SessionSettings;

/** Converts settings of QuickFIX/J, which the application has read or made, into the form of Decant's reader. */
final class SettingsConversion {
  private SettingsConversion() {}

  /** Returns the sessions of one type: initiator or acceptor. */
  static QuickFixSettings of(SessionSettings settings, String connectionType) throws ConfigError {
    List<Map<String, String>> sessions = new ArrayList<>();
    for (Iterator<SessionID> ids = settings.sectionIterator(); ids.hasNext();) {
      SessionID id = ids.next();
      Map<String, String> values = values(settings, id);
      if (!values.containsKey("ConnectionType")) {
        throw new ConfigError("Missing ConnectionType of session " + id);
      }
      if (connectionType.equals(values.get("ConnectionType"))) {
        sessions.add(values);
      }
    }
    if (sessions.isEmpty()) {
      throw new ConfigError("the settings have no session with ConnectionType=" + connectionType);
    }
    return QuickFixSettings.of(Map.of(), sessions);
  }

  private static Map<String, String> values(SessionSettings settings, SessionID id) throws ConfigError {
    Map<String, String> values = new TreeMap<>();
    Properties own = settings.getSessionProperties(id, true);
    for (String name : own.stringPropertyNames()) {
      values.put(name, settings.isSetting(id, name) ? settings.getString(id, name) : own.getProperty(name));
    }
    values.put("BeginString", id.getBeginString());
    values.put("SenderCompID", id.getSenderCompID());
    values.put("SenderSubID", id.getSenderSubID());
    values.put("SenderLocationID", id.getSenderLocationID());
    values.put("TargetCompID", id.getTargetCompID());
    values.put("TargetSubID", id.getTargetSubID());
    values.put("TargetLocationID", id.getTargetLocationID());
    values.put("SessionQualifier", id.getSessionQualifier());
    return values;
  }
}
