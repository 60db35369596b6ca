package dev.decant.kafka.event;

/** Everything that goes wrong in a client comes through here, also what it will try again or repair by itself. */
public interface ErrorListener {
  /**
   * Something went wrong. Told by the thread on which it did, mostly the owner of the client's loop: return soon, do
   * not block.
   *
   * @param kind what
   * @param where broker, or topic and partition
   * @param cause why
   */
  default void onError(ErrorKind kind, String where, Throwable cause) {}
}
