package dev.decant.telemetry;

import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What Prometheus reads of a registry: the type of each metric, which has its unit in its name, and the names of its
 * labels.
 *
 * @param types by name, as in the lines that begin with {@code # TYPE}
 * @param labels by name; a metric may have several sets of them
 */
record Scrape(Map<String, String> types, Map<String, Set<Set<String>>> labels) {
  private static final Pattern TYPE = Pattern.compile("# TYPE (\\S+) (\\S+)");
  private static final Pattern SAMPLE = Pattern.compile("([a-zA-Z0-9_:]+)(?:\\{(.*)})? \\S+");
  private static final Pattern LABEL = Pattern.compile("([a-zA-Z0-9_]+)=\"(?:[^\"\\\\]|\\\\.)*\"");

  static Scrape of(String text) {
    Map<String, String> types = new TreeMap<>();
    Map<String, Set<Set<String>>> labels = new TreeMap<>();
    for (String line : text.lines().toList()) {
      Matcher type = TYPE.matcher(line);
      if (type.matches()) {
        types.put(type.group(1), type.group(2));
      }
      Matcher sample = SAMPLE.matcher(line);
      if (!line.startsWith("#") && sample.matches()) {
        String list = Objects.requireNonNullElse(sample.group(2), "");
        labels.computeIfAbsent(sample.group(1), name -> new HashSet<>())
            .add(LABEL.matcher(list).results().map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new)));
      }
    }
    return new Scrape(types, labels);
  }

  /** Names with a prefix. */
  Set<String> names(String prefix) {
    return types.keySet().stream().filter(name -> name.startsWith(prefix))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
