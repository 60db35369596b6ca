package dev.decant.opentelemetry;

import dev.decant.event.Registration;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.work.Work;
import dev.decant.kafka.work.WorkStatus;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.BatchCallback;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableDoubleMeasurement;
import io.opentelemetry.api.metrics.ObservableLongMeasurement;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The metrics of one work. All begin with {@code decant.kafka.work} and have the attributes {@code messaging.system}
 * and
 * {@code messaging.consumer.group.name}. The page "Parallel work" of Decant's documents lists them. {@link WorkSpans}
 * measures attempts.
 *
 * <p>They are observed: read from the status of the work in one go when metrics are collected, at no cost in between.
 * Unknown values are not recorded.
 */
public final class WorkMetrics {
  private static final AttributeKey<String> STATE = AttributeKey.stringKey("decant.kafka.work.state");
  private static final double NANOS_PER_SECOND = 1e9;

  private final Work work;
  private final Attributes attributes;
  private final ObservableLongMeasurement records;
  private final ObservableLongMeasurement bytes;
  private final ObservableLongMeasurement lag;
  private final ObservableLongMeasurement healthy;
  private final ObservableDoubleMeasurement oldest;
  private final ObservableLongMeasurement done;
  private final ObservableLongMeasurement failedAttempts;
  private final ObservableLongMeasurement failedRecords;
  private final ObservableLongMeasurement boundPauses;

  private WorkMetrics(Work work, String group, Meter meter) {
    this.work = work;
    this.attributes = Attributes.of(ClientAttributes.SYSTEM, "kafka", ClientAttributes.GROUP, group);
    records = gauge(meter, "records", "{record}", "Records under way, by what they wait for");
    bytes = gauge(meter, "bytes", "By", "Memory of records under way and of their results");
    lag = gauge(meter, "lag", "{record}", "Records behind those that were taken, of all partitions");
    healthy = gauge(meter, "healthy", "1", "1 while nothing that the work needs fails, else 0");
    oldest = meter.gaugeBuilder("decant.kafka.work.oldest").setUnit("s")
        .setDescription("Since the oldest record under way was taken").buildObserver();
    done = counter(meter, "done", "{record}", "Records whose handler ended well");
    failedAttempts = counter(meter, "attempts.failed", "{attempt}", "Attempts that have failed");
    failedRecords = counter(meter, "records.failed", "{record}", "Records that have failed for the last time");
    boundPauses = counter(meter, "bound.pauses", "{pause}", "How often no more records were taken at a bound");
  }

  private static ObservableLongMeasurement gauge(Meter meter, String name, String unit, String description) {
    return meter.gaugeBuilder("decant.kafka.work." + name).ofLongs().setUnit(unit).setDescription(description)
        .buildObserver();
  }

  private static ObservableLongMeasurement counter(Meter meter, String name, String unit, String description) {
    return meter.counterBuilder("decant.kafka.work." + name).setUnit(unit).setDescription(description)
        .buildObserver();
  }

  /**
   * Makes the instruments and has them observed.
   *
   * @param work to be measured
   * @param group value of {@code messaging.consumer.group.name}
   * @param telemetry takes the metrics
   * @return ends it; collects nothing more, whether the work is closed or not
   */
  @SuppressWarnings("exports") // a module that uses this class requires dev.decant.kafka.work itself
  public static Registration watch(Work work, String group, OpenTelemetry telemetry) {
    Meter meter = telemetry.getMeter("dev.decant.kafka.work");
    WorkMetrics of = new WorkMetrics(work, group, meter);
    BatchCallback observed = meter.batchCallback(of::observe, of.records, of.bytes, of.lag, of.healthy, of.oldest,
        of.done, of.failedAttempts, of.failedRecords, of.boundPauses);
    AtomicBoolean ended = new AtomicBoolean();
    return () -> {
      if (ended.compareAndSet(false, true)) { // the SDK logs a warning for a callback that is closed twice
        observed.close();
      }
    };
  }

  private void observe() {
    try {
      observe(work.status());
    } catch (KafkaException | IllegalStateException e) {
      // its thread is busy, or asks itself: the values are not known
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void observe(WorkStatus status) {
    records(status.working(), "working");
    records(status.awaitingRetry(), "retry");
    records(status.awaitingDeadLetter(), "dead_letter");
    records(status.awaitingCommit(), "commit");
    records(Math.max(0, status.underWay() - status.working() - status.awaitingRetry() - status.awaitingDeadLetter()
        - status.awaitingCommit()), "turn");
    bytes.record(status.underWayBytes(), attributes);
    lag.record(status.partitions().stream().mapToLong(partition -> Math.max(0, partition.lag())).sum(), attributes);
    healthy.record(status.isHealthy() ? 1 : 0, attributes);
    oldest.record(status.oldestUnderWay().toNanos() / NANOS_PER_SECOND, attributes);
    done.record(status.done(), attributes);
    failedAttempts.record(status.failedAttempts(), attributes);
    failedRecords.record(status.failedRecords(), attributes);
    boundPauses.record(status.boundPauses(), attributes);
  }

  private void records(int count, String state) {
    records.record(count, attributes.toBuilder().put(STATE, state).build());
  }
}
