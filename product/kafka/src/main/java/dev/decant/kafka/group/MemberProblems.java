package dev.decant.kafka.group;

import dev.decant.kafka.telemetry.Problems;
import org.jspecify.annotations.Nullable;

/** What does not work of a membership at the moment. Owner of the loop only. */
final class MemberProblems {
  private final Problems problems;
  private final String prefix;
  // Whose the problems are.
  private final Object membership = new Object();
  private final Object coordinator = new Object();
  private final Object requests = new Object();
  private final Object commits = new Object();

  MemberProblems(Problems problems, String groupId) {
    this.problems = problems;
    this.prefix = "group " + groupId + ": ";
  }

  /** It wants to be a member and is not yet, or not any more. */
  void notMember(@Nullable Throwable cause) {
    problems.begin(membership, prefix + "the consumer has not been a member", cause);
    problems.end(commits);
    problems.end(requests);
  }

  void member() {
    problems.end(membership);
  }

  void noCoordinator(Throwable cause) {
    problems.begin(coordinator, prefix + "the coordinator could not be reached", cause);
  }

  void coordinatorReached() {
    problems.end(coordinator);
  }

  /** A heartbeat, a join or a sync failed. */
  void retried(Throwable cause) {
    problems.begin(requests, prefix + "heartbeats have failed", cause);
  }

  void heard() {
    problems.end(requests);
  }

  void notCommitted(Throwable cause) {
    problems.begin(commits, prefix + "no commit has succeeded", cause);
  }

  void committed() {
    problems.end(commits);
  }

  void endAll() {
    problems.end(membership);
    problems.end(coordinator);
    problems.end(requests);
    problems.end(commits);
  }
}
