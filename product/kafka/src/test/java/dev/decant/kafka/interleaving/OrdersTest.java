package dev.decant.kafka.interleaving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.broker.QuietLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Takes a few chosen steps in every order, and checks the outcome of each.
 *
 * <p>Each build takes one order of {@value #DEFAULT_PART}, each time others. {@code -Plong} and {@code
 * -Dinterleaving.part=1} take all.
 */
@Timeout(600)
@ExtendWith(QuietLog.class)
class OrdersTest {
  private static final int DEFAULT_PART = 9;
  private static final Event[] REVOCATION = {Event.REVOKE, Event.TIME, Event.GROUP_ANSWERS, Event.POLL,
      Event.FETCH_ANSWER, Event.COMMIT_ANSWER};
  private static final Event[] COMMIT = {Event.REVOKE, Event.TIME, Event.GROUP_ANSWERS, Event.POLL,
      Event.COMMIT_ASYNC, Event.CUT};
  private static final Event[] LOSS = {Event.EXPIRE, Event.TIME, Event.GROUP_ANSWERS, Event.POLL, Event.REVOKE,
      Event.COMMIT_ASYNC};
  private static final Event[] SEEK_AND_PAUSE = {Event.REVOKE, Event.TIME, Event.GROUP_ANSWERS, Event.POLL,
      Event.SEEK_BACK, Event.PAUSE};

  /** Events while a member of a group revokes a partition. */
  private enum Event implements Simulation.Step {
    POLL, COMMIT_ASYNC, SEEK_BACK, PAUSE, REVOKE, GROUP_ANSWERS, COMMIT_ANSWER, FETCH_ANSWER, TIME, EXPIRE, CUT,
    UNSUBSCRIBE, JOIN_LOST;

    @Override
    public void run(Simulation world) throws InterruptedException {
      switch (this) {
        case POLL -> world.application.poll(Duration.ZERO);
        case COMMIT_ASYNC -> world.application.commitAsync();
        case SEEK_BACK -> world.application.seekIfOwned(1, 0);
        case PAUSE -> world.application.pauseIfOwned(1);
        case REVOKE -> world.outside.want(Set.of(0));
        case GROUP_ANSWERS -> world.groupAnswers();
        case COMMIT_ANSWER -> world.outside.answerOldest(Outside::isCommit);
        case FETCH_ANSWER -> world.outside.answerOldest(Outside::isFetch);
        case TIME -> world.outside.tick(700);
        case EXPIRE -> world.broker.group().expire();
        case CUT -> world.outside.cut(Outside::isCommit, false);
        case UNSUBSCRIBE -> world.application.toggleSubscription();
        case JOIN_LOST -> world.outside.cut(Outside::isJoin, true);
      }
    }
  }

  @Test
  void revocationIsInOrderWhateverComesBetween() throws InterruptedException {
    orders(DEFAULT_PART, REVOCATION);
  }

  /** A commit of a revoked partition was sent again in the member's next generation. */
  @Test
  void commitEndsBeforeItsPartitionIsAssignedElsewhere() throws InterruptedException {
    orders(DEFAULT_PART, COMMIT);
  }

  @Test
  void lossIsReportedOnceWhateverComesBetween() throws InterruptedException {
    orders(DEFAULT_PART, LOSS);
  }

  /** After a seek back, an automatic commit took its position for stored, because it had stored it before the seek. */
  @Test
  void recordsThatAreReadAgainAreCommittedAgain() throws InterruptedException {
    for (Setup.Kind kind : Setup.Kind.values()) {
      run(new Setup(kind, true, false),
          List.of(Event.TIME, Event.POLL, Event.COMMIT_ANSWER, Event.SEEK_BACK, Event.COMMIT_ASYNC, Event.COMMIT_ANSWER,
              Event.FETCH_ANSWER, Event.FETCH_ANSWER, Event.POLL, Event.REVOKE, Event.TIME, Event.GROUP_ANSWERS,
              Event.POLL, Event.COMMIT_ANSWER, Event.POLL));
    }
  }

  /** A revocation did not wait for the automatic commit in flight, and the coordinator stored none of it. */
  @Test
  void revocationWaitsForACommitThatIsUnderWay() throws InterruptedException {
    for (Setup.Kind kind : Setup.Kind.values()) {
      run(new Setup(kind, true, false), List.of(Event.TIME, Event.POLL, Event.REVOKE, Event.GROUP_ANSWERS,
          Event.POLL, Event.CUT, Event.POLL));
    }
  }

  /**
   * The simulated broker responded to each commit of the old generation first, and never to the join on a later
   * connection. A member whose last join was done without a response seemed to be stuck.
   */
  @Test
  void joinIsRepeatedBesideCommitsThatWaitForIt() throws InterruptedException {
    List<String> steps = run(new Setup(Setup.Kind.COOPERATIVE, true, false),
        List.of(Event.UNSUBSCRIBE, Event.COMMIT_ASYNC, Event.JOIN_LOST));
    assertThat(steps).anyMatch(step -> step.endsWith("commitAsync is done"));
  }

  @Test
  void seekAndPauseHoldWhileAPartitionGoes() throws InterruptedException {
    orders(DEFAULT_PART, SEEK_AND_PAUSE);
  }

  @Tag("long")
  @Test
  @Timeout(3600)
  void everyOrderThereIsKeepsTheRules() throws InterruptedException {
    for (Event[] events : List.of(REVOCATION, COMMIT, LOSS, SEEK_AND_PAUSE)) {
      orders(1, events);
    }
  }

  private static void orders(int partByDefault, Event... events) throws InterruptedException {
    List<List<Event>> orders = new ArrayList<>();
    permute(List.of(events), new ArrayList<>(), orders);
    int part = Integer.getInteger("interleaving.part", partByDefault);
    int first = (int) (System.nanoTime() & 0xffff) % part;
    for (Setup.Kind kind : Setup.Kind.values()) {
      for (int i = first; i < orders.size(); i += part) {
        run(new Setup(kind, i % 2 == 0, false), orders.get(i));
      }
    }
  }

  private static void permute(List<Event> left, List<Event> chosen, List<List<Event>> orders) {
    if (left.isEmpty()) {
      orders.add(List.copyOf(chosen));
    }
    for (Event event : left) {
      List<Event> rest = new ArrayList<>(left);
      rest.remove(event);
      chosen.add(event);
      permute(rest, chosen, orders);
      chosen.removeLast();
    }
  }

  private static List<String> run(Setup setup, List<Event> order) throws InterruptedException {
    try (Simulation simulation = new Simulation(setup, new Choices(0))) {
      simulation.begin();
      for (Event event : order) {
        simulation.ledger.step("-- " + event);
        simulation.take(event);
      }
      simulation.settle();
      simulation.leave();
      String violation = simulation.ledger.violation();
      if (violation != null) {
        throw new AssertionError(violation + "\nin " + setup + ", order " + order + "\n"
            + String.join("\n", simulation.ledger.steps()));
      }
      return simulation.ledger.steps();
    }
  }
}
