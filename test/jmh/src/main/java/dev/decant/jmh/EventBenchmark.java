package dev.decant.jmh;

import dev.decant.event.Event;
import dev.decant.event.Listeners;
import dev.decant.time.Clock;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.CompilerControl;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What an event costs that nobody listens to, beside a bare call and beside the naive form that reads the clock twice
 * and builds what it would tell before it looks for listeners; and what the clocks cost. Run as
 * {@link BufferAccessBenchmark} says, with {@code -prof gc}.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class EventBenchmark {
  /** What is listened to. */
  public interface WorkListener {
    /**
     * Work was done.
     *
     * @param amount how much
     * @param nanos how long it took
     */
    default void onDone(int amount, long nanos) {}

    /**
     * Something else.
     *
     * @param amount how much
     */
    default void onOther(int amount) {}
  }

  private final Clock clock = Clock.system();
  private final Listeners<WorkListener> listeners = new Listeners<>(WorkListener.class);
  private final Event<WorkListener> done = listeners.event("onDone");
  private final Event<WorkListener> other = listeners.event("onOther");
  private final CopyOnWriteArrayList<WorkListener> naive = new CopyOnWriteArrayList<>();
  private int amount = 7;
  private long heard;

  /** Makes the benchmark, with somebody who listens to the other event. */
  public EventBenchmark() {
    listeners.add(new WorkListener() {
      @Override
      public void onOther(int howMuch) {
        heard += howMuch;
      }
    });
  }

  @CompilerControl(CompilerControl.Mode.DONT_INLINE)
  private int work(int howMuch) {
    return howMuch * 31;
  }

  /**
   * The control.
   *
   * @return what was done
   */
  @Benchmark
  public int bareCall() {
    return work(amount);
  }

  /**
   * The same with an event that nobody listens to, although somebody listens to another of its domain.
   *
   * @return what was done
   */
  @Benchmark
  public int unwatched() {
    int result = work(amount);
    WorkListener[] told = done.listeners();
    if (told != null) {
      tell(told, result);
    }
    return result;
  }

  /**
   * The same with a listener that counts.
   *
   * @return what was done
   */
  @Benchmark
  public int watched() {
    int result = work(amount);
    WorkListener[] told = other.listeners();
    if (told != null) {
      for (WorkListener listener : told) {
        listener.onOther(result);
      }
    }
    return result;
  }

  /**
   * The same, as instrumentation is often written.
   *
   * @return what was done
   */
  @Benchmark
  public int naive() {
    Instant started = Instant.now();
    int result = work(amount);
    Map<String, @Nullable Object> payload = Map.of("amount", result, "started", started, "ended", Instant.now());
    for (WorkListener listener : naive) {
      listener.onDone(payload.size(), 0);
    }
    return result;
  }

  private void tell(WorkListener[] told, int result) {
    long nanos = clock.nanoTime();
    for (WorkListener listener : told) {
      listener.onDone(result, nanos);
    }
  }

  /**
   * Monotonic time as it is read here.
   *
   * @return nanoseconds
   */
  @Benchmark
  public long clockNanoTime() {
    return clock.nanoTime();
  }

  /**
   * Epoch time as it is read here.
   *
   * @return milliseconds
   */
  @Benchmark
  public long clockEpochMillis() {
    return clock.epochMillis();
  }

  /**
   * Epoch time as an object.
   *
   * @return the instant
   */
  @Benchmark
  public Instant instantNow() {
    return Instant.now();
  }
}
