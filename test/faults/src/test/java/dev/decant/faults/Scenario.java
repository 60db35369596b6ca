package dev.decant.faults;

import dev.decant.testkit.BrokerNode;
import dev.decant.testkit.fault.Direction;
import dev.decant.testkit.fault.FaultProxy;
import dev.decant.testkit.fault.Passage;
import java.time.Duration;

/** A schedule of faults, made by chance from a seed. {@link Bench#mend} ends what it leaves behind. */
enum Scenario {
  /** The leader of a partition is killed and comes back. */
  LEADER_KILLED {
    @Override
    void disturb(Bench bench) throws InterruptedException {
      BrokerNode leader = bench.anyLeader();
      leader.kill();
      bench.hold(0, 3000);
      bench.restart(leader);
    }
  },
  /** Each broker is stopped in good order and started again, when all replicas are in sync. */
  ROLLING_RESTART {
    @Override
    void disturb(Bench bench) throws InterruptedException {
      for (int broker = 1; broker <= Bench.BROKERS; broker++) {
        BrokerNode node = bench.cluster.node(broker);
        node.stop();
        bench.hold(0, 200);
        bench.restart(node);
        bench.cluster.awaitInSync(bench.topic);
        bench.load.awaitProgress();
      }
    }
  },
  /** A broker leads, but clients cannot reach it. */
  NETWORK_CUT {
    @Override
    void disturb(Bench bench) throws InterruptedException {
      for (int i = 0; i < 3; i++) {
        FaultProxy proxy = bench.proxy(bench.anyBroker());
        proxy.cut();
        bench.hold(100, 2000);
        proxy.heal();
        bench.load.awaitProgress();
      }
    }
  },
  /** Requests arrive, answers do not; nobody closes anything. The client must find out by itself. */
  ANSWERS_WITHHELD {
    @Override
    void disturb(Bench bench) throws InterruptedException {
      halfOpen(bench, Passage.OPEN, bench.random.nextBoolean() ? Passage.STALLED : Passage.LOST);
    }
  },
  /** Requests are held up on their way, and may arrive when nobody waits for an answer any more. */
  REQUESTS_WITHHELD {
    @Override
    void disturb(Bench bench) throws InterruptedException {
      halfOpen(bench, Passage.STALLED, Passage.OPEN);
    }
  },
  /** Nothing goes through to a broker, and nobody closes anything. */
  LINK_DEAD {
    @Override
    void disturb(Bench bench) throws InterruptedException {
      halfOpen(bench, Passage.LOST, Passage.LOST);
    }
  },
  /** Everything is slow and comes in pieces, and connections are reset now and then. */
  SLOW_AND_SLICED {
    @Override
    void disturb(Bench bench) throws InterruptedException {
      for (int broker = 1; broker <= Bench.BROKERS; broker++) {
        slowDown(bench, bench.proxy(broker));
      }
      for (int i = 0; i < 12; i++) {
        bench.hold(50, 600);
        bench.proxy(bench.anyBroker()).reset();
      }
    }
  },
  /** A broker stops in its tracks, for less or more time than the cluster needs to replace it. */
  BROKER_FROZEN {
    @Override
    void disturb(Bench bench) throws InterruptedException {
      BrokerNode leader = bench.anyLeader();
      leader.suspend();
      bench.hold(500, 7000);
      leader.resume();
    }
  },
  /** No answers for longer than the delivery timeout: records fail, and may be stored all the same, once. */
  DELIVERY_TIMES_OUT {
    @Override
    void disturb(Bench bench) throws InterruptedException {
      Direction direction = bench.random.nextBoolean() ? Direction.TO_CLIENT : Direction.TO_BROKER;
      for (int broker = 1; broker <= Bench.BROKERS; broker++) {
        bench.proxy(broker).passage(direction, Passage.STALLED);
      }
      bench.load.awaitFailures();
      bench.hold(0, 1000);
    }

    @Override
    LoadSettings load() {
      return LoadSettings.usual().deliveryTimeout(Duration.ofMillis(2500));
    }
  },
  /** All of it, one over the other; but no second broker dies or freezes while one is away. */
  ALL_AT_ONCE {
    @Override
    void disturb(Bench bench) throws InterruptedException {
      for (int i = bench.between(8, 12); i > 0; i--) {
        Mishap.any(bench.random).happen(bench);
        if (bench.random.nextInt(3) == 0) {
          bench.proxy(bench.anyBroker()).heal();
        }
      }
    }
  };

  abstract void disturb(Bench bench) throws InterruptedException;

  LoadSettings load() {
    return LoadSettings.usual();
  }

  private static void halfOpen(Bench bench, Passage toBroker, Passage toClient) throws InterruptedException {
    int broker = bench.anyLeader().id();
    FaultProxy proxy = bench.proxy(broker);
    proxy.passage(Direction.TO_BROKER, toBroker);
    proxy.passage(Direction.TO_CLIENT, toClient);
    bench.load.awaitNoticed(bench.nameOf(broker));
    bench.hold(0, 2500);
    proxy.heal();
  }

  static void slowDown(Bench bench, FaultProxy proxy) {
    for (Direction direction : Direction.values()) {
      proxy.latency(direction, Duration.ofMillis(bench.between(0, 30)));
      proxy.slices(direction, bench.between(100, 2000));
    }
  }
}
