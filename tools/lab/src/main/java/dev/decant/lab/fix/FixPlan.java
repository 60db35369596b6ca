package dev.decant.lab.fix;

import dev.decant.lab.jvm.JavaRuntime;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The plan of a run of {@code decant fix}.
 *
 * @param engines engines, in this order
 * @param works works, in this order
 * @param modes modes of all works; empty for the default modes of each work
 * @param size messages and duration of each sample
 * @param rounds number of passes over all setups, each there and back
 * @param quick true for short samples, without setups that no bar judges
 * @param jvmArguments flags of the engines' JVMs, after the lab's own
 * @param javas further JVMs on which each engine is measured; empty for the lab's own alone
 */
public record FixPlan(List<Engine> engines, List<FixWork> works, List<FixMode> modes, Size size, int rounds,
    boolean quick, List<String> jvmArguments, List<JavaRuntime> javas) {

  /** Least number of messages in the warm-up. */
  private static final long WARM_UP_MESSAGES = 110_000;
  /**
   * Most time of the warm-up, which ends when the compiler rests. With one CPU the compiler takes half of that CPU for
   * 7 s, and longer on a busy machine; a sample that begins before is twice as slow.
   */
  private static final long WARM_UP_MILLIS = 30_000;
  /** Bounds of the warm-up of a run with few messages, in milliseconds and in messages per millisecond. */
  private static final long SHORT_WARM_UP_MILLIS = 200;
  private static final long SHORT_WARM_UP_RATE = 3;
  private static final long ORIENTATION_MILLIS = 15_000;
  private static final int IDLE_PAIRS = 10;
  /** The shortest heartbeat interval that FIX has. */
  private static final int SHORT_HEARTBEAT_SECONDS = 1;
  private static final int HEARTBEAT_SECONDS = 30;

  /**
   * The messages and the duration of each sample.
   *
   * @param messages number of messages
   * @param millis most time of a sample, even for fewer messages
   * @param pacedMillis duration of paced work
   * @param idleMillis duration of work that sends nothing
   * @param ratePerSecond rate of paced work
   */
  public record Size(long messages, long millis, long pacedMillis, long idleMillis, int ratePerSecond) {}

  /**
   * Returns all setups.
   *
   * @return in the order of the first turn: compared setups stand together
   */
  public List<FixSetup> setups() {
    List<FixSetup> setups = new ArrayList<>();
    for (FixWork work : works) {
      for (FixMode mode : modes.isEmpty() ? work.modes() : modes) {
        for (Engine engine : engines) {
          if (engine.does(work, mode) && !(quick && modes.isEmpty() && isForOrientation(engine, work, mode))) {
            addOnEachJvm(engine, work, mode, setups);
          }
        }
      }
    }
    return setups;
  }

  private void addOnEachJvm(Engine engine, FixWork work, FixMode mode, List<FixSetup> to) {
    to.add(new FixSetup(engine, work, mode, javas.isEmpty() ? null : JavaRuntime.own()));
    javas.forEach(java -> to.add(new FixSetup(engine, work, mode, java)));
  }

  /** Returns true for a setup that no bar judges; a quick run leaves it out. */
  private static boolean isForOrientation(Engine engine, FixWork work, FixMode mode) {
    return engine == Engine.QUICKFIXJ_FILE || (work == FixWork.ROUND_TRIPS && mode == FixMode.TWO_CPUS_BLOCKING)
        || (work == FixWork.PACED && !engine.isDecant());
  }

  /**
   * Returns the setups in turns: a group of compared setups there and back, then the next group.
   *
   * @return one entry for each sample
   */
  List<FixSetup> turns() {
    List<FixSetup> turns = new ArrayList<>();
    List<FixSetup> setups = setups();
    for (String group : setups.stream().map(FixSetup::group).distinct().toList()) {
      List<FixSetup> compared = setups.stream().filter(setup -> setup.group().equals(group)).toList();
      for (int round = 0; round < rounds; round++) {
        turns.addAll(compared);
        turns.addAll(compared.reversed());
      }
    }
    return turns;
  }

  /** Returns the work of a JVM for one sample. */
  FixSpec spec(FixSetup setup, Path directory) {
    FixWork work = setup.work();
    long millis = switch (work) {
      case PACED -> size.pacedMillis();
      case IDLE -> size.idleMillis();
      case ROUND_TRIPS, ROUND_TRIPS_LOGGED, ONE_WAY -> work == FixWork.ROUND_TRIPS
          && setup.mode() == FixMode.TWO_CPUS_BLOCKING ? Math.min(size.millis(), ORIENTATION_MILLIS) : size.millis();
    };
    boolean timed = work == FixWork.PACED || work == FixWork.IDLE;
    FixSpec.Amount amount = new FixSpec.Amount(Math.min(WARM_UP_MESSAGES, Math.max(1000, size.messages())),
        quick ? Math.min(WARM_UP_MILLIS, SHORT_WARM_UP_MILLIS + size.messages() / SHORT_WARM_UP_RATE) : WARM_UP_MILLIS,
        timed ? 0 : size.messages(), millis, size.ratePerSecond());
    FixSpec.Sessions sessions = FixSpec.Sessions.of(setup.engine(), work == FixWork.IDLE ? IDLE_PAIRS : 1,
        work.isLogged() || work == FixWork.IDLE ? SHORT_HEARTBEAT_SECONDS : HEARTBEAT_SECONDS, work.isLogged());
    return new FixSpec(setup.engine(), work, setup.mode().isSpinning(), amount, sessions, directory.toString());
  }
}
