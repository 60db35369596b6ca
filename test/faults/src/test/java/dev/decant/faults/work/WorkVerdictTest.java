package dev.decant.faults.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.work.Order;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The oracle finds what it is there to find. Times are in seconds here. */
class WorkVerdictTest {
  private static final String TOPIC = "tasks";
  private static final String RETRY_TOPIC = "tasks-retry-1";
  private static final int ATTEMPTS = 3;

  private final List<StoredTask> stored = new ArrayList<>();
  private final Set<Place> acknowledged = new HashSet<>();
  private final List<StoredTask> copies = new ArrayList<>();
  private final List<Task> deadLetters = new ArrayList<>();
  private final List<Task> results = new ArrayList<>();
  private final Map<Place, Long> commits = new HashMap<>();
  private final List<Span> brokerFaults = new ArrayList<>();
  private final MemberHistory first = new MemberHistory("m1", Span.NEVER, List.of());
  private final MemberHistory second = new MemberHistory("m2", Span.NEVER, List.of());
  private final MemberHistory killed = new MemberHistory("m3", nanos(10), List.of());
  private final MemberHistory frozen = new MemberHistory("m4", Span.NEVER, List.of(new Span(nanos(10), nanos(30))));

  private static long nanos(double seconds) {
    return (long) (seconds * TimeUnit.SECONDS.toNanos(1));
  }

  private static Place place(long offset) {
    return new Place(TOPIC, 0, offset);
  }

  /** Stores and acknowledges the next record of a key. */
  private void store(String key, int failures) {
    long offset = stored.size();
    stored.add(new StoredTask(place(offset), new Task(key, offset, 0, failures)));
    acknowledged.add(place(offset));
  }

  private void line(MemberHistory member, char kind, double seconds, long offset, int attempt) {
    Task task = stored.get((int) offset).task();
    member.line(kind + " " + nanos(seconds) + ' ' + TOPIC + " 0 " + offset + ' ' + task.key() + ' '
        + task.sequence() + ' ' + attempt);
  }

  private void handle(MemberHistory member, long offset, double begin, double end) {
    line(member, MemberJournal.BEGIN, begin, offset, 1);
    line(member, MemberJournal.SUCCESS, end, offset, 1);
  }

  private void fail(MemberHistory member, long offset, double begin, int attempts) {
    for (int attempt = 1; attempt <= attempts; attempt++) {
      line(member, MemberJournal.BEGIN, begin + attempt, offset, attempt);
      line(member, MemberJournal.FAILURE, begin + attempt, offset, attempt);
    }
  }

  private List<String> violations(Order order) {
    return violations(new WorkMode(order, GroupProtocol.CLASSIC, false, false, false));
  }

  private List<String> violations(WorkMode mode) {
    List<MemberHistory> members = List.of(first, second, killed, frozen);
    for (MemberHistory member : List.of(first, second, frozen)) {
      member.line(MemberJournal.CLOSED + " " + nanos(100) + " " + TOPIC);
    }
    members.forEach(MemberHistory::finish);
    return WorkVerdict.of(new Evidence(mode, members, topics(), acknowledged,
        place -> commits.getOrDefault(place, Span.NEVER), brokerFaults)).violations();
  }

  private Evidence.Topics topics() {
    return new Evidence.Topics(stored, copies, deadLetters, results);
  }

  private List<String> violations() {
    return violations(Order.BY_KEY);
  }

  @Test
  void allIsWell() {
    store("a", 0);
    store("b", 1);
    store("a", Task.FOR_GOOD);
    store("a", 0);
    handle(first, 0, 1, 2);
    fail(first, 1, 1, 1);
    line(first, MemberJournal.BEGIN, 3, 1, 2);
    line(first, MemberJournal.SUCCESS, 3, 1, 2);
    fail(first, 2, 2, ATTEMPTS);
    deadLetters.add(stored.get(2).task());
    handle(first, 3, 6, 7);
    assertThat(violations()).isEmpty();
  }

  @Test
  void aLostRecordIsFound() {
    store("a", 0);
    store("a", 1);
    handle(first, 0, 1, 2);
    fail(first, 1, 2, 1);
    assertThat(violations()).singleElement().asString().startsWith("lost: ").contains("tasks-0@1");
  }

  @Test
  void anAcknowledgedRecordThatIsNotStoredIsFound() {
    acknowledged.add(place(5));
    assertThat(violations()).singleElement().asString().isEqualTo("acknowledged and not stored: tasks-0@5");
  }

  @Test
  void aRecordThatIsBegunBeforeItsPredecessorHasEndedIsFound() {
    store("a", 0);
    store("a", 0);
    handle(first, 0, 1, 3);
    handle(second, 1, 2, 4);
    assertThat(violations()).hasSize(2).anyMatch(text -> text.startsWith("out of order: "))
        .anyMatch(text -> text.startsWith("at once: "));
  }

  @Test
  void recordsOfOtherKeysOverlapUnlessTheOrderIsThatOfThePartition() {
    store("a", 0);
    store("b", 0);
    handle(first, 0, 1, 3);
    handle(first, 1, 2, 4);
    assertThat(violations()).isEmpty();
    assertThat(violations(Order.NONE)).isEmpty();
    assertThat(violations(Order.BY_PARTITION)).isNotEmpty();
  }

  @Test
  void aRecordThatIsDoneAgainWithoutACauseIsFound() {
    store("a", 0);
    handle(first, 0, 1, 2);
    handle(second, 0, 3, 4);
    assertThat(violations()).singleElement().asString().startsWith("again without a cause: ");
  }

