package dev.decant.kafka.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.decant.kafka.Statistic;
import dev.decant.kafka.event.ConnectionListener;
import dev.decant.kafka.event.ConsumerListener;
import dev.decant.kafka.event.ProducerListener;
import dev.decant.time.Clock;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What events allocate once they are warm: nothing, whether somebody listens or not. */
@Tag("allocation")
class EventAllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int EVENTS = 1_000;
  private static final int RUNS = 100;

  private final Telemetry telemetry = new Telemetry(Clock.system());
  private long told;

  private long fewestBytesPerRun() {
    long least = Long.MAX_VALUE;
    for (int run = 0; run < RUNS; run++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < EVENTS; i++) {
        telemetry.connection().response("broker:1", (short) 0, 100, i, i + 5L);
        telemetry.producer().sent("orders", 1, 600, 65_000, 1);
        telemetry.producer().acknowledged("orders", 1, i, 600, 65_000, 5);
        telemetry.consumer().fetched("broker:1", 6, 1_000_000);
        telemetry.consumer().pollBegan("billing");
        telemetry.consumer().delivered("orders", 1, 500);
        telemetry.consumer().polled(500);
      }
      least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
    }
    return least;
  }

  @Test
  void unwatchedEventsAllocateNothing() {
    assertThat(fewestBytesPerRun()).isZero();
    assertThat(telemetry.counters().get(Statistic.BATCHES_SENT)).isEqualTo((long) RUNS * EVENTS);
  }

  @Test
  void watchedEventsAllocateNothing() {
    telemetry.watchConnections(new ConnectionListener() {
      @Override
      public void onResponse(String broker, short apiKey, int bytes, long nanos) {
        told++;
      }
    });
    telemetry.watchProducers(new ProducerListener() {
      @Override
      public void onBatchAcknowledged(String topic, int partition, long baseOffset, int records, int bytes,
          long nanos) {
        told++;
      }
    });
    telemetry.watchConsumers(new ConsumerListener() {
      @Override
      public void onPolled(int records) {
        told++;
      }
    });
    assertThat(fewestBytesPerRun()).isZero();
    assertThat(told).isEqualTo(3L * RUNS * EVENTS);
  }
}
