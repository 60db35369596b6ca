package dev.decant.carriers;

import java.util.List;

/**
 * The result of a call of {@link CarrierPriority}.
 *
 * @param obstacle one sentence why the call changed nothing, with its cure; empty without an obstacle
 * @param carriers the carriers that exist now; empty with an obstacle, and before the first virtual thread runs
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
   * Returns true if this JVM can change the priority of carriers.
   *
   * @return false if {@link #obstacle} says why not
   */
  public boolean isSupported() {
    return obstacle.isEmpty();
  }

  /**
   * Returns true if every carrier thread has the priority that was asked for.
   *
   * @return false also if there is no carrier yet
   */
  public boolean isComplete() {
    return !carriers.isEmpty() && carriers.stream().allMatch(CarrierThread::isDone);
  }
}
