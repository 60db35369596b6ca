package dev.decant.lab.doctor;

/** A JVM that could not be examined. The message says why, in one line. */
public final class DoctorException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean wrongInput;

  private DoctorException(String message, boolean wrongInput) {
    super(message);
    this.wrongInput = wrongInput;
  }

  static DoctorException wrongInput(String message) {
    return new DoctorException(message, true);
  }

  static DoctorException failed(String message) {
    return new DoctorException(message, false);
  }

  /**
   * Returns true if the user can help.
   *
   * @return true if other flags or another process may succeed
   */
  public boolean isWrongInput() {
    return wrongInput;
  }
}
