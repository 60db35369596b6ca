package dev.decant.lab.stress;

import dev.decant.lab.live.RunListener;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The benches of a run whose scenarios may need clusters of different sizes. One cluster runs at a time, so that no
 * other one disturbs the measurement. One thread at a time.
 */
public final class Benches implements AutoCloseable {
  private final IntFunction<ClusterAccess> opening;
  private final boolean endWithTheRun;
  private final int byDefault;
  private final Path logs;
  private final RunListener listener;
  private final List<String> jvmArguments;
  private @Nullable Standing standing;

  private record Standing(int brokers, ClusterAccess cluster, TestBench bench) {}

  /**
   * Prepares the benches; nothing is started yet.
   *
   * @param opening starts a cluster of a number of nodes, or connects to an existing one
   * @param endWithTheRun true if these clusters end when they are closed; false for one that was there before
   * @param byDefault number of nodes for a scenario that gives none
   * @param logs see {@link TestBench}
   * @param listener see {@link TestBench}
   * @param jvmArguments see {@link TestBench}
   */
  public Benches(IntFunction<ClusterAccess> opening, boolean endWithTheRun, int byDefault, Path logs,
      RunListener listener,
      List<String> jvmArguments) {
    this.opening = opening;
    this.endWithTheRun = endWithTheRun;
    this.byDefault = byDefault;
    this.logs = logs;
    this.listener = listener;
    this.jvmArguments = jvmArguments;
  }

  /**
   * Returns the bench with a cluster of a size. Stops a cluster of another size first.
   *
   * @param wanted number of nodes; 0 for the default
   * @return valid until the next call
   */
  public TestBench of(int wanted) {
    int size = wanted == 0 ? byDefault : wanted;
    Standing present = standing;
    if (present != null && present.brokers == size) {
      return present.bench;
    }
    close();
    ClusterAccess access = opening.apply(size);
    TestBench bench = new TestBench(access, endWithTheRun, logs, listener, jvmArguments);
    standing = new Standing(size, access, bench);
    return bench;
  }

  @Override
  public void close() {
    Standing closing = standing;
    if (closing != null) {
      standing = null;
      try {
        closing.bench.close();
      } finally {
        closing.cluster.close();
      }
    }
  }
}
