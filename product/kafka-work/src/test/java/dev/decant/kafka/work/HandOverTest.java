package dev.decant.kafka.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A record whose handler has ended counts as at work until the loop can find it. */
@Timeout(30)
class HandOverTest {
  private static final int ROUNDS = 5_000;

  private static final class NoLoop implements Crew.Listener {
    @Override
    public void finished(int depth, boolean isUrgent) {}

    @Override
    public void workerIdle() {}

    @Override
    public void refused(Throwable cause) {}
  }

  private static WorkSettings settings(int batch) {
    return new WorkSettings("g", List.of("t"), Order.NONE, 1, batch, WorkSettings.Where.THREADS, null, null, 4, 4,
        5_000, Retry.none(), AfterFailure.SKIP, "", HeaderNames.DECANT, 1, 1, 4096, 0, 1,
        LargeLetters.KEEP_TRYING);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void whoSeesItsPartitionLeftFindsTheRecord(int batch) throws Exception {
    // A rebalance looked between the end of the handler and the report, and committed without the record. Another
    // member did it again.
    AtomicInteger mayEnd = new AtomicInteger();
    PartitionWork partition = new PartitionWork(new TopicPartition("t", 0), -1, DoneOffsets.NONE);
    Crew<String, String> crew = new Crew<>(new WorkParts<>(Serdes.string(), Serdes.string(),
        batch > 1 ? null : (record, context) -> awaitRound(mayEnd),
        batch > 1 ? (records, contexts) -> awaitRound(mayEnd) : null, null, null, null, new WorkListeners(List.of()),
        Clock.system(), null, () -> {
          throw new IllegalStateException("no brokers");
        }),
        settings(batch), new NoLoop());
    Worker<String, String> worker = new Worker<>(crew);
    Slot<String, String> slot = new Slot<>(Serdes.string(), Serdes.string());
    slot.partition = partition;
    Thread thread = Thread.ofPlatform().daemon(true).start(() -> {
      while (!crew.isClosed()) {
        worker.turn();
      }
    });
    for (int i = 0; i < ROUNDS; i++) {
      slot.finish();
      slot.clear();
      slot.partition = partition;
      crew.ready().add(slot, i);
      crew.ready().publish(i + 1);
      while (!worker.isWorking()) {
        Thread.onSpinWait();
      }
      mayEnd.set(1);
      while (worker.isAt(partition)) {
        Thread.onSpinWait();
      }
      assertThat(worker.done().takeAll()).as("round %s", i).isSameAs(slot);
    }
    crew.close(System.nanoTime() + Duration.ofSeconds(1).toNanos());
    thread.join(Duration.ofSeconds(10));
  }

  private static void awaitRound(AtomicInteger mayEnd) {
    while (!mayEnd.compareAndSet(1, 0)) {
      Thread.onSpinWait();
    }
  }
}
