package dev.decant.faults.work;

import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** What happens to members. At least two of them stay well, and there are four at most. */
enum MemberFault {
  /** SIGKILL. */
  KILL {
    @Override
    void happen(WorkBench bench, Random random) {
      MemberProcess member = one(bench, random);
      member.kill();
      bench.event(member.name + " was killed");
    }
  },
  /** SIGTERM, upon which the member closes its work. */
  STOP {
    @Override
    void happen(WorkBench bench, Random random) {
      MemberProcess member = one(bench, random);
      member.stop();
      bench.event(member.name + " is stopped");
    }
  },
  /** A new member. */
  ADD {
    @Override
    void happen(WorkBench bench, Random random) {
      bench.addMember();
    }
  },
  /** SIGSTOP, until the group has gone on without the member. */
  FREEZE {
    @Override
    void happen(WorkBench bench, Random random) {
      MemberProcess member = one(bench, random);
      member.freeze();
      bench.event(member.name + " is frozen");
    }
  };

  static final int LEAST = 2;
  private static final int MOST = 4;

  abstract void happen(WorkBench bench, Random random);

  private static MemberProcess one(WorkBench bench, Random random) {
    List<MemberProcess> well = bench.well();
    return well.get(random.nextInt(well.size()));
  }

  /** One that may happen now, if any may. */
  static @Nullable MemberFault any(WorkBench bench, Random random) {
    int well = bench.well().size();
    int frozen = bench.frozen().size();
    int others = frozen + bench.starting();
    if (well <= LEAST) {
      return well + others < MOST ? ADD : null;
    }
    MemberFault fault = values()[random.nextInt(values().length)];
    return (fault == ADD && well + others >= MOST) || (fault == FREEZE && frozen > 0) ? KILL : fault;
  }
}
