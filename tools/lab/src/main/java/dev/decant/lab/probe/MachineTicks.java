package dev.decant.lab.probe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The use of the whole machine's processors, in ticks of the system, from the first line of Linux's {@code /proc/stat}.
 * The difference of two readings is a measurement.
 *
 * @param idle ticks in which no thread could run
 * @param stolen ticks in which one could, but the hypervisor ran another machine
 * @param interrupts ticks for interrupts of any process, of the network for example
 * @param total ticks of all kinds
 */
public record MachineTicks(long idle, long stolen, long interrupts, long total) {

  private static final int IDLE = 4;
  private static final int IO_WAIT = 5;
  private static final int INTERRUPTS = 6;
  private static final int SOFT_INTERRUPTS = 7;
  private static final int STEAL = 8;
  /** USER_HZ, which every Linux shows to processes, independent of its own tick. */
  private static final int PER_SECOND = 100;

  /**
   * Reads the counters.
   *
   * @return the present ticks; all 0 without {@code /proc/stat}
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
    for (int i = 1; i <= STEAL; i++) { // the columns behind STEAL, time of guests, are part of these already
      total += Long.parseLong(fields[i]);
    }
    return new MachineTicks(Long.parseLong(fields[IDLE]) + Long.parseLong(fields[IO_WAIT]),
        Long.parseLong(fields[STEAL]), Long.parseLong(fields[INTERRUPTS]) + Long.parseLong(fields[SOFT_INTERRUPTS]),
        total);
  }

  /**
   * Returns the idle time since an earlier reading.
   *
   * @param before the earlier reading
   * @return per cent of all processors; negative if the system does not report it
   */
  public double idlePercentSince(MachineTicks before) {
    return percent(idle - before.idle, before);
  }

  /**
   * Returns the stolen time since an earlier reading.
   *
   * @param before the earlier reading
   * @return per cent of all processors; negative if the system does not report it
   */
  public double stolenPercentSince(MachineTicks before) {
    return percent(stolen - before.stolen, before);
  }

  /**
   * Returns the disturbance of a measurement by other processes: time that was not idle, and not used by the
   * measurement's own processes, the hypervisor or interrupts. Systems that count interrupts as time of the interrupted
   * process, too, show less.
   *
   * @param before the earlier reading
   * @param ownSeconds processor time of the processes that belong to the measurement
   * @return per cent of all processors, at least 0; negative if the system does not report it
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
