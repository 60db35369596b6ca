package dev.decant.fix.session;

/**
 * Handles what user code throws at a session: an application, authenticator or listener. The session survives
 * everything except a failure of the JVM itself. A NoClassDefFoundError, StackOverflowError or OutOfMemoryError
 * concerns one message. If it ended the connection, that message would come again, and end it again, at each logon.
 */
public final class UserFailure {
  private static final System.Logger LOG = System.getLogger(UserFailure.class.getName());

  private UserFailure() {}

  /**
   * Logs a failure with its stack trace. If the JVM itself has failed, the engine cannot be used, so this throws it
   * again.
   *
   * @param what the call that failed
   * @param failure the exception or error
   */
  public static void survive(String what, Throwable failure) {
    try {
      LOG.log(System.Logger.Level.ERROR, what, failure);
    } catch (Throwable e) {
      // The logger has failed, too, for example without memory: that must not end the session.
    }
    if (failure instanceof InternalError || failure instanceof UnknownError) {
      throw (Error) failure;
    }
  }

  /** Returns a failure as text for a line of the log. */
  static String shown(Throwable failure) {
    String message = failure.getMessage();
    String name = failure.getClass().getName();
    return message == null ? name : name + ": " + SessionText.shown(message);
  }
}
