package dev.decant.faults.fix;

import dev.decant.testkit.fault.Direction;
import dev.decant.testkit.fault.FaultProxy;
import dev.decant.testkit.fault.Passage;
import java.time.Duration;

/** A fault of some sessions' networks, which stays until it is healed, or of a process. */
enum FixFault {
  /** Connections end, and new ones are refused. */
  CUT {
    @Override
    void happen(FixBench bench) throws InterruptedException {
      bench.burst();
      bench.someProxies().forEach(FaultProxy::cut);
      bench.hold(100, 1500);
    }
  },
  /** Connections end by RST. */
  RESET {
    @Override
    void happen(FixBench bench) throws InterruptedException {
      bench.burst();
      bench.someProxies().forEach(FaultProxy::reset);
      bench.hold(0, 300);
    }
  },
  /** One direction is dead or lost, mostly for longer than the 2.4 s after which an engine ends such a connection. */
  HALF_OPEN {
    @Override
    void happen(FixBench bench) throws InterruptedException {
      Direction direction = bench.random.nextBoolean() ? Direction.TO_BROKER : Direction.TO_CLIENT;
      Passage passage = bench.random.nextBoolean() ? Passage.STALLED : Passage.LOST;
      bench.someProxies().forEach(proxy -> proxy.passage(direction, passage));
      bench.hold(1500, 4000);
    }
  },
  /** Latency, and little bandwidth. */
  SLOW {
    @Override
    void happen(FixBench bench) throws InterruptedException {
      Duration latency = Duration.ofMillis(bench.between(10, 300));
      long bandwidth = bench.between(10_000, 100_000);
      for (FaultProxy proxy : bench.someProxies()) {
        for (Direction direction : Direction.values()) {
          proxy.latency(direction, latency);
          proxy.bandwidth(direction, bandwidth);
        }
      }
      bench.hold(500, 2500);
    }
  },
  /** Pieces of a few bytes. */
  SLICED {
    @Override
    void happen(FixBench bench) throws InterruptedException {
      int largest = bench.between(1, 40);
      for (FaultProxy proxy : bench.someProxies()) {
        for (Direction direction : Direction.values()) {
          proxy.slices(direction, largest);
        }
      }
      bench.hold(500, 2000);
    }
  },
  /** SIGSTOP of either engine, for less or more time than the other waits for. */
  FREEZE {
    @Override
    void happen(FixBench bench) throws InterruptedException {
      EngineProcess engine = bench.random.nextBoolean() ? bench.decant : bench.quickFix;
      engine.suspend();
      bench.hold(300, 4000);
      engine.resume();
    }
  },
  /** SIGKILL of Decant. */
  KILL_DECANT {
    @Override
    void happen(FixBench bench) throws InterruptedException {
      killAndRestart(bench, bench.decant);
    }
  },
  /** SIGKILL of QuickFIX/J. */
  KILL_QUICKFIX {
    @Override
    void happen(FixBench bench) throws InterruptedException {
      killAndRestart(bench, bench.quickFix);
    }
  };

  abstract void happen(FixBench bench) throws InterruptedException;

  private static void killAndRestart(FixBench bench, EngineProcess engine) throws InterruptedException {
    bench.burst();
    engine.kill();
    bench.hold(0, 1000);
    engine.start();
    bench.hold(0, 500);
  }
}
