package dev.decant.fix.dictionary;

/** A dictionary cannot be loaded. The message is one line that names the file, the element, and the remedy. */
public final class DictionaryException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message file, line, element, what is wrong, what to do
   */
  public DictionaryException(String message) {
    super(message);
  }

  /**
   * Creates the exception for a file that cannot be read.
   *
   * @param message file, what is wrong, what to do
   * @param cause the error of the reader
   */
  public DictionaryException(String message, Throwable cause) {
    super(message, cause);
  }
}
