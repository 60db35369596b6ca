package dev.decant.kafka.interleaving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.broker.QuietLog;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Walks at random through the orders in which application, network, group and clock may take their steps.
 *
 * <p>{@code -Plong} takes {@value #LONG_WALKS} walks. {@code -Dinterleaving.seed=N} repeats one walk, {@code
 * -Dinterleaving.walks=N} takes more or fewer.
 */
@ExtendWith(QuietLog.class)
class InterleavingTest {
  private static final int STEPS = 40;
  private static final int WALKS = 300;
  private static final int LONG_WALKS = 20_000;

  @Test
  @Timeout(600)
  void noWalkBreaksTheRulesOfMembers() throws InterruptedException {
    walks(WALKS);
  }

  @Tag("long")
  @Test
  @Timeout(3600)
  void noneOfManyWalksBreaksTheRulesOfMembers() throws InterruptedException {
    walks(LONG_WALKS);
  }

  private static void walks(int byDefault) throws InterruptedException {
    Long repeated = Long.getLong("interleaving.seed");
    long first = repeated != null ? repeated : System.nanoTime() & 0xffff_ffffL;
    int walks = repeated != null ? 1 : Integer.getInteger("interleaving.walks", byDefault);
    System.out.println("interleaving: " + walks + " walks from seed " + first);
    for (long seed = first; seed < first + walks; seed++) {
      walk(seed);
    }
  }

  /** Three faults of the member, and in second place one of the simulated network. */
  @ParameterizedTest
  @ValueSource(longs = {1765968142L, 2702385021L, 4169878725L, 1748308226L})
  @Timeout(60)
  void walksThatFoundFaultsFindNoneNow(long seed) throws InterruptedException {
    assertThat(walk(seed)).isNotEmpty();
  }

  /** Without this, a seed could not repeat a walk. */
  @Test
  @Timeout(60)
  void theSameSeedTakesTheSameSteps() throws InterruptedException {
    for (long seed = 1; seed <= 20; seed++) {
      assertThat(walk(seed)).as("steps of seed %d", seed).isEqualTo(walk(seed));
    }
  }

  private static List<String> walk(long seed) throws InterruptedException {
    Choices choices = new Choices(seed);
    Setup setup = Setup.of(choices);
    try (Simulation simulation = new Simulation(setup, choices)) {
      try {
        simulation.walk(STEPS);
        simulation.settle();
        simulation.leave();
      } catch (RuntimeException e) {
        simulation.ledger.fail("the application was thrown " + e);
      }
      String violation = simulation.ledger.violation();
      if (violation != null) {
        throw new AssertionError(violation + "\nin " + setup + "; again with -Dinterleaving.seed=" + seed + "\n"
            + String.join("\n", simulation.ledger.steps()));
      }
      return simulation.ledger.steps();
    }
  }
}
