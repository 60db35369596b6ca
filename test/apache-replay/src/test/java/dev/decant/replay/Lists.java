package dev.decant.replay;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/** The lists of this module: lines with tabs; lines that begin with # are comments. */
final class Lists {
  /** Stands for all methods of a class. */
  private static final String ALL = "*";

  private Lists() {}

  /** All methods of Apache's that the long replay runs, each with its area. */
  static Map<TestMethod, String> methods() {
    Map<TestMethod, String> methods = new LinkedHashMap<>();
    read("methods.tsv", 3).forEach(fields -> methods.put(new TestMethod(fields[1], fields[2]), fields[0]));
    return methods;
  }

  /** Those that {@code -Pfull} runs. */
  static List<TestMethod> quick() {
    return read("quick.tsv", 2).stream().map(fields -> new TestMethod(fields[0], fields[1])).toList();
  }

  /** Methods that differ because Decant chose so, each with the reason. */
  static Map<TestMethod, String> exceptions() {
    return reasons("exceptions.tsv");
  }

  /** Methods that fail with Decant's clients on fake clusters alone, each with the reason. */
  static Map<TestMethod, String> failuresOfDecantOnFake() {
    return reasons("fake-decant.tsv");
  }

  private static Map<TestMethod, String> reasons(String name) {
    Map<TestMethod, String> reasons = new LinkedHashMap<>();
    read(name, 3).forEach(fields -> reasons.put(new TestMethod(fields[0], fields[1]), fields[2]));
    return reasons;
  }

  /** Methods that fail on fake clusters, each with the reason. */
  static Map<TestMethod, String> failuresOnFake() {
    Map<TestMethod, String> failures = new LinkedHashMap<>();
    read("fake.tsv", 3).stream().filter(fields -> !fields[1].equals(ALL))
        .forEach(fields -> failures.put(new TestMethod(fields[0], fields[1]), fields[2]));
    return failures;
  }

  /** Classes whose tests cannot begin on fake clusters, each with the reason. */
  static Map<String, String> notOnFake() {
    Map<String, String> classes = new LinkedHashMap<>();
    read("fake.tsv", 3).stream().filter(fields -> fields[1].equals(ALL))
        .forEach(fields -> classes.put(fields[0], fields[2]));
    return classes;
  }

  /** How Apache's client did, by {@link Row#key()}; not for every method. */
  static Map<String, Row.Outcome> baseline() {
    Map<String, Row.Outcome> baseline = new HashMap<>();
    read("baseline.tsv", 6).forEach(fields -> {
      Row row = Row.parse(String.join("\t", fields));
      baseline.put(row.key(), row.outcome());
    });
    return baseline;
  }

  private static List<String[]> read(String name, int fields) {
    Function<String, String[]> split = line -> {
      String[] parts = line.split("\t", -1);
      if (parts.length != fields) {
        throw new IllegalArgumentException(name + ": " + parts.length + " fields instead of " + fields + ": " + line);
      }
      return parts;
    };
    try (InputStream in = Objects.requireNonNull(Lists.class.getResourceAsStream(name), name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#")).map(split).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
