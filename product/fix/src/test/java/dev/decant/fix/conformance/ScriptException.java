package dev.decant.fix.conformance;

/** Reports a script that cannot be parsed; the message names the script and the line. */
final class ScriptException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  ScriptException(String script, int line, String problem) {
    super(script + ", line " + line + ": " + problem);
  }
}
