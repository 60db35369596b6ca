package dev.decant.fake.differential;

import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Many random scenarios on a real broker and on the fake one: 20,000 operations from a seed that a failure names, or
 * {@code -Ddecant.fake.operations} from {@code -Ddecant.fake.seed}.
 */
@Timeout(7_200)
@Tag("long")
class LongDifferentialTest {
  private static final int OPERATIONS = Integer.getInteger("decant.fake.operations", 20_000);
  private static final int OPERATIONS_OF_SCENARIO = 25;
  private static final long MOST_SEEDS = 1L << 40;

  @Test
  void manyScenariosOfTheGrammarGiveTheSameResponses() throws IOException {
    try (Differential differential = new Differential()) {
      differential.random(new Random().nextLong(MOST_SEEDS), OPERATIONS, OPERATIONS_OF_SCENARIO);
      System.getLogger(LongDifferentialTest.class.getName()).log(System.Logger.Level.INFO, differential.toString());
      differential.assertNone();
    }
  }
}
