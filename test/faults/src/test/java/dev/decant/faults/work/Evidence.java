package dev.decant.faults.work;

import java.util.List;
import java.util.Set;

/**
 * What the oracle judges.
 *
 * @param mode of the members
 * @param members all that have ever been
 * @param topics the committed records
 * @param acknowledged where records are that the producer was told of
 * @param coverage the group's commits
 * @param brokerFaults the times in which brokers were down, frozen or moved
 */
record Evidence(WorkMode mode, List<MemberHistory> members, Topics topics, Set<Place> acknowledged, Coverage coverage,
    List<Span> brokerFaults) {

  /**
   * Holds the stored records, those of each partition in their order.
   *
   * @param stored the main topic
   * @param copies the retry topics
   * @param deadLetters the dead-letter topic
   * @param results what handlers produced; nothing without transactions
   */
  record Topics(List<StoredTask> stored, List<StoredTask> copies, List<Task> deadLetters, List<Task> results) {}
}
