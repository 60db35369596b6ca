package dev.decant.micrometer;

import dev.decant.kafka.event.ProducerListener;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Times batches from their first record to the broker's response. */
final class BatchTimer implements ProducerListener {
  private final @Nullable Timer timer;

  BatchTimer(Meters meters) {
    timer = meters.timer("decant.kafka.batch.acknowledgement", "From a batch's first record to its being stored");
  }

  @Override
  public void onBatchAcknowledged(String topic, int partition, long baseOffset, int records, int bytes, long nanos) {
    if (timer != null) {
      timer.record(nanos, TimeUnit.NANOSECONDS);
    }
  }
}
