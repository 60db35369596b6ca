package dev.decant.lab;

import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Checks of a user's arguments. */
final class Usage {
  private static final Pattern ADDRESS = Pattern.compile("(?:[\\w.-]+|\\[[0-9a-fA-F:.]+]):(\\d{1,5})");
  private static final Pattern TOPIC = Pattern.compile("[a-zA-Z0-9._-]{1,249}");
  private static final int LARGEST_PORT = 65_535;

  private Usage() {}

  /** Returns true if each part of a list with commas is HOST:PORT. */
  static boolean areAddresses(String list) {
    return Stream.of(list.split(",", -1)).map(ADDRESS::matcher).allMatch(matcher -> {
      int port = matcher.matches() ? Integer.parseInt(matcher.group(1)) : 0;
      return port >= 1 && port <= LARGEST_PORT;
    });
  }

  /** Returns true if brokers take the name for a topic. */
  static boolean isTopic(String name) {
    return TOPIC.matcher(name).matches() && !name.equals(".") && !name.equals("..");
  }

  /** Rejects wrong usage with one line. */
  static void require(CommandSpec spec, boolean holds, String message) {
    if (!holds) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }
}
