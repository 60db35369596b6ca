package dev.decant.micrometer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.event.TransactionListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Times and counts transactions, from binding on. Any thread. */
final class TransactionTimers implements TransactionListener {
  private final @Nullable Timer committed;
  private final @Nullable Timer aborted;
  private final @Nullable Counter failed;
  private final @Nullable Counter fenced;

  TransactionTimers(Meters meters) {
    committed = meters.timer("decant.kafka.transaction.commit",
        "From the call of commit to its end, the flush of the records included");
    aborted = meters.timer("decant.kafka.transaction.abort", "From the call of abort to its end");
    failed = counter(meters, "decant.kafka.transactions.failed", "Transactions that failed and have to be aborted");
    fenced = counter(meters, "decant.kafka.transactions.fenced", "Transactional ids that cannot be used any more");
  }

  private static @Nullable Counter counter(Meters meters, String name, String description) {
    return meters.make((registry, tags) -> Counter.builder(name).description(description).tags(tags)
        .register(registry));
  }

  @Override
  public void onCommitted(String transactionalId, long nanos, long commitNanos) {
    if (committed != null) {
      committed.record(commitNanos, TimeUnit.NANOSECONDS);
    }
  }

  @Override
  public void onAborted(String transactionalId, long nanos, long abortNanos) {
    if (aborted != null) {
      aborted.record(abortNanos, TimeUnit.NANOSECONDS);
    }
  }

  @Override
  public void onFailed(String transactionalId, KafkaException cause) {
    if (failed != null) {
      failed.increment();
    }
  }

  @Override
  public void onFenced(String transactionalId, KafkaException cause) {
    if (fenced != null) {
      fenced.increment();
    }
  }
}
