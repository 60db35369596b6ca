package dev.decant.lab.scenario;

import dev.decant.lab.stress.Sample;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a scenario: lines {@code key = value}, {@code key @ client = value} for one client only, and comments that
 * begin with {@code #}. The key {@code bar} may be repeated.
 */
final class ScenarioFile {
  private static final Pattern LINE = Pattern.compile("([^\\s=@]+)(?:\\s*@\\s*([^\\s=@]+))?\\s*=\\s*(.*)");
  private static final Set<String> KEYS = Set.of("title", "clients", "work", "topics", "partitions", "record.size",
      "payload",
      "threads", "threads.quick", "thread.kind", "turns", "turns.quick", "rate", "records", "records.quick", "seconds",
      "seconds.quick", "warm-up",
      "warm-up.quick", "warm-up.seconds", "warm-up.seconds.quick", "topic.records", "topic.records.quick",
      "transaction.records", "feed.rate", "wait.poll.ms",
      "security.protocol", "version", "java", "jvm", "brokers", "keys", "keys.hot.percent", "order", "handler.ms",
      "handler.fail.percent", "handler.pause.ms");
  private static final Set<String> OF_ALL = Set.of("title", "clients", "bar", "partitions", "record.size", "payload",
      "brokers", "turns", "turns.quick");

  private final String source;
  private final Map<String, Map<String, String>> values = new HashMap<>();
  private final Map<String, Map<String, Integer>> lines = new HashMap<>();
  private final List<Bar<Sample>> bars = new ArrayList<>();
  private final Map<String, Integer> barLines = new HashMap<>();
  private int line;

  private ScenarioFile(String source) {
    this.source = source;
  }

  /**
   * Reads a scenario.
   *
   * @param name name of the scenario
   * @param source name of the file in errors
   * @param text content of the file
   * @return the scenario
   * @throws ScenarioException if the text is no scenario
   */
  static Scenario parse(String name, String source, String text) {
    return new ScenarioFile(source).read(name, text);
  }

  private Scenario read(String name, String text) {
    for (String each : text.split("\n", -1)) {
      line++;
      String content = each.strip();
      if (!content.isEmpty() && !content.startsWith("#")) {
        readLine(content);
      }
    }
    Map<String, String> common = values.getOrDefault("", Map.of());
    String title = required(common, "title");
    List<String> clients = List.of(required(common, "clients").split("\\s*,\\s*", -1));
    if (new HashSet<>(clients).size() < clients.size()) {
      throw refuse(lineOf("clients"), "clients: one is named twice; give them names such as decant-1 and decant-2");
    }
    lines.forEach((named, own) -> {
      if (!named.isEmpty() && !clients.contains(named)) {
        throw refuse(own.values().iterator().next(), "there is no client " + named + "; there are "
            + String.join(", ", clients));
      }
    });
    for (Bar<Sample> bar : bars) {
      try {
        bar.check(clients);
      } catch (IllegalArgumentException e) {
        throw refuse(barLines.getOrDefault(bar.text(), 0), "bar: " + e.getMessage());
      }
    }
    List<Contender> contenders = clients.stream().map(this::contender).toList();
    contenders.forEach(Contender::check);
    return new Scenario(name, title, text, contenders.getFirst().brokers(), contenders, List.copyOf(bars));
  }

  private void readLine(String content) {
    Matcher matcher = LINE.matcher(content);
    if (!matcher.matches()) {
      throw refuse(line, "\"" + content + "\" is no setting; write KEY = VALUE");
    }
    String key = matcher.group(1);
    String client = matcher.group(2) == null ? "" : matcher.group(2);
    String value = matcher.group(3).strip();
    if (!client.isEmpty() && OF_ALL.contains(key)) {
      throw refuse(line, key + " is the same for all clients; leave out @ " + client);
    }
    if (value.isEmpty() && !key.equals("jvm")) {
      throw refuse(line, key + " has no value");
    }
    if (key.equals("bar")) {
      readBar(value);
      return;
    }
    if (!KEYS.contains(key) && !key.startsWith("producer.") && !key.startsWith("consumer.")) {
      throw refuse(line, "there is no key " + key + "; there are bar, producer.*, consumer.*, "
          + String.join(", ", new TreeSet<>(KEYS)));
    }
    if (values.computeIfAbsent(client, absent -> new HashMap<>()).putIfAbsent(key, value) != null) {
      throw refuse(line, key + " is set twice");
    }
    lines.computeIfAbsent(client, absent -> new HashMap<>()).put(key, line);
  }

  private void readBar(String value) {
    try {
      bars.add(Bar.parse(value));
      barLines.put(value, line);
    } catch (IllegalArgumentException e) {
      throw refuse(line, "bar: " + e.getMessage());
    }
  }

  private Contender contender(String label) {
    Map<String, String> own = new HashMap<>(values.getOrDefault("", Map.of()));
    Map<String, Integer> ownLines = new HashMap<>(lines.getOrDefault("", Map.of()));
    own.putAll(values.getOrDefault(label, Map.of()));
    ownLines.putAll(lines.getOrDefault(label, Map.of()));
    return new Contender(label, new Settings(source, own, ownLines));
  }

  private String required(Map<String, String> common, String key) {
    String value = common.get(key);
    if (value == null) {
      throw new ScenarioException(source + ": there is no line " + key + " = ...");
    }
    return value;
  }

  private int lineOf(String key) {
    return lines.getOrDefault("", Map.of()).getOrDefault(key, 0);
  }

  private ScenarioException refuse(int where, String why) {
    return new ScenarioException(source + ", line " + where + ": " + why);
  }
}