  @Test
  void aRecordMayBeDoneAgainIfItWasNotCommittedWhenItsMemberWasKilled() {
    store("a", 0);
    store("b", 0);
    handle(killed, 0, 9, 9.8);
    line(killed, MemberJournal.BEGIN, 9, 1, 1);
    handle(second, 0, 20, 21);
    handle(second, 1, 20, 21);
    assertThat(violations()).isEmpty();
  }

  @Test
  void aRecordThatIsDoneAgainThoughItWasCommittedIsFound() {
    store("a", 0);
    handle(killed, 0, 9, 9.8);
    commits.put(place(0), nanos(9.9));
    handle(second, 0, 20, 21);
    assertThat(violations()).singleElement().asString().startsWith("again though committed at 9900 ms: ");
  }

  @Test
  void aRecordThatWasDoneLongBeforeTheKillAndNotCommittedIsFoundUnlessBrokersHadAFault() {
    store("a", 0);
    handle(killed, 0, -11, -10);
    handle(second, 0, 20, 21);
    assertThat(violations()).singleElement().asString().startsWith("not committed for 20000 ms");
    brokerFaults.add(new Span(nanos(-9), nanos(-8)));
    assertThat(violations()).isEmpty();
  }

  @Test
  void aMemberThatWasFrozenMayGoOnUntilItNoticesThatItWasLost() {
    store("a", 0);
    store("a", 0);
    store("a", 0);
    line(frozen, MemberJournal.BEGIN, 9, 0, 1);
    for (int offset = 0; offset < 3; offset++) {
      handle(second, offset, 20 + offset, 20.5 + offset);
    }
    line(frozen, MemberJournal.SUCCESS, 30.1, 0, 1);
    handle(frozen, 1, 30.2, 30.3);
    frozen.line(MemberJournal.LOST + " " + nanos(30.4) + " why");
    assertThat(violations()).isEmpty();
  }

  @Test
  void aMemberThatWasFrozenAndHasNoticedMayNotGoOn() {
    store("a", 0);
    handle(second, 0, 20, 20.5);
    frozen.line(MemberJournal.LOST + " " + nanos(30.4) + " why");
    handle(frozen, 0, 32, 33);
    assertThat(violations()).singleElement().asString().startsWith("again without a cause: ");
  }

  @Test
  void aDeadLetterThatIsMissingOrTooMuchIsFound() {
    store("a", Task.FOR_GOOD);
    store("b", 0);
    fail(first, 0, 1, ATTEMPTS);
    handle(first, 1, 1, 2);
    deadLetters.add(stored.get(1).task());
    assertThat(violations()).hasSize(2).anyMatch(text -> text.contains("does not fail for good"))
        .anyMatch(text -> text.contains("has 0 dead letters"));
  }

  @Test
  void aMissingResultAndASecondOneAreFound() {
    store("a", 0);
    store("b", 0);
    store("c", 0);
    for (int offset = 0; offset < 3; offset++) {
      handle(first, offset, 1, 2);
    }
    results.addAll(List.of(stored.get(0).task(), stored.get(1).task(), stored.get(1).task()));
    WorkMode mode = new WorkMode(Order.BY_KEY, GroupProtocol.CLASSIC, false, false, true);
    assertThat(violations(mode)).hasSize(2).anyMatch(text -> text.contains("has 2 results, not 1"))
        .anyMatch(text -> text.contains("has 0 results, not 1"));
  }

  /** Fails a record in the main topic, and copies it. */
  private void copy(MemberHistory member, double seconds) {
    line(member, MemberJournal.BEGIN, seconds, 0, 1);
    line(member, MemberJournal.FAILURE, seconds, 0, 1);
    member.line(MemberJournal.COPY + " " + nanos(seconds) + ' ' + TOPIC + " 0 0 " + RETRY_TOPIC);
    long offset = copies.size();
    copies.add(new StoredTask(new Place(RETRY_TOPIC, 0, offset), stored.get(0).task()));
    member.line(MemberJournal.BEGIN + " " + nanos(seconds + 1) + ' ' + RETRY_TOPIC + " 0 " + offset + " a 0 2");
    member.line(MemberJournal.SUCCESS + " " + nanos(seconds + 1) + ' ' + RETRY_TOPIC + " 0 " + offset + " a 0 2");
  }

  @Test
  void aSecondCopyWithoutACauseIsFound() {
    WorkMode mode = new WorkMode(Order.BY_KEY, GroupProtocol.CLASSIC, false, true, false);
    store("a", 1);
    copy(first, 1);
    assertThat(violations(mode)).isEmpty();
    copy(second, 3);
    assertThat(violations(mode)).singleElement().asString().startsWith("copied again without a cause: ");
  }

  @Test
  void aSecondCopyAfterAKillIsNone() {
    store("a", 1);
    copy(killed, 8);
    copy(second, 20);
    for (int offset = 0; offset < 2; offset++) { // both copies go on
      second.line(
          MemberJournal.COPY + " " + nanos(30 + offset) + ' ' + RETRY_TOPIC + " 0 " + offset + " tasks-retry-2");
      copies.add(new StoredTask(new Place("tasks-retry-2", 0, offset), stored.get(0).task()));
    }
    assertThat(violations(new WorkMode(Order.BY_KEY, GroupProtocol.CLASSIC, false, true, false))).isEmpty();
  }

  @Test
  void aMemberThatDoesNotCloseItsWorkIsFound() {
    MemberHistory silent = new MemberHistory("m5", Span.NEVER, List.of());
    Evidence evidence = new Evidence(new WorkMode(Order.NONE, GroupProtocol.CLASSIC, false, false, false),
        List.of(silent),
        topics(), acknowledged, place -> Span.NEVER, brokerFaults);
    assertThat(WorkVerdict.of(evidence).violations()).singleElement().asString()
        .isEqualTo("m5 was stopped, and has not closed its work");
  }
}
