package dev.decant.kafka.work;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.decant.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A user reads the status while the loop ends: the call must not wait for a loop that is gone. */
@JCStressTest
@Outcome(id = "1", expect = ACCEPTABLE, desc = "the status is there")
@Outcome(expect = FORBIDDEN, desc = "the status never comes")
@State
public class WorkControlStress {
  private final WorkControl control = new WorkControl(Clock.system());
  private @Nullable CompletableFuture<WorkStatus> status;

  /** Reads the status. */
  @Actor
  public void user() {
    status = control.status();
  }

  /** Ends. */
  @Actor
  public void loop() {
    control.ended(null, state -> new WorkStatus(state, null, 0, 0, 0, 0, 0, 0, 0, 0, 0, null, List.of(), Duration.ZERO,
        0, List.of()));
  }

  /** Looks whether the call would return. */
  @Arbiter
  public void look(I_Result r) {
    CompletableFuture<WorkStatus> read = status;
    r.r1 = read != null && read.isDone() ? 1 : 0;
  }
}
