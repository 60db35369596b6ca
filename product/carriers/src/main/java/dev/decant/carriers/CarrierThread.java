package dev.decant.carriers;

/**
 * One carrier thread, after something was tried with it.
 *
 * @param threadId as Linux numbers it
 * @param name as Linux keeps it, which is the first 15 bytes of the Java name
 * @param niceBefore -20 (first) to 19 (last), read before the call
 * @param nice the same, read back after it
 * @param problem one sentence why this thread is not where it should be; empty if it is
 */
public record CarrierThread(int threadId, String name, int niceBefore, int nice, String problem) {

  /**
   * Returns true if the thread has the priority that was asked for.
   *
   * @return true if reading it back has shown so
   */
  public boolean isDone() {
    return problem.isEmpty();
  }
}
