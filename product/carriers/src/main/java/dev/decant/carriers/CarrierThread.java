package dev.decant.carriers;

/**
 * The state of one carrier thread after a call of {@link CarrierPriority}.
 *
 * @param threadId its number in Linux
 * @param name its name in Linux: the first 15 bytes of the Java name
 * @param niceBefore -20 (first) to 19 (last), read before the call
 * @param nice the nice value, read back after the call
 * @param problem one sentence why the thread does not have the wanted priority; empty if it has
 */
public record CarrierThread(int threadId, String name, int niceBefore, int nice, String problem) {

  /**
   * Returns true if the thread has the priority that the call asked for, as reading it back has shown.
   *
   * @return true if there is no problem
   */
  public boolean isDone() {
    return problem.isEmpty();
  }
}
