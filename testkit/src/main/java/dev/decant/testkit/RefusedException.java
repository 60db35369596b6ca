package dev.decant.testkit;

/** A child JVM has answered that it could not do what it was asked for. */
final class RefusedException extends ClusterException {
  private static final long serialVersionUID = 1;

  private final String cause;

  RefusedException(String message, String cause) {
    super(message);
    this.cause = cause;
  }

  /** What the child was told itself: the name of an exception's class, a colon and its message. */
  String refusal() {
    return cause;
  }
}
