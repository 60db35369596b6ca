package dev.decant.fix.dictionary;

import java.util.List;

/**
 * A dictionary cannot be loaded. The message names the file and each mistake with its line, its element and the remedy:
 * on one line if there is one mistake, and otherwise on a line for each, up to 100.
 */
public final class DictionaryException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Immutable; not a List for serialization. */
  private final String[] problems;

  /**
   * Creates the exception.
   *
   * @param message file, line, element, what is wrong, what to do
   */
  public DictionaryException(String message) {
    super(message);
    problems = new String[] {message};
  }

  /**
   * Creates the exception for a file that cannot be read.
   *
   * @param message file, what is wrong, what to do
   * @param cause the error of the reader
   */
  public DictionaryException(String message, Throwable cause) {
    super(message, cause);
    problems = new String[] {message};
  }

  DictionaryException(String message, List<String> problems) {
    super(message);
    this.problems = problems.toArray(String[]::new);
  }

  /**
   * All that is wrong with the file.
   *
   * @return a line for each mistake, at least one
   */
  public List<String> problems() {
    return List.of(problems);
  }
}
