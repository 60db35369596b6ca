package dev.decant.testkit;

/** Signals that a child JVM has responded with a failure. */
final class RefusedException extends ClusterException {
  private static final long serialVersionUID = 1;

  private final String cause;

  RefusedException(String message, String cause) {
    super(message);
    this.cause = cause;
  }

  /** Returns the failure in the child: the name of an exception's class, a colon and its message. */
  String refusal() {
    return cause;
  }
}
