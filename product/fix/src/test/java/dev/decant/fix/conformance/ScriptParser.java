package dev.decant.fix.conformance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads scripts.
 *
 * <pre>
 *   # a comment
 *   &#64;title what the script shows
 *   &#64;versions 4.2 4.4 T1.1          covered; all unless said
 *   &#64;role initiator                 the session connects; otherwise it is connected to
 *   &#64;needs dictionary               beside the state machine
 *   &#64;set resendRequestChunk=5       a setting of the session
 *   &#64;define ORDER 35=D|11=A|60=NOW  a name for fields
 *
 *   connect
 *   > 35=A|34=1|98=0|108=30|[T1.1]1137=7
 *   &lt; 35=A|34=1|-141                -141: there is no such field
 *   > ORDER|34=2|11=B               a later field takes the place of an earlier one
 *   [4.4 T1.1] &lt; 35=j|45=2          for these versions only
 *   2: connect                      on a second connection
 *   +30s
 * </pre>
 *
 * <p>{@link Step.Verb} lists the words that a line begins with.
 */
final class ScriptParser {
  private static final Pattern CONDITION = Pattern.compile("\\[([^\\]]*)\\]\\s*(.*)");
  private static final Pattern CONNECTION = Pattern.compile("([1-9]):\\s*(.*)");
  private static final Pattern NAME = Pattern.compile("[A-Z][A-Z_]*");
  private static final Pattern FIELD = Pattern.compile("(-?\\d+)=(.*)");
  private static final Pattern ABSENT = Pattern.compile("-(\\d+)");
  private static final Pattern DURATION = Pattern.compile("(\\d+)(ms|s|m|h)");
  private static final Pattern SETTING = Pattern.compile("([a-zA-Z]+)=(.*)");

  private final String name;
  private final Map<String, String> definitions;
  private final Map<String, String> settings = new LinkedHashMap<>();
  private final Set<String> needs = new HashSet<>();
  private final Set<Version> versions = EnumSet.noneOf(Version.class);
  private final Map<Version, List<Step>> steps = new EnumMap<>(Version.class);
  private String title = "";
  private boolean initiator;
  private int line;

  private ScriptParser(String name, Map<String, String> definitions) {
    this.name = name;
    this.definitions = new HashMap<>(definitions);
  }

  /** Reads a script, which may use these definitions. */
  static Script parse(String name, String text, Map<String, String> definitions) {
    return new ScriptParser(name, definitions).parse(text);
  }

  /** Reads a file that has nothing but definitions. */
  static Map<String, String> definitions(String name, String text) {
    ScriptParser parser = new ScriptParser(name, Map.of());
    for (String rawLine : text.lines().toList()) {
      parser.line++;
      String words = rawLine.strip();
      if (words.startsWith("@define ")) {
        parser.define(words.substring(words.indexOf(' ')).strip());
      } else if (!isComment(words)) {
        throw parser.wrong("only @define is expected here, not '" + words + "'");
      }
    }
    return Map.copyOf(parser.definitions);
  }

  private Script parse(String text) {
    for (String rawLine : text.lines().toList()) {
      line++;
      String words = rawLine.strip();
      if (words.startsWith("@")) {
        directive(words);
      } else if (!isComment(words)) {
        beginSteps();
        step(words, versions);
      }
    }
    if (title.isEmpty()) {
      throw wrong("the script has no @title");
    }
    if (steps.isEmpty()) {
      throw wrong("the script has no steps");
    }
    return new Script(name, title, initiator, needs, settings, steps);
  }

  private static boolean isComment(String words) {
    return words.isEmpty() || words.startsWith("#");
  }

  private void beginSteps() {
    if (versions.isEmpty()) {
      versions.addAll(EnumSet.allOf(Version.class));
    }
    for (Version version : versions) {
      steps.computeIfAbsent(version, v -> new ArrayList<>());
    }
  }

  private void directive(String words) {
    int space = words.indexOf(' ');
    String rest = space < 0 ? "" : words.substring(space).strip();
    if (rest.isEmpty()) {
      throw wrong("'" + words + "' says nothing");
    }
    switch (words.substring(0, space)) {
      case "@title" -> title = rest;
      case "@versions" -> {
        if (!steps.isEmpty()) {
          throw wrong("@versions comes before the first step");
        }
        versions.addAll(versions(rest));
      }
      case "@role" -> initiator = role(rest);
      case "@needs" -> needs.addAll(List.of(rest.split("\\s+", -1)));
      case "@set" -> {
        Matcher setting = matched(SETTING, rest, "a setting is name=value, not '" + rest + "'");
        settings.put(setting.group(1), setting.group(2));
      }
      case "@define" -> define(rest);
      default -> throw wrong("unknown directive '" + words.substring(0, space) + "'");
    }
  }

  private boolean role(String word) {
    return switch (word) {
      case "initiator" -> true;
      case "acceptor" -> false;
      default -> throw wrong("a role is initiator or acceptor, not '" + word + "'");
    };
  }

