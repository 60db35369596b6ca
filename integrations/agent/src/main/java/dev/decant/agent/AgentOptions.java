package dev.decant.agent;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The options of the agent.
 *
 * @param classes the classes to read
 * @param prefixes the packages of relocated copies of kafka-clients
 * @param jars directories and jars with Decant's classes; empty for the folder {@code lib} beside the agent
 * @param detail what is logged
 * @param report a file for the summary at the end of the process, or null
 */
record AgentOptions(ClassFilter classes, List<String> prefixes, List<Path> jars, Detail detail,
    @Nullable Path report) {

  private static final String PREFIX = "decant.agent.";
  private static final List<String> NAMES = List.of("exclude", "include", "lib", "log", "prefix", "report");
  private static final String KNOWN = "the options are exclude, include, lib, log, prefix and report";

  private static final Pattern PACKAGE = Pattern
      .compile("\\p{javaJavaIdentifierStart}\\p{javaJavaIdentifierPart}*"
          + "([.]\\p{javaJavaIdentifierStart}\\p{javaJavaIdentifierPart}*)*");

  /** The classes that are logged. */
  enum Detail {
    /** None. */
    OFF,
    /** The first switched class of each kind, and each class that keeps Apache's clients. */
    FIRST,
    /** Every class. */
    ALL
  }

  /**
   * Reads the options. System properties {@code decant.agent.NAME} take precedence.
   *
   * @param argument of {@code -javaagent}, {@code name=value} with commas in between, or null
   * @param properties of the system
   * @throws IllegalArgumentException if one is wrong; the message is one line and says what to do
   */
  static AgentOptions read(@Nullable String argument, Properties properties) {
    Map<String, String> values = new TreeMap<>();
    if (argument != null && !argument.isBlank()) {
      for (String option : argument.split(",", -1)) {
        int equals = option.indexOf('=');
        if (equals < 0) {
          throw new IllegalArgumentException("\"" + option + "\" has no value; write NAME=VALUE, and ; within a list");
        }
        put(values, option.substring(0, equals).strip(), "option ", option.substring(equals + 1).strip());
      }
    }
    for (String name : properties.stringPropertyNames()) {
      if (name.startsWith(PREFIX)) {
        put(values, name.substring(PREFIX.length()), PREFIX, properties.getProperty(name).strip());
      }
    }
    String include = values.getOrDefault("include", "*");
    String exclude = values.get("exclude");
    String report = values.get("report");
    List<String> prefixes = prefixes(values.get("prefix"));
    return new AgentOptions(
        new ClassFilter(NamePatterns.parse("include", include),
            exclude == null ? new NamePatterns(List.of()) : NamePatterns.parse("exclude", exclude),
            new ApacheClasses(prefixes).prefixes()),
        prefixes, jars(values.get("lib")), detail(values.getOrDefault("log", "first")),
        report == null ? null : path("report", report));
  }

  private static void put(Map<String, String> values, String name, String prefix, String value) {
    if (!NAMES.contains(name)) {
      throw new IllegalArgumentException(prefix + name + " is unknown; " + KNOWN);
    }
    if (value.isEmpty()) {
      throw new IllegalArgumentException(prefix + name + " is empty; give it a value or leave it out");
    }
    values.put(name, value);
  }

  private static Detail detail(String value) {
    for (Detail detail : Detail.values()) {
      if (detail.name().toLowerCase(Locale.ROOT).equals(value)) {
        return detail;
      }
    }
    throw new IllegalArgumentException("log: \"" + value + "\" is unknown; write off, first or all");
  }

  private static List<String> prefixes(@Nullable String value) {
    List<String> prefixes = new ArrayList<>();
    if (value != null) {
      for (String part : value.split("[;,]", -1)) {
        String prefix = part.strip();
        if (!PACKAGE.matcher(prefix).matches()) {
          throw new IllegalArgumentException("prefix: \"" + prefix
              + "\" is no package; name the one in the place of org.apache.kafka, such as com.acme.shaded.kafka");
        }
        prefixes.add(prefix);
      }
    }
    return prefixes;
  }

  private static List<Path> jars(@Nullable String value) {
    List<Path> jars = new ArrayList<>();
    if (value != null) {
      for (String part : value.split(";", -1)) {
        if (part.isBlank()) {
          throw new IllegalArgumentException(
              "lib: \"" + value + "\" has an empty part; name a directory or a jar between ;");
        }
        Path path = path("lib", part.strip());
        if (!Files.exists(path)) {
          throw new IllegalArgumentException(
              "lib: " + path + " does not exist; name a directory with Decant's jars, or the jars with ; in between");
        }
        jars.add(path);
      }
    }
    return jars;
  }

  private static Path path(String option, String value) {
    try {
      return Path.of(value);
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException(option + ": \"" + value + "\" is no path: " + e.getReason(), e);
    }
  }
}
