package dev.decant.faults.fix;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sessions with QuickFIX/J recover from each fault, and {@link OrdersVerdict} finds each accepted order once.
 * {@code -Plong} makes faults for {@code -Ddecant.fix.faults.minutes}, 15 by default. A printed seed repeats the
 * schedule of a round with {@code -Ddecant.fix.faults.seed}.
 */
@Timeout(value = 2, unit = TimeUnit.HOURS)
class FixFaultsTest {
  private static final String SEED = "decant.fix.faults.seed";
  private static final Duration TIME = Duration.ofMinutes(Long.getLong("decant.fix.faults.minutes", 15));
  private static final List<FixFault> ALL = List.of(FixFault.values());
  private static final int FAULTS_OF_A_LONG_ROUND = 20;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path folder;

  @Tag("full")
  @Test
  void sessionsRecoverAndEachAcceptedOrderIsAppliedOnce() throws InterruptedException, IOException {
    long seed = seed("each fault");
    List<FixFault> faults = new ArrayList<>(ALL);
    Collections.shuffle(faults, new Random(seed));
    run(seed, faults.stream().map(List::of).toList());
  }

  @Tag("long")
  @Test
  void sessionsRecoverForALongTime() throws InterruptedException, IOException {
    long end = System.nanoTime() + TIME.toNanos();
    for (int round = 1; System.nanoTime() - end < 0; round++) {
      long seed = seed("round " + round);
      run(seed, longRound(new Random(seed)));
    }
  }

  private static long seed(String what) {
    long seed = Long.getLong(SEED, new SecureRandom().nextLong());
    System.out.println(what + ": seed " + seed + ", repeat with -D" + SEED + "=" + seed);
    return seed;
  }

  /** Half of the times one fault, otherwise up to four that meet. */
  private static List<List<FixFault>> longRound(Random random) {
    List<List<FixFault>> schedule = new ArrayList<>();
    for (int left = FAULTS_OF_A_LONG_ROUND; left > 0; left -= schedule.getLast().size()) {
      int count = random.nextBoolean() ? 1 : 2 + random.nextInt(3);
      schedule.add(Stream.generate(() -> any(random)).limit(count).toList());
    }
    return schedule;
  }

  private static FixFault any(Random random) {
    return ALL.get(random.nextInt(ALL.size()));
  }

  private void run(long seed, List<List<FixFault>> schedule) throws InterruptedException, IOException {
    Path own = Files.createTempDirectory(folder, "round");
    try (FixBench bench = new FixBench(own, seed)) {
      bench.awaitRecovery("the start");
      for (List<FixFault> faults : schedule) {
        for (FixFault fault : faults) {
          fault.happen(bench);
        }
        bench.heal();
        long healed = System.nanoTime();
        bench.awaitRecovery(faults.toString());
        System.out.println(faults + ": recovered in " + (System.nanoTime() - healed) / 1_000_000 + " ms");
      }
      List<String> violations = bench.finish();
      assertThat(violations).as(() -> "seed " + seed + ", journals in " + own + '\n' + bench.events()).isEmpty();
    }
  }
}
