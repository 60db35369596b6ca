package dev.decant.lab;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** Runs the command line and keeps its output. */
final class CommandLines {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  int run(String... arguments) {
    CommandLine command = Decant.commandLine();
    command.setOut(new PrintWriter(out, true));
    command.setErr(new PrintWriter(err, true));
    return command.execute(arguments);
  }

  String out() {
    return out.toString();
  }

  String err() {
    return err.toString();
  }
}
