package dev.decant.loop;

/** Serves a channel that an {@link EventLoop} watches. Called only by the owner of the loop; must not block. */
@FunctionalInterface
public interface ReadyListener {
  /**
   * Does what the channel is ready for. A loop that spins also calls it on suspicion, with {@code OP_READ}: then there
   * may be nothing to read.
   *
   * @param operations of {@link java.nio.channels.SelectionKey}, OR-ed
   * @return how much was done, in any unit; 0 if there was nothing to do
   */
  int onReady(int operations);

  /**
   * Another part of the program than this listener closes the channel, for lack of room for example. Does nothing by
   * default.
   *
   * @param cause why
   */
  default void onLost(Throwable cause) {}
}
