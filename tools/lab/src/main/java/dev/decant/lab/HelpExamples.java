package dev.decant.lab;

import java.util.List;
import java.util.Map;

/** The commands to copy at the end of {@code --help}, the shortest useful one first. */
final class HelpExamples {
  /** The script in a checkout; the one jar names itself in its place by {@code -Ddecant.command}. */
  private static final String SCRIPT = "./decant";
  private static final Map<String, List<String>> EXAMPLES = Map.ofEntries(
      Map.entry("decant", List.of("./decant stress --quick")),
      Map.entry("decant stress", List.of("./decant stress --quick",
          "./decant stress --scenario produce-100 --assert")),
      Map.entry("decant compare", List.of("./decant compare decant kafka-clients --quick",
          "./decant compare decant,producer.linger.ms=5 decant")),
      Map.entry("decant alloc", List.of("./decant alloc --quick")),
      Map.entry("decant wait", List.of("./decant wait --quick")),
      Map.entry("decant poll", List.of("./decant poll --quick")),
      Map.entry("decant gc", List.of("./decant gc --quick")),
      Map.entry("decant capacity", List.of("./decant capacity")),
      Map.entry("decant list", List.of("./decant list", "./decant list produce-100")),
      Map.entry("decant report", List.of("./decant report before/result.json after/result.json")),
      Map.entry("decant broker", List.of("./decant broker --port 9092 --topic orders=6")),
      Map.entry("decant fake", List.of("./decant fake --port 9092 --topic orders=6",
          "./decant fake --fault 'Produce nth=2 answer=NOT_LEADER_OR_FOLLOWER'")),
      Map.entry("decant redrive", List.of("./decant redrive --broker localhost:9092 --topic orders-dead")),
      Map.entry("decant carriers", List.of("./decant carriers --quick")),
      Map.entry("decant doctor", List.of("./decant doctor", "./decant doctor -- -XX:+UseZGC -Xmx2g")),
      Map.entry("decant fix", List.of("./decant fix --quick")),
      Map.entry("decant fix acceptor", List.of("./decant fix acceptor --port 9880")),
      Map.entry("decant fix many", List.of("./decant fix many --sessions 500")),
      Map.entry("decant fix log", List.of("./decant fix log logs --session 'FIX.4.4:BUYER->VENUE'")),
      Map.entry("decant fix sessions", List.of("./decant fix sessions --control engine.sock",
          "./decant fix sessions --control engine.sock reset 'FIX.4.4:BUYER->VENUE'")),
      Map.entry("decant fix store", List.of("./decant fix store store/FIX.4.4-BUYER-VENUE check")),
      Map.entry("decant fix import", List.of("./decant fix import quickfix.cfg --store store")),
      Map.entry("decant fix export", List.of("./decant fix export quickfix.cfg --store store")));

  private HelpExamples() {}

  /** Returns the examples of a command, each a line for a shell in the folder of the program. */
  static List<String> of(String qualifiedName) {
    String program = System.getProperty("decant.command", SCRIPT);
    return EXAMPLES.getOrDefault(qualifiedName, List.of()).stream()
        .map(line -> program + line.substring(SCRIPT.length())).toList();
  }
}