  private void define(String rest) {
    int space = rest.indexOf(' ');
    String word = space < 0 ? rest : rest.substring(0, space);
    if (!NAME.matcher(word).matches() || space < 0) {
      throw wrong("a definition is a name in capital letters and fields, not '" + rest + "'");
    }
    definitions.put(word, rest.substring(space).strip());
  }

  private Set<Version> versions(String words) {
    Set<Version> named = EnumSet.noneOf(Version.class);
    for (String word : words.strip().split("\\s+", -1)) {
      try {
        named.add(Version.of(word));
      } catch (IllegalArgumentException e) {
        throw wrong(String.valueOf(e.getMessage()));
      }
    }
    return named;
  }

  private void step(String words, Set<Version> covered) {
    Matcher condition = CONDITION.matcher(words);
    if (condition.matches()) {
      Set<Version> some = versions(condition.group(1));
      some.retainAll(covered);
      step(condition.group(2), some);
      return;
    }
    Matcher label = CONNECTION.matcher(words);
    int connection = label.matches() ? Integer.parseInt(label.group(1)) : 1;
    String rest = label.matches() ? label.group(2) : words;
    for (Version version : covered) {
      steps.computeIfAbsent(version, v -> new ArrayList<>()).add(step(connection, rest, version));
    }
    if (covered.isEmpty()) {
      step(connection, rest, Version.FIX44); // for the errors in it
    }
  }

  private Step step(int connection, String words, Version version) {
    if (words.startsWith("+")) {
      return new Step(line, connection, Step.Verb.ADVANCE, List.of(), "", duration(words.substring(1).strip()));
    }
    int space = words.indexOf(' ');
    String word = space < 0 ? words : words.substring(0, space);
    String rest = space < 0 ? "" : words.substring(space).strip();
    Step.Verb verb = verb(word);
    if (verb.hasFields() && rest.isEmpty()) {
      throw wrong("'" + word + "' wants fields");
    }
    if (!verb.hasFields() && !verb.hasText() && !rest.isEmpty()) {
      throw wrong("'" + word + "' stands alone, without '" + rest + "'");
    }
    List<Field> fields = verb.hasFields() ? fields(rest, version, 0) : List.of();
    return new Step(line, connection, verb, fields, verb.hasText() ? rest : "", Duration.ZERO);
  }

  private Step.Verb verb(String word) {
    for (Step.Verb verb : Step.Verb.values()) {
      if (verb.word.equals(word)) {
        return verb;
      }
    }
    throw wrong("unknown word '" + word + "'");
  }

  private Duration duration(String words) {
    Matcher duration = matched(DURATION, words, "a duration is a number with ms, s, m or h, not '" + words + "'");
    long count = Long.parseLong(duration.group(1));
    return switch (duration.group(2)) {
      case "ms" -> Duration.ofMillis(count);
      case "s" -> Duration.ofSeconds(count);
      case "m" -> Duration.ofMinutes(count);
      default -> Duration.ofHours(count);
    };
  }

  /** Fields of a version. A field after a definition takes the place of one in the definition. */
  private List<Field> fields(String words, Version version, int depth) {
    if (depth > 5) {
      throw wrong("definitions go around in circles");
    }
    List<Field> fields = new ArrayList<>();
    int defined = 0;
    for (String token : words.split("\\|", -1)) {
      String word = unconditional(token, version);
      if (word == null || word.isEmpty()) {
        continue;
      }
      String definition = definitions.get(word);
      if (definition != null) {
        fields.addAll(fields(definition, version, depth + 1));
        defined = fields.size();
      } else {
        Field field = field(word);
        if (!replace(fields, defined, field)) {
          fields.add(field);
        }
      }
    }
    return fields;
  }

  private static boolean replace(List<Field> fields, int defined, Field field) {
    for (int i = 0; i < defined; i++) {
      if (fields.get(i).tag() == field.tag()) {
        fields.set(i, field);
        return true;
      }
    }
    return false;
  }

  private @Nullable String unconditional(String token, Version version) {
    Matcher condition = CONDITION.matcher(token);
    if (!condition.matches()) {
      return token;
    }
    return versions(condition.group(1)).contains(version) ? condition.group(2) : null;
  }

  private Field field(String word) {
    Matcher absent = ABSENT.matcher(word);
    if (absent.matches()) {
      return new Field(Integer.parseInt(absent.group(1)), "", true);
    }
    Matcher field = matched(FIELD, word, "'" + word + "' is neither tag=value nor -tag nor a defined name");
    return new Field(Integer.parseInt(field.group(1)), field.group(2), false);
  }

  private Matcher matched(Pattern pattern, String words, String problem) {
    Matcher matcher = pattern.matcher(words);
    if (!matcher.matches()) {
      throw wrong(problem);
    }
    return matcher;
  }

  private ScriptException wrong(String problem) {
    return new ScriptException(name, line, problem);
  }
}
