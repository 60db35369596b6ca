package dev.decant.fix.quickfix.settings;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The text of a settings file: sections of lines {@code Name=value}. All of it is read, whatever it contains. Each line
 * without a meaning becomes a note.
 *
 * <pre>
 *   # a comment
 *   [default]            settings of all sessions, of the sections above too
 *   FileStorePath=${store}/fix
 *   [session]            one session, which inherits them
 *   TargetCompID=VENUE
 * </pre>
 *
 * @param defaults settings of all sessions
 * @param sessions the own settings of each section {@code [session]}, by the line at which it begins
 * @param notes lines that are ignored
 */
record SettingsText(Map<String, String> defaults, Map<Integer, Map<String, String>> sessions, List<String> notes) {

  /** The longest text of the file that a note repeats, in characters. */
  private static final int MAX_SHOWN = 80;
  private static final Pattern VARIABLE = Pattern.compile("\\$\\{(.+?)}");

  /**
   * Parses a text.
   *
   * @param text the content of the file
   * @param variables returns the value of {@code ${name}}; null to leave it unchanged
   */
  static SettingsText parse(String text, Function<String, @Nullable String> variables) {
    Map<String, String> defaults = new LinkedHashMap<>();
    Map<Integer, Map<String, String>> sessions = new LinkedHashMap<>();
    List<String> notes = new ArrayList<>();
    Map<String, String> section = null;
    boolean isKnown = true;
    int number = 0;
    for (String raw : (text.startsWith("\uFEFF") ? text.substring(1) : text).split("\r\n|\r|\n", -1)) {
      number++;
      String line = raw.strip();
      int equals = line.indexOf('=');
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      if (line.startsWith("[")) {
        String name = line.replaceAll("[\\[\\]]", "").strip().toLowerCase(Locale.ROOT);
        section = switch (name) {
          case "default" -> defaults;
          case "session" -> sessions.computeIfAbsent(number, first -> new LinkedHashMap<>());
          default -> null;
        };
        isKnown = section != null;
        if (!isKnown) {
          notes.add("line " + number + ": the section " + shown(line) + " is passed over");
        }
      } else if (equals <= 0) {
        notes.add("line " + number + ": " + shown(line) + " is no setting, it is passed over");
      } else if (section != null) {
        section.put(line.substring(0, equals).strip(), replaced(line.substring(equals + 1).strip(), variables));
      } else if (isKnown) {
        notes.add("line " + number + ": " + shown(line.substring(0, equals)) + " is in no section, it is passed over");
      }
    }
    return new SettingsText(defaults, sessions, notes);
  }

  private static String replaced(String value, Function<String, @Nullable String> variables) {
    return value.indexOf('$') < 0 ? value : VARIABLE.matcher(value).replaceAll(match -> {
      boolean isEscaped = match.start() > 0 && value.charAt(match.start() - 1) == '\\';
      String found = isEscaped ? null : variables.apply(match.group(1));
      return Matcher.quoteReplacement(found == null ? text(match) : found);
    });
  }

  private static String text(MatchResult match) {
    return match.group();
  }

  static String shown(String text) {
    String cut = text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "...";
    return cut.replaceAll("[^\\x20-\\x7E]", "?");
  }
}
