package dev.decant.kafka.interleaving;

import dev.decant.kafka.broker.QuietLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Takes a few chosen steps in every order there is, and checks what each order comes to.
 *
 * <p>The build takes one order of {@value #USUAL_PART}, each time others; {@code -Dinterleaving.part=1} takes all.
 */
@Timeout(600)
@ExtendWith(QuietLog.class)
class OrdersTest {
  private static final int USUAL_PART = 9;

  /** What happens while a member of a group gives up a partition. */
  private enum Event implements Simulation.Step {
    POLL(s -> s.application.poll(Duration.ZERO)),
    COMMIT_ASYNC(s -> s.application.commitAsync()),
    SEEK_BACK(s -> s.application.seekIfOwned(1, 0)),
    PAUSE(s -> s.application.pauseIfOwned(1)),
    TAKE_AWAY(s -> s.outside.want(Set.of(0))),
    GROUP_ANSWERS(Simulation::groupAnswers),
    COMMIT_ANSWER(s -> s.outside.answerOldest(Outside::isCommit)),
    FETCH_ANSWER(s -> s.outside.answerOldest(Outside::isFetch)),
    TIME(s -> s.outside.tick(700)),
    THROWN_OUT(s -> s.broker.group().expire()),
    CUT(s -> s.outside.cut(Outside::isCommit));

    private final Simulation.Step step;

    Event(Simulation.Step step) {
      this.step = step;
    }

    @Override
    public void run(Simulation simulation) throws InterruptedException {
      step.run(simulation);
    }
  }

  @Test
  void revocationIsInOrderWhateverComesBetween() throws InterruptedException {
    everyOrder(Event.TAKE_AWAY, Event.TIME, Event.GROUP_ANSWERS, Event.POLL, Event.FETCH_ANSWER, Event.COMMIT_ANSWER);
  }

  /** A commit of a partition that was given up was sent again in the member's next generation. */
  @Test
  void commitIsOverBeforeItsPartitionIsAnothers() throws InterruptedException {
    everyOrder(Event.TAKE_AWAY, Event.TIME, Event.GROUP_ANSWERS, Event.POLL, Event.COMMIT_ASYNC, Event.CUT);
  }

  @Test
  void lossIsToldOnceWhateverComesBetween() throws InterruptedException {
    everyOrder(Event.THROWN_OUT, Event.TIME, Event.GROUP_ANSWERS, Event.POLL, Event.TAKE_AWAY, Event.COMMIT_ASYNC);
  }

  /** What was committed by hand after a seek hid that later records were not committed. */
  @Test
  void seekAndPauseHoldWhileAPartitionGoes() throws InterruptedException {
    everyOrder(Event.TAKE_AWAY, Event.TIME, Event.GROUP_ANSWERS, Event.POLL, Event.SEEK_BACK, Event.PAUSE);
  }

  private static void everyOrder(Event... events) throws InterruptedException {
    List<List<Event>> orders = new ArrayList<>();
    permute(List.of(events), new ArrayList<>(), orders);
    int part = Integer.getInteger("interleaving.part", USUAL_PART);
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

  private static void run(Setup setup, List<Event> order) throws InterruptedException {
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
    }
  }
}
