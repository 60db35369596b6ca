package dev.decant.fake.differential;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * The same requests give the same responses on a real broker, 4.3.1, and on the fake one, field by field. A failure
 * names the seed of a random scenario; {@code -Ddecant.fake.seed} begins with that one.
 */
@Timeout(600)
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DifferentialTest {
  /** The same scenarios in each build, so that its result does not depend on luck; other ones are those of -Plong. */
  private static final long FIRST_SEED = 1;
  private static final int OPERATIONS = Integer.getInteger("decant.fake.operations", 1_000);
  private static final int OPERATIONS_OF_SCENARIO = 25;
  private Differential differential;

  @BeforeAll
  void start() throws IOException {
    differential = new Differential();
  }

  @AfterAll
  void close() {
    System.getLogger(DifferentialTest.class.getName()).log(System.Logger.Level.INFO, differential.toString());
    differential.close();
  }

  private static Map<String, List<Step>> byHand(String prefix) {
    Map<String, List<Step>> all = new TreeMap<>(new Scenarios(prefix).byHand());
    all.putAll(new GroupScenarios(prefix).byHand());
    all.putAll(new TransactionScenarios(prefix).byHand());
    return all;
  }

  @Test
  void scenariosWrittenByHandGiveTheSameResponses() throws IOException {
    for (String name : byHand("x").keySet()) {
      String prefix = "hand-" + name.replace(' ', '-');
      differential.compare(name, prefix, Objects.requireNonNull(byHand(prefix).get(name)));
    }
    differential.assertNone();
  }

  @Test
  void scenariosOfTheGrammarGiveTheSameResponses() throws IOException {
    differential.random(FIRST_SEED, OPERATIONS, OPERATIONS_OF_SCENARIO);
    differential.assertNone();
  }
}
