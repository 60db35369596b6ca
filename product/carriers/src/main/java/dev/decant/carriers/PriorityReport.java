package dev.decant.carriers;

import java.util.List;

/**
 * The result of a call of {@link CarrierPriority}.
 *
 * @param obstacle one sentence why nothing was tried, with its cure; empty if something was
 * @param carriers those that exist now; none where there is an obstacle, and none before the first virtual thread runs
 */
public record PriorityReport(String obstacle, List<CarrierThread> carriers) {

  /**
   * Copies the list.
   *
   * @param obstacle see above
   * @param carriers see above
   */
  public PriorityReport {
    carriers = List.copyOf(carriers);
  }

  /**
   * Returns true if this JVM can do it at all.
   *
   * @return false if {@link #obstacle} says why not
   */
  public boolean isSupported() {
    return obstacle.isEmpty();
  }

  /**
   * Returns true if every carrier thread has the priority that was asked for.
   *
   * @return false also if there is none yet
   */
  public boolean isComplete() {
    return !carriers.isEmpty() && carriers.stream().allMatch(CarrierThread::isDone);
  }
}
