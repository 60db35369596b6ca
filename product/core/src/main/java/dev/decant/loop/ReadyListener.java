package dev.decant.loop;

/** Serves a channel that an {@link EventLoop} watches. Called only by the owner of the loop; must not block. */
@FunctionalInterface
public interface ReadyListener {
  /**
   * Does the work that the channel is ready for. A loop that spins also calls this with {@code OP_READ} when no bytes
   * may have arrived.
   *
   * @param operations of {@link java.nio.channels.SelectionKey}, OR-ed
   * @return how much was done, in any unit; 0 if there was nothing to do
   */
  int onReady(int operations);

  /**
   * Reports that another part of the program closes the channel, for example to make room for other connections. Has no
   * effect by default.
   */
  default void onLost(Throwable cause) {}
}
