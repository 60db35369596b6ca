package dev.decant.fix.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random and mutated messages, times, settings and store refusals, session after session. No exception escapes, and
 * numbers never decrease except by a reset. Sent messages are whole and have the numbers of the store, in order. {@code
 * -Plong} runs for minutes, {@code -Dfuzz.seconds=600} that long, {@code -Dfuzz.seed=N} repeats a run.
 */
class SessionFuzzTest {
  private static final long SECONDS = 2;
  private static final long LONG_SECONDS = 300;
  private static final int LEAST_SESSIONS = 100;

  @Test
  void sessionsKeepTheirRulesWhateverComes() {
    play(SECONDS);
  }

  @Tag("long")
  @Test
  void sessionsKeepTheirRulesForMinutes() {
    play(LONG_SECONDS);
  }

  private static void play(long secondsByDefault) {
    long seconds = Long.getLong("fuzz.seconds", secondsByDefault);
    long firstSeed = Long.getLong("fuzz.seed", System.nanoTime());
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    int sessions = 0;
    long logons = 0;
    long sentAgain = 0;
    for (long seed = firstSeed; sessions < LEAST_SESSIONS || System.nanoTime() < end; seed++) {
      try (FuzzedSession session = new FuzzedSession(seed)) {
        session.play();
        logons += session.logons();
        sentAgain += session.sentAgain();
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("-Dfuzz.seed=" + seed, e);
      }
      sessions++;
    }
    assertThat(logons).as("logons of %d sessions, first seed %d", sessions, firstSeed).isGreaterThan(sessions);
    assertThat(sentAgain).as("messages sent again by %d sessions, first seed %d", sessions, firstSeed)
        .isGreaterThan(sessions);
  }
}
