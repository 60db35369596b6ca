package dev.decant.lab.probe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the processors of the whole machine have done, in ticks of the system, from the first line of Linux's
 * {@code /proc/stat}; two of them make a measurement.
 *
 * @param idle nobody wanted a processor
 * @param stolen somebody did, but the hypervisor gave it to another machine
 * @param interrupts handled, of the network for example, for whichever process
 * @param total of all kinds
 */
public record MachineTicks(long idle, long stolen, long interrupts, long total) {

  private static final int IDLE = 4;
  private static final int IO_WAIT = 5;
  private static final int INTERRUPTS = 6;
  private static final int SOFT_INTERRUPTS = 7;
  private static final int STEAL = 8;
  /** USER_HZ, which every Linux shows to processes, whatever its own tick is. */
  private static final int PER_SECOND = 100;

  /**
   * Reads them.
   *
   * @return now; all 0 where there is no {@code /proc/stat}
   */
  public static MachineTicks take() {
    try {
      return parse(Files.readString(Path.of("/proc/stat")));
    } catch (IOException e) {
      return new MachineTicks(0, 0, 0, 0);
    }
  }

  static MachineTicks parse(String stat) {
    String[] fields = stat.lines().findFirst().orElse("").split(" +", -1);
    long total = 0;
    for (int i = 1; i <= STEAL; i++) { // what follows, time of guests, is counted in these already
      total += Long.parseLong(fields[i]);
    }
    return new MachineTicks(Long.parseLong(fields[IDLE]) + Long.parseLong(fields[IO_WAIT]),
        Long.parseLong(fields[STEAL]), Long.parseLong(fields[INTERRUPTS]) + Long.parseLong(fields[SOFT_INTERRUPTS]),
        total);
  }

  /**
   * Idle time.
   *
   * @param before the earlier reading
   * @return per cent of all processors; negative where the system does not tell
   */
  public double idlePercentSince(MachineTicks before) {
    return percent(idle - before.idle, before);
  }

  /**
   * Stolen time.
   *
   * @param before the earlier reading
   * @return per cent of all processors; negative where the system does not tell
   */
  public double stolenPercentSince(MachineTicks before) {
    return percent(stolen - before.stolen, before);
  }

  /**
   * How much other processes have disturbed a measurement: what was not idle and used by none of its own, nor by the
   * hypervisor or by interrupts. Systems that count interrupts as time of the interrupted process, too, show less.
   *
   * @param before the earlier reading
   * @param ownSeconds processor time of the processes that belong to the measurement
   * @return per cent of all processors, at least 0; negative where the system does not tell
   */
  public double othersPercentSince(MachineTicks before, double ownSeconds) {
    if (total == before.total) {
      return -1;
    }
    double own = 100 * ownSeconds * PER_SECOND / (total - before.total);
    return Math.max(0, 100 - idlePercentSince(before) - stolenPercentSince(before)
        - percent(interrupts - before.interrupts, before) - own);
  }

  private double percent(long part, MachineTicks before) {
    return total == before.total ? -1 : 100.0 * part / (total - before.total);
  }
}
