package dev.decant.faults;

import dev.decant.testkit.BrokerNode;
import dev.decant.testkit.fault.Direction;
import dev.decant.testkit.fault.Passage;
import java.time.Duration;
import java.util.Random;

/** One fault among many; those of a network stay until its proxy is healed. */
enum Mishap {
  /** Connections end. */
  RESET {
    @Override
    void happen(Bench bench) throws InterruptedException {
      bench.proxy(bench.anyBroker()).reset();
      bench.hold(0, 300);
    }
  },
  /** No connections any more. */
  CUT {
    @Override
    void happen(Bench bench) throws InterruptedException {
      bench.proxy(bench.anyBroker()).cut();
      bench.hold(100, 1000);
    }
  },
  /** One direction or the other is dead. */
  HALF_OPEN {
    @Override
    void happen(Bench bench) throws InterruptedException {
      Direction direction = bench.random.nextBoolean() ? Direction.TO_BROKER : Direction.TO_CLIENT;
      Passage passage = bench.random.nextBoolean() ? Passage.STALLED : Passage.LOST;
      bench.proxy(bench.anyBroker()).passage(direction, passage);
      bench.hold(500, 2500);
    }
  },
  /** Latency and slices. */
  SLOW {
    @Override
    void happen(Bench bench) throws InterruptedException {
      Scenario.slowDown(bench, bench.proxy(bench.anyBroker()));
      bench.hold(100, 1000);
    }
  },
  /** So little bandwidth that requests are being written for long. */
  NARROW {
    @Override
    void happen(Bench bench) throws InterruptedException {
      bench.proxy(bench.anyBroker()).bandwidth(Direction.TO_BROKER, bench.between(20_000, 200_000));
      bench.hold(100, 1500);
    }
  },
  /** Nobody hears at once that a side has closed. */
  SLOW_CLOSE {
    @Override
    void happen(Bench bench) throws InterruptedException {
      bench.proxy(bench.anyBroker()).slowClose(Direction.TO_CLIENT, Duration.ofMillis(bench.between(100, 1500)));
      bench.hold(0, 200);
    }
  },
  /** All networks are well again. */
  RELIEF {
    @Override
    void happen(Bench bench) throws InterruptedException {
      for (int broker = 1; broker <= Bench.BROKERS; broker++) {
        bench.proxy(broker).heal();
      }
      bench.hold(100, 500);
    }
  },
  /** SIGSTOP. */
  FREEZE {
    @Override
    void happen(Bench bench) throws InterruptedException {
      BrokerNode node = bench.cluster.node(bench.anyBroker());
      node.suspend();
      bench.hold(200, 5000);
      node.resume();
    }
  },
  /** SIGKILL. */
  KILL {
    @Override
    void happen(Bench bench) throws InterruptedException {
      BrokerNode node = bench.cluster.node(bench.anyBroker());
      node.kill();
      bench.hold(0, 2000);
      bench.restart(node);
    }
  };

  abstract void happen(Bench bench) throws InterruptedException;

  static Mishap any(Random random) {
    return values()[random.nextInt(values().length)];
  }
}
