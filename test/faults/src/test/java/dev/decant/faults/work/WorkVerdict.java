package dev.decant.faults.work;

import dev.decant.kafka.work.Order;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Compares what members did with what is stored. Each acknowledged record is stored. Each stored one was handled to its
 * end, or is a dead letter. A record is begun after its predecessor in the order has ended. A record is begun again
 * only if its run was under way, or done and not committed, when its member was killed, frozen or lost.
 */
final class WorkVerdict {
  private static final int SHOWN = 20;
  /** Two clocks are compared: the brokers' wall clock and the members' monotonic one. */
  private static final long CLOCK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  /** How long after its interval a commit is stored at most, on a machine that is busy. */
  private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(15);
  /** Brokers need so long after a fault until commits are stored again, at most. */
  private static final long RECOVERY_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Evidence evidence;
  private final int attempts;
  private final Map<Task.Id, List<Run>> runsOfTask = new HashMap<>();
  private final Map<Place, List<Run>> runsAtPlace = new LinkedHashMap<>();
  private final List<String> violations = new ArrayList<>();
  /** Retry topics with tasks that a lost member may have copied there again: their order is that of nobody. */
  private final Set<String> zombieCopies = new HashSet<>();
  private int copiedAgain;
  private int violationCount;
  private int runs;
  private int zombieRuns;
  private int underWayRepeated;
  private int doneRepeated;
  private int excusedByProblems;
  private long longestUncommitted;
  /** For each failure of a member: how many records were done again, and for how long they were not committed. */
  private final Map<String, Repeats> repeatsOfFailure = new TreeMap<>();

  private record Repeats(int count, long longest) {
    Repeats plus(Repeats other) {
      return new Repeats(count + other.count, Math.max(longest, other.longest));
    }
  }

  private WorkVerdict(Evidence evidence) {
    this.evidence = evidence;
    attempts = evidence.mode().attempts();
  }

  static WorkVerdict of(Evidence evidence) {
    WorkVerdict verdict = new WorkVerdict(evidence);
    verdict.collectRuns();
    verdict.judgeMembers();
    verdict.judgeLosses();
    verdict.judgeDeadLetters();
    verdict.judgeResults();
    verdict.judgeCopies();
    verdict.runsAtPlace.values().forEach(verdict::judgeRepeats);
    verdict.chains().forEach(verdict::judgeOrder);
    return verdict;
  }

  /** Adds a violation that was found elsewhere. */
  void add(String text) {
    violation(text);
  }

  private void violation(String text) {
    violationCount++;
    if (violations.size() < SHOWN) {
      violations.add(text);
    }
  }

  private void collectRuns() {
    List<Run> all = new ArrayList<>();
    evidence.members().forEach(member -> all.addAll(member.runs()));
    all.sort(Comparator.comparingLong(run -> run.begin));
    for (Run run : all) {
      runs++;
      zombieRuns += run.isZombie() ? 1 : 0;
      runsOfTask.computeIfAbsent(run.task, task -> new ArrayList<>()).add(run);
      runsAtPlace.computeIfAbsent(run.place, place -> new ArrayList<>()).add(run);
    }
  }

  private void judgeMembers() {
    for (MemberHistory member : evidence.members()) {
      member.errors().forEach(error -> violation(member.name() + " has ended: " + error));
      if (!member.isClosed() && !member.wasKilled()) {
        violation(member.name() + " was stopped, and has not closed its work");
      }
    }
  }

  private void judgeLosses() {
    Set<Place> stored = new HashSet<>();
    for (StoredTask record : evidence.topics().stored()) {
      stored.add(record.place());
      List<Run> of = runsOfTask.getOrDefault(record.task().id(), List.of());
      if (of.stream().noneMatch(run -> run.isComplete(attempts))) {
        violation("lost: " + record + ", with the runs " + of);
      }
    }
    for (Place place : evidence.acknowledged()) {
      if (!stored.contains(place)) {
        violation("acknowledged and not stored: " + place);
      }
    }
  }

  /** Each record that fails for good has a dead letter, and no more of them than times it has failed. */
  private void judgeDeadLetters() {
    Map<Task.Id, Integer> letters = new HashMap<>();
    for (Task task : evidence.topics().deadLetters()) {
      letters.merge(task.id(), 1, Integer::sum);
      if (!task.isForGood()) {
        violation("a dead letter of a record that does not fail for good: " + task);
      }
    }
    for (StoredTask record : evidence.topics().stored()) {
      if (record.task().isForGood()) {
        int count = letters.getOrDefault(record.task().id(), 0);
        long failed = runsOfTask.getOrDefault(record.task().id(), List.of()).stream()
            .filter(run -> run.isComplete(attempts)).count();
        if (count == 0 || count > (evidence.mode().isExactlyOnce() ? 1 : failed)) {
          violation(record + " has " + count + " dead letters, and has failed " + failed + " times");
        }
      }
    }
  }

