package dev.decant.micrometer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.work.AsyncWorkHandler;
import dev.decant.kafka.work.Work;
import dev.decant.kafka.work.WorkContextHandler;
import dev.decant.kafka.work.WorkStatus;
import dev.decant.time.Clock;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one work, tagged with {@code group.id}. All begin with {@code decant.kafka.work}. The page "Parallel
 * work" of Decant's documents lists them.
 *
 * <p>Counters and gauges are read from the status of the work when the registry reads them, once a second at most, and
 * cost nothing in between. Unknown values are NaN. Handlers are timed if they are surrounded by {@link #timed} or
 * {@link #timedAsync}. To be closed, before or after the work. Any thread.
 */
@SuppressWarnings("exports") // a module that uses this class requires dev.decant.kafka.work itself
public final class WorkMetrics implements MeterBinder, AutoCloseable {
  private final Recent<Optional<WorkStatus>> status;
  private final Tags tags;
  // Under the monitor of this.
  private final List<Meters> bound = new ArrayList<>();
  private boolean closed;

  /**
   * Prepares the meters; {@link #bindTo} makes them.
   *
   * @param work to be measured
   * @param group value of the tag {@code group.id}, another for each work of a registry
   */
  public WorkMetrics(Work work, String group) {
    status = new Recent<>(() -> statusOf(work), Clock.system());
    tags = Tags.of("group.id", group);
  }

  private static Optional<WorkStatus> statusOf(Work work) {
    try {
      return Optional.of(work.status());
    } catch (KafkaException | IllegalStateException e) { // its thread is busy, or asks itself
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  /**
   * Times the attempts of a handler, as {@code decant.kafka.work.attempt} with the tag {@code outcome}.
   *
   * @param <K> type of keys
   * @param <V> type of values
   * @param registry takes the timers
   * @param group value of the tag {@code group.id}
   * @param handler works on records
   * @return the handler to open the work with
   */
  public static <K, V> WorkContextHandler<K, V> timed(MeterRegistry registry, String group,
      WorkContextHandler<K, V> handler) {
    Timer done = timer(registry, group, "done");
    Timer failed = timer(registry, group, "failed");
    return (record, context) -> {
      long begin = System.nanoTime();
      boolean isDone = false;
      try {
        handler.handle(record, context);
        isDone = true;
      } finally {
        (isDone ? done : failed).record(System.nanoTime() - begin, TimeUnit.NANOSECONDS);
      }
    };
  }

  /**
   * Times the attempts of an asynchronous handler until their stages are complete.
   *
   * @param <K> type of keys
   * @param <V> type of values
   * @param registry takes the timers
   * @param group value of the tag {@code group.id}
   * @param handler begins records
   * @return the handler to open the work with
   */
  public static <K, V> AsyncWorkHandler<K, V> timedAsync(MeterRegistry registry, String group,
      AsyncWorkHandler<K, V> handler) {
    Timer done = timer(registry, group, "done");
    Timer failed = timer(registry, group, "failed");
    return (record, context) -> {
      long begin = System.nanoTime();
      boolean hasBegun = false;
      try {
        CompletionStage<?> stage = handler.begin(record, context);
        hasBegun = true;
        if (stage != null) {
          return stage.whenComplete((result, error) -> (error == null ? done : failed)
              .record(System.nanoTime() - begin, TimeUnit.NANOSECONDS));
        }
        done.record(System.nanoTime() - begin, TimeUnit.NANOSECONDS);
        return null;
      } finally {
        if (!hasBegun) {
          failed.record(System.nanoTime() - begin, TimeUnit.NANOSECONDS);
        }
      }
    };
  }

  private static Timer timer(MeterRegistry registry, String group, String outcome) {
    return Timer.builder("decant.kafka.work.attempt").description("How long handlers have worked on a record")
        .tags("group.id", group, "outcome", outcome).register(registry);
  }

  /**
   * Makes the meters.
   *
   * @param registry takes them; more than one may, each once
   * @throws IllegalStateException when this is closed
   */
  @Override
  public synchronized void bindTo(MeterRegistry registry) {
    if (closed) {
      throw new IllegalStateException("these metrics are closed; make new ones for the work");
    }
    Meters meters = new Meters(registry, tags, false);
    bound.add(meters);
    underWay(meters, "working", WorkStatus::working);
    underWay(meters, "retry", WorkStatus::awaitingRetry);
    underWay(meters, "dead_letter", WorkStatus::awaitingDeadLetter);
    underWay(meters, "commit", WorkStatus::awaitingCommit);
    underWay(meters, "turn", WorkMetrics::awaitingTurn);
    gauge(meters, "bytes", "bytes", "Memory of records under way and of their results", WorkStatus::underWayBytes);
    gauge(meters, "lag", null, "Records behind those that were taken, of all partitions", WorkMetrics::lag);
    gauge(meters, "healthy", null, "1 while nothing that the work needs fails, else 0", s -> s.isHealthy() ? 1 : 0);
    meters.make((to, common) -> TimeGauge.builder("decant.kafka.work.oldest",
        () -> read(s -> s.oldestUnderWay().toNanos()), TimeUnit.NANOSECONDS)
        .description("Since the oldest record under way was taken").tags(common).register(to));
    counter(meters, "done", "Records whose handler ended well", WorkStatus::done);
    counter(meters, "attempts.failed", "Attempts that have failed", WorkStatus::failedAttempts);
    counter(meters, "records.failed", "Records that have failed for the last time", WorkStatus::failedRecords);
    counter(meters, "bound.pauses", "How often no more records were taken at a bound", WorkStatus::boundPauses);
  }

  private void underWay(Meters meters, String state, ToDoubleFunction<WorkStatus> value) {
    meters.make((to, common) -> Gauge.builder("decant.kafka.work.records", () -> read(value))
        .description("Records under way, by what they wait for").tags(common).tags("state", state).register(to));
  }

  private static double awaitingTurn(WorkStatus s) {
    return Math.max(0,
        s.underWay() - s.working() - s.awaitingRetry() - s.awaitingDeadLetter() - s.awaitingCommit());
  }

  private static double lag(WorkStatus s) {
    return s.partitions().stream().mapToLong(partition -> Math.max(0, partition.lag())).sum();
  }

  private void gauge(Meters meters, String name, @Nullable String unit, String description,
      ToDoubleFunction<WorkStatus> value) {
    meters.make((to, common) -> Gauge.builder("decant.kafka.work." + name, () -> read(value))
        .description(description).baseUnit(unit).tags(common).register(to));
  }

  private void counter(Meters meters, String name, String description, ToDoubleFunction<WorkStatus> value) {
    meters.make((to, common) -> FunctionCounter.builder("decant.kafka.work." + name, this, of -> of.read(value))
        .description(description).tags(common).register(to));
  }

  private double read(ToDoubleFunction<WorkStatus> value) {
    return status.get().map(value::applyAsDouble).orElse(Double.NaN);
  }

  /** Removes the meters from their registries. Again: does nothing. */
  @Override
  public synchronized void close() {
    closed = true;
    bound.forEach(Meters::close);
    bound.clear();
  }
}
