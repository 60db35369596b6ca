package dev.decant.fix;

import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import java.util.function.Function;
import java.util.regex.Pattern;

/** A pattern of identities, and the function that returns settings for a match. */
record SessionTemplate(SessionId pattern, Function<SessionId, SessionSettings> settings) {
  private static final String ANY = "*";
  private static final Pattern VERSION = Pattern.compile("FIX\\.4\\.[0-4]|FIXT\\.1\\.1");

  boolean matches(SessionId id) {
    return matchesVersion(id.beginString()) && matches(pattern.senderCompId(), id.senderCompId())
        && matches(pattern.senderSubId(), id.senderSubId())
        && matches(pattern.senderLocationId(), id.senderLocationId())
        && matches(pattern.targetCompId(), id.targetCompId()) && matches(pattern.targetSubId(), id.targetSubId())
        && matches(pattern.targetLocationId(), id.targetLocationId());
  }

  /** A stranger's Logon may have any text as BeginString, for which there are no settings. */
  private boolean matchesVersion(String beginString) {
    return pattern.beginString().equals(ANY)
        ? VERSION.matcher(beginString).matches()
        : pattern.beginString().equals(beginString);
  }

  private static boolean matches(String pattern, String text) {
    return pattern.equals(ANY) || pattern.equals(text);
  }
}