  /** With transactions, each record that does not fail for good has one result. */
  private void judgeResults() {
    Map<Task.Id, Integer> results = new HashMap<>();
    evidence.topics().results().forEach(task -> results.merge(task.id(), 1, Integer::sum));
    for (StoredTask record : evidence.topics().stored()) {
      int expected = evidence.mode().isExactlyOnce() && !record.task().isForGood() ? 1 : 0;
      int count = results.getOrDefault(record.task().id(), 0);
      if (count != expected) {
        violation(record + " has " + count + " results, not " + expected + "; its runs are "
            + runsOfTask.getOrDefault(record.task().id(), List.of()));
      }
    }
  }

  /** A record is copied again to a retry topic only after a failure of the member that has copied it before. */
  private void judgeCopies() {
    Map<Place, Task.Id> tasks = new HashMap<>();
    evidence.topics().stored().forEach(record -> tasks.put(record.place(), record.task().id()));
    evidence.topics().copies().forEach(record -> tasks.put(record.place(), record.task().id()));
    Map<String, List<MemberHistory.Copy>> copies = new HashMap<>();
    evidence.members().stream().flatMap(member -> member.copies().stream())
        .sorted(Comparator.comparingLong(MemberHistory.Copy::nanos))
        .forEach(copy -> copies.computeIfAbsent(copy.to() + ' ' + tasks.get(copy.from()), to -> new ArrayList<>())
            .add(copy));
    Map<String, Integer> stored = new HashMap<>();
    evidence.topics().copies()
        .forEach(record -> stored.merge(record.place().topic() + ' ' + record.task().id(), 1, Integer::sum));
    stored.forEach((what, count) -> judgeCopies(what, count, copies.getOrDefault(what, List.of())));
  }

  private void judgeCopies(String what, int stored, List<MemberHistory.Copy> sent) {
    if (sent.stream().anyMatch(MemberHistory.Copy::isOfAZombie)) {
      zombieCopies.add(what);
    }
    copiedAgain += stored - 1;
    if (stored > (evidence.mode().isExactlyOnce() ? 1 : sent.size())) {
      violation(stored + " copies in " + what + ", which members have sent " + sent.size() + " times: " + sent);
    }
    for (int i = 1; i < sent.size() && stored > 1; i++) {
      MemberHistory.Copy copy = sent.get(i);
      for (MemberHistory.Copy before : sent.subList(0, i)) {
        // A record that is in a retry topic twice goes to the next one twice.
        boolean isSame = before.from().equals(copy.from());
        if (isSame && !copy.isOfAZombie() && !before.member().mayRepeat(before.nanos(), copy.nanos())
            && !before.member().hasMissedACommit(before.nanos(), copy.nanos())) {
          violation("copied again without a cause: " + copy + " after " + before);
        }
      }
    }
  }

  private void judgeRepeats(List<Run> of) {
    for (int i = 1; i < of.size(); i++) {
      Run run = of.get(i);
      if (!run.isZombie()) {
        judgeRepeat(of.subList(0, i), run);
      }
    }
  }

  private void judgeRepeat(List<Run> before, Run run) {
    long covered = evidence.coverage().since(run.place);
    if (covered < run.begin - CLOCK_NANOS) {
      violation("again though committed at " + Run.millis(covered) + ": " + run + " after " + before);
    }
    for (Run earlier : before) {
      boolean wasDone = earlier.isComplete(attempts);
      if (earlier.end == Run.End.FAILURE) {
        continue; // it waited for its next attempt or its dead letter, which another member makes
      }
      if (earlier.member.mayRepeat(earlier.begin, run.begin)) {
        if (wasDone) {
          doneRepeated++;
          if (!earlier.isZombie()) { // a lost member can commit nothing
            judgeUncommitted(earlier, run);
          }
        } else {
          underWayRepeated++;
        }
      } else if (earlier.member.hasMissedACommit(earlier.begin, run.begin)
          || run.member.hasMissedWhatIsDone(run.begin)) {
        excusedByProblems++;
      } else {
        violation("again without a cause: " + run + " after " + earlier);
      }
    }
  }

