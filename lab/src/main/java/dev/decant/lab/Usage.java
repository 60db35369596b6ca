package dev.decant.lab;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Checks of what a user has asked for. */
final class Usage {
  private Usage() {}

  /** Refuses wrong usage with one line. */
  static void require(CommandSpec spec, boolean holds, String message) {
    if (!holds) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }
}
