package dev.decant.lab.compare;

import dev.decant.lab.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One side of a comparison: a client, perhaps a version of it, and settings.
 *
 * @param text the side as it was written
 * @param client {@code decant}, {@code decant-apache}, {@code agent} or {@code kafka-clients}
 * @param version version of the client; empty for the lab's own
 * @param settings settings by the keys of a scenario
 */
public record Side(String text, String client, String version, Map<String, String> settings) {

  private static final Pattern FORM = Pattern
      .compile(
          "(decant-apache|decant|agent|kafka-clients)(?::([0-9][\\w.-]*))?"
              + "((?:,[a-z][a-z.-]*=[^,]*(?:,(?![a-z][a-z.-]*=)[^,]*)*)*)");
  private static final Pattern BEFORE_KEY = Pattern.compile(",(?=[a-z][a-z.-]*=)");

  /**
   * Reads a side.
   *
   * @param text for example {@code kafka-clients:4.1.0,producer.linger.ms=5,jvm=-XX:+UseZGC -Xmx256m}
   * @return the side
   * @throws IllegalArgumentException if the text is no side; the message says why
   */
  public static Side parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("\"" + text + "\" is nothing to compare; write decant, decant-apache, agent"
          + " or kafka-clients, for another release decant:VERSION or kafka-clients:VERSION, and then settings of a"
          + " scenario, each as ,KEY=VALUE");
    }
    String version = matcher.group(2) == null ? "" : matcher.group(2);
    Map<String, String> settings = new TreeMap<>();
    String list = matcher.group(3);
    for (String setting : list.isEmpty() ? List.<String>of() : List.of(BEFORE_KEY.split(list.substring(1)))) {
      int equals = setting.indexOf('=');
      if (settings.put(setting.substring(0, equals), setting.substring(equals + 1)) != null) {
        throw new IllegalArgumentException("\"" + text + "\" sets " + setting.substring(0, equals) + " twice");
      }
    }
    return new Side(text, matcher.group(1), version, settings);
  }

  /**
   * Returns a scenario in which two sides do the work of another scenario.
   *
   * @param base scenario of the work
   * @param a the first side
   * @param b the second side, the control
   * @return the text of the scenario's file
   */
  public static String scenario(Scenario base, Side a, Side b) {
    List<String> lines = new ArrayList<>();
    lines.add("title = " + base.title() + ": " + a.text + " beside " + b.text);
    lines.add("clients = " + a.label("a") + ", " + b.label("b"));
    lines.add(base.commonLines().strip());
    a.addLines("a", lines);
    b.addLines("b", lines);
    return String.join("\n", lines) + "\n";
  }

  /**
   * Returns the name in the scenario.
   *
   * @param side {@code a} or {@code b}
   * @return begins with the client's name
   */
  public String label(String side) {
    return client + "-" + side;
  }

  private void addLines(String side, List<String> lines) {
    if (!version.isEmpty()) {
      lines.add("version @ " + label(side) + " = " + version);
    }
    settings.forEach((key, value) -> lines.add(key + " @ " + label(side) + " = " + value));
  }
}
