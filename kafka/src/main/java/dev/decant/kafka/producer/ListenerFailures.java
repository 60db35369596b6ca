package dev.decant.kafka.producer;

/** Where exceptions of the user's listeners go: to the log, and nowhere else. */
final class ListenerFailures {
  private static final System.Logger LOG = System.getLogger(Producer.class.getName());

  private ListenerFailures() {}

  static void report(RuntimeException failure) {
    LOG.log(System.Logger.Level.ERROR, "a send listener threw; the record's outcome stands", failure);
  }
}
