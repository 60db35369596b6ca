package dev.decant.faults.work;

import java.util.concurrent.TimeUnit;

/** The attempts that a member made at one record, one after the other. Filled while a journal is read. */
final class Run {
  /** How the last attempt has ended. */
  enum End {
    /** It has not: it was under way when the journal ended. */
    NONE,
    SUCCESS,
    FAILURE,
    INTERRUPT
  }

  final MemberHistory member;
  final Place place;
  final Task.Id task;
  final long begin;
  int attempt;
  End end = End.NONE;
  /** When the last attempt ended, or the member did; {@link Span#NEVER} until then. */
  long ended = Span.NEVER;

  Run(MemberHistory member, Place place, Task.Id task, long begin) {
    this.member = member;
    this.place = place;
    this.task = task;
    this.begin = begin;
  }

  /** Whether the record was done at that, or has failed for good. */
  boolean isComplete(int attempts) {
    return end == End.SUCCESS || (end == End.FAILURE && attempt >= attempts);
  }

  /** Whether the run was not ended before its member had lost its partitions without knowing it. */
  boolean isZombie() {
    return member.zombieSpans().stream().anyMatch(span -> begin <= span.to() && ended >= span.from());
  }

  @Override
  public String toString() {
    String to = ended == Span.NEVER ? "the end" : millis(ended);
    return task.key() + '/' + task.sequence() + " at " + place + " by " + member.name() + " from " + millis(begin)
        + " to " + to + " (attempt " + attempt + ", " + end + ')';
  }

  static String millis(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos) + " ms";
  }
}
