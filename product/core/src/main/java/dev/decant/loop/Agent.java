package dev.decant.loop;

/**
 * Work that the owner of an {@link EventLoop} runs once per round, before it waits for the network. An example is
 * output that has become due. Called only by the owner of the loop; must not block.
 */
@FunctionalInterface
public interface Agent {
  /**
   * Does the work that is due. The agent expresses later deadlines by a {@link Timer}.
   *
   * @return how much was done, in any unit; 0 if there was nothing to do
   */
  int doWork();
}
