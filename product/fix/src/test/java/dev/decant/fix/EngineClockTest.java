package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.time.Clock;
import java.util.concurrent.TimeUnit;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** SendingTime(52) follows the time of day, whichever thread reads the clocks and however long that takes. */
class EngineClockTest {
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long MIDNIGHT = 1_773_446_400_000L;

  /** A machine on which a thread may stand still before or after it reads the time of day. */
  private static final class Machine implements Clock {
    long nanos;
    long setBackMillis;
    long pauseBefore;
    long pauseAfter;

    @Override
    public long nanoTime() {
      return nanos;
    }

    @Override
    public long epochMillis() {
      nanos += pauseBefore;
      long millis = MIDNIGHT + nanos / MILLI - setBackMillis;
      nanos += pauseAfter;
      return millis;
    }

    long epochNanos() {
      return MIDNIGHT * MILLI + nanos - setBackMillis * MILLI;
    }
  }

  private final Machine machine = new Machine();
  private final EngineClock clock = new EngineClock(machine);

  private long next() {
    machine.nanos += 150 * MILLI;
    return clock.epochNanos(machine.nanos) - MIDNIGHT * MILLI;
  }

  /** Each thread that sends reads the clocks: one that lost its processor in between set the time of all forward. */
  @Test
  void threadThatStandsStillBetweenTheClocksChangesNoTime() {
    for (int i = 0; i < 5; i++) {
      machine.pauseBefore = i % 2 == 0 ? 50 * MILLI : 0;
      machine.pauseAfter = i % 2 == 0 ? 0 : 50 * MILLI;
      long asked = machine.nanos + 150 * MILLI;
      assertThat(next()).isCloseTo(asked, Offset.offset(MILLI));
    }
  }

  @Test
  void timeOfDayThatIsSetIsFollowed() {
    machine.setBackMillis = 500;
    next();
    assertThat(next() + MIDNIGHT * MILLI).isCloseTo(machine.epochNanos(), Offset.offset(MILLI));
    machine.setBackMillis = -500;
    next();
    assertThat(next() + MIDNIGHT * MILLI).isCloseTo(machine.epochNanos(), Offset.offset(MILLI));
  }
}
