package dev.decant.fake.net;

/**
 * The logger of a class, created at its first line: the first logger of a JVM takes a tenth of a second, and most tests
 * log nothing. Any thread.
 */
final class ServerLog {
  private final Class<?> owner;

  ServerLog(Class<?> owner) {
    this.owner = owner;
  }

  void log(System.Logger.Level level, String message, Object... parameters) {
    logger().log(level, message, parameters);
  }

  void log(System.Logger.Level level, String message, Throwable cause) {
    logger().log(level, message, cause);
  }

  /** Logs in one line that there is no memory for something. */
  static void heapIsFull(String purpose) {
    new ServerLog(ClusterServer.class).log(System.Logger.Level.ERROR,
        "the Java heap of " + (Runtime.getRuntime().maxMemory() >> 20) + " MiB has no room for " + purpose
            + "; its connection is closed. A larger heap (-Xmx) or fewer records help");
  }

  private System.Logger logger() {
    return System.getLogger(owner.getName());
  }
}
