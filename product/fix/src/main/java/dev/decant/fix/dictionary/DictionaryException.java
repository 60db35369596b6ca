package dev.decant.fix.dictionary;

import java.util.List;

/**
 * Reports a dictionary that cannot be loaded. The message names the file and each mistake with its line, its element
 * and the remedy. It has a line for each mistake, up to 100.
 */
public final class DictionaryException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Immutable; an array, because a List may not be serializable. */
  private final String[] problems;

  /**
   * Creates the exception.
   *
   * @param message file, line, element, the mistake and the remedy
   */
  public DictionaryException(String message) {
    super(message);
    problems = new String[] {message};
  }

  /**
   * Creates the exception for a file that cannot be read.
   *
   * @param message file, the mistake and the remedy
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
   * Returns all mistakes of the file.
   *
   * @return a line for each mistake, at least one
   */
  public List<String> problems() {
    return List.of(problems);
  }
}
