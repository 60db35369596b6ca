package dev.decant.fix.session;

/**
 * What code of the user has thrown at a session: the application, an authenticator, a listener. A session survives it,
 * whatever it is, but for a failure of the JVM itself. An Error such as NoClassDefFoundError, StackOverflowError or
 * OutOfMemoryError is that of one message, and must not end a connection: the message would come again at each logon.
 */
public final class UserFailure {
  private static final System.Logger LOG = System.getLogger(UserFailure.class.getName());

  private UserFailure() {}

  /**
   * Logs a failure with its trace. Throws it again if the JVM has failed, and the engine cannot be used any more.
   *
   * @param what has failed
   * @param failure what was thrown
   */
  public static void survive(String what, Throwable failure) {
    try {
      LOG.log(System.Logger.Level.ERROR, what, failure);
    } catch (Throwable e) {
      // The logger finds no memory, for example: that must not end the session either.
    }
    if (failure instanceof InternalError || failure instanceof UnknownError) {
      throw (Error) failure;
    }
  }

  /** A failure in a line of a log. */
  static String shown(Throwable failure) {
    String message = failure.getMessage();
    String name = failure.getClass().getName();
    return message == null ? name : name + ": " + SessionText.shown(message);
  }
}
