package dev.decant.lab.stress;

import dev.decant.lab.live.RunListener;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The benches of a run whose scenarios may want clusters of different sizes. One cluster stands at a time, so that no
 * other one disturbs what is measured. One thread.
 */
public final class Benches implements AutoCloseable {
  private final IntFunction<ClusterAccess> opening;
  private final boolean endWithTheRun;
  private final int usual;
  private final Path logs;
  private final RunListener listener;
  private final List<String> jvmArguments;
  private @Nullable Standing standing;

  private record Standing(int brokers, ClusterAccess cluster, TestBench bench) {}

  /**
   * Nothing is started yet.
   *
   * @param opening starts a cluster of so many nodes, or connects to one that has as many
   * @param endWithTheRun whether these clusters end when they are closed; false for one that was there before
   * @param usual how many nodes where a scenario does not say
   * @param logs see {@link TestBench}
   * @param listener see {@link TestBench}
   * @param jvmArguments see {@link TestBench}
   */
  public Benches(IntFunction<ClusterAccess> opening, boolean endWithTheRun, int usual, Path logs, RunListener listener,
      List<String> jvmArguments) {
    this.opening = opening;
    this.endWithTheRun = endWithTheRun;
    this.usual = usual;
    this.logs = logs;
    this.listener = listener;
    this.jvmArguments = jvmArguments;
  }

  /**
   * The bench with a cluster of that size; one of another size is stopped before.
   *
   * @param wanted how many nodes; 0 for as many as usual
   * @return open until another one is asked for
   */
  public TestBench of(int wanted) {
    int size = wanted == 0 ? usual : wanted;
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
