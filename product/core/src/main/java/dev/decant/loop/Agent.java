package dev.decant.loop;

/**
 * Work that the owner of an {@link EventLoop} looks at once per round, before it waits for the network: for example
 * output that has become due. Called only by the owner of the loop; must not block.
 */
@FunctionalInterface
public interface Agent {
  /**
   * Does what is due. Later deadlines are expressed by a {@link Timer}.
   *
   * @return how much was done, in any unit; 0 if there was nothing to do
   */
  int doWork();
}