  /** Requires that records are done again only if they were done shortly before their member failed. */
  private void judgeUncommitted(Run done, Run again) {
    long failed = done.member.failedAfter(done.begin);
    long uncommitted = failed - done.ended;
    repeatsOfFailure.merge(done.member.name() + " failed at " + Run.millis(failed), new Repeats(1, uncommitted),
        Repeats::plus);
    long well = timeOfHealth(done.ended, failed);
    longestUncommitted = Math.max(longestUncommitted, well);
    if (well > WorkMode.COMMIT_INTERVAL.toNanos() + LATE_NANOS) {
      violation("not committed for " + Run.millis(uncommitted) + " before its member failed: " + done
          + ", and again: " + again);
    }
  }

  /** How long from a time to another brokers were well, until the first fault or from the start. */
  private long timeOfHealth(long from, long to) {
    long until = to;
    for (Span fault : evidence.brokerFaults()) {
      if (fault.meets(from - RECOVERY_NANOS, from)) {
        return 0;
      }
      until = fault.from() > from ? Math.min(until, fault.from()) : until;
    }
    return until - from;
  }

  /** Records that wait for each other, in their order. */
  private Iterable<List<StoredTask>> chains() {
    Map<String, List<StoredTask>> chains = new LinkedHashMap<>();
    Order order = evidence.mode().order();
    for (StoredTask record : evidence.topics().stored()) {
      boolean isFree = order == Order.NONE
          || (order == Order.BY_KEY && record.task().key().equals(Task.NO_KEY));
      if (!isFree) {
        String chain = order == Order.BY_KEY ? record.task().key() : Integer.toString(record.place().partition());
        chains.computeIfAbsent(chain, key -> new ArrayList<>()).add(record);
      }
    }
    return chains.values();
  }

  private void judgeOrder(List<StoredTask> chain) {
    long predecessorEnd = Long.MIN_VALUE;
    StoredTask predecessor = null;
    List<Run> all = new ArrayList<>();
    for (StoredTask record : chain) {
      long end = Span.NEVER;
      for (Run run : runsOfTask.getOrDefault(record.task().id(), List.of())) {
        if (run.isZombie() || zombieCopies.contains(run.place.topic() + ' ' + run.task)) {
          continue;
        }
        all.add(run);
        if (run.begin < predecessorEnd) {
          violation("out of order: " + run + " is begun before " + predecessor + " has ended, at "
              + (predecessorEnd == Span.NEVER ? "no time" : Run.millis(predecessorEnd)));
        }
        if (run.isComplete(attempts)) {
          end = Math.min(end, run.ended);
        }
      }
      predecessor = record;
      predecessorEnd = end == Span.NEVER ? endByZombie(record) : end;
    }
    judgeOverlaps(all);
  }

  /** If only a member that was lost completed a record, then its commit was stored, and others went on from there. */
  private long endByZombie(StoredTask record) {
    return runsOfTask.getOrDefault(record.task().id(), List.of()).stream().filter(run -> run.isComplete(attempts))
        .mapToLong(run -> run.ended).min().orElse(Span.NEVER);
  }

  private void judgeOverlaps(List<Run> ofChain) {
    ofChain.sort(Comparator.comparingLong(run -> run.begin));
    for (int i = 1; i < ofChain.size(); i++) {
      Run before = ofChain.get(i - 1);
      Run run = ofChain.get(i);
      if (run.begin < before.ended) {
        violation("at once: " + run + " and " + before);
      }
    }
  }

  /** Empty if all is well; the first ones only if there are very many. */
  List<String> violations() {
    return violations;
  }

  /** Lists the records that were done again, a line for each failure of a member. */
  String repeats() {
    StringBuilder text = new StringBuilder();
    repeatsOfFailure.forEach((failure, repeats) -> text.append(failure).append(": ").append(repeats.count)
        .append(" records were done again, not committed for ").append(Run.millis(repeats.longest)).append('\n'));
    return text.toString();
  }

  /** One line. */
  String summary() {
    long losses = evidence.members().stream().mapToInt(MemberHistory::losses).sum();
    long problems = evidence.members().stream().mapToInt(member -> member.problems().size()).sum();
    return evidence.topics().stored().size() + " records, " + runs + " runs (" + zombieRuns + " of lost members), "
        + evidence.topics().deadLetters().size() + " dead letters, " + evidence.topics().results().size()
        + " results, " + evidence.topics().copies().size() + " copies in retry topics (" + copiedAgain
        + " of them again); begun again: " + underWayRepeated + " that were under way, "
        + doneRepeated + " that were done and not committed (for " + Run.millis(longestUncommitted)
        + " at most, while brokers were well), " + excusedByProblems + " after a failed commit; "
        + evidence.members().size() + " members, " + losses + " losses, " + problems + " problems; " + violationCount
        + " violations";
  }
}
