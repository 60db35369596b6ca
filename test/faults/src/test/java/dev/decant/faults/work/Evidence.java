package dev.decant.faults.work;

import java.util.List;
import java.util.Set;

/**
 * What the oracle judges.
 *
 * @param mode of the members
 * @param members all that have ever been
 * @param stored the main topic's records, those of a partition in their order
 * @param acknowledged where records are that the producer was told of
 * @param deadLetters tasks of the dead-letter topic, as often as they are there
 * @param coverage the group's commits
 * @param brokerFaults the times in which brokers were down, frozen or moved
 */
record Evidence(WorkMode mode, List<MemberHistory> members, List<StoredTask> stored, Set<Place> acknowledged,
    List<Task> deadLetters, Coverage coverage, List<Span> brokerFaults) {}
