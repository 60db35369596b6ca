package dev.decant.kafka.fetch;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JI_Result;

/** What the loop tells the polling thread of a partition. */
public class PartitionFetchStateStress {
  private PartitionFetchStateStress() {}

  /** A lookup ends on the loop while another thread polls. */
  @JCStressTest
  @Outcome(id = "-1, -1", expect = ACCEPTABLE, desc = "not known yet")
  @Outcome(id = "5, 2", expect = ACCEPTABLE, desc = "offset and epoch that were found")
  @Outcome(expect = FORBIDDEN, desc = "half of what was found")
  @State
  public static class FoundIsWhole {
    private final PartitionFetchState p = new PartitionFetchState("stress", 0);

    /** It was sought once. */
    public FoundIsWhole() {
      p.seeks = 1;
    }

    /** Finds the position. */
    @Actor
    public void loop() {
      p.foundAt(5, 2, false);
    }

    /** Polls. */
    @Actor
    public void poller(JI_Result r) {
      boolean isFound = p.isFound(1);
      r.r1 = isFound ? p.found() : PartitionFetchState.UNKNOWN;
      r.r2 = isFound ? p.foundEpoch() : PartitionFetchState.NO_EPOCH;
    }
  }
}
