package dev.decant.kafka.group;

import dev.decant.kafka.telemetry.Problems;
import org.jspecify.annotations.Nullable;

/** Current problems of a membership, for the client's health. Owner of the loop only. */
final class MemberProblems {
  private final Problems problems;
  private final String prefix;
  // Keys of the problems.
  private final Object membership = new Object();
  private final Object coordinator = new Object();
  private final Object requests = new Object();
  private final Object commits = new Object();

  MemberProblems(Problems problems, String groupId) {
    this.problems = problems;
    this.prefix = "group " + groupId + ": ";
  }

  /** Begins the problem that the consumer is no member, or not yet. */
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

  /** Begins the problem that a heartbeat, a join or a sync failed. */
  void retried(Throwable cause) {
    problems.begin(requests, prefix + "heartbeats have failed", cause);
  }

  void requestSucceeded() {
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
