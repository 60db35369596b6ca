package dev.decant.kafka.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Workers on executors that lose tasks, and batches with lost partitions. */
@Timeout(30)
class CrewTest {
  private static final class NoLoop implements Crew.Listener {
    @Override
    public void finished(int depth, boolean isUrgent) {}

    @Override
    public void workerIdle() {}

    @Override
    public void refused(Throwable cause) {}
  }

  private static Crew<String, String> crew(@Nullable Executor executor, int batch,
      @Nullable WorkContextHandler<String, String> handler,
      @Nullable BatchContextHandler<String, String> batchHandler) {
    WorkSettings settings = new WorkSettings("g", List.of("t"), Order.NONE, 1, batch,
        executor == null ? WorkSettings.Where.THREADS : WorkSettings.Where.EXECUTOR, null, executor, 4, 4, 5_000,
        Retry.none(), AfterFailure.SKIP, "", HeaderNames.DECANT, 1, 1, 4096, 0, 1,
        LargeLetters.KEEP_TRYING);
    return new Crew<>(new WorkParts<>(Serdes.string(), Serdes.string(), handler, batchHandler, null, null,
        null, new WorkListeners(List.of()), Clock.system(), null, () -> {
          throw new IllegalStateException("no brokers");
        }), settings, new NoLoop());
  }

  private static Slot<String, String> slot(PartitionWork partition) {
    Slot<String, String> slot = new Slot<>(Serdes.string(), Serdes.string());
    slot.partition = partition;
    return slot;
  }

  private static PartitionWork partition(int number) {
    return new PartitionWork(new TopicPartition("t", number), -1, DoneOffsets.NONE);
  }

  @Test
  void aTaskThatTheExecutorHasDroppedIsGivenToItAgain() {
    // The worker counted as awake for ever, and its records were never begun.
    Queue<Runnable> tasks = new ArrayDeque<>();
    AtomicInteger handled = new AtomicInteger();
    Crew<String, String> crew = crew(tasks::add, 1, (record, context) -> handled.incrementAndGet(), null);
    crew.start();
    crew.ready().add(slot(partition(0)), 0);
    crew.ready().publish(1);
    crew.wakeOne();
    Runnable dropped = tasks.remove();
    long now = System.nanoTime();
    assertThat(crew.askAgain(now)).as("at once").isZero();
    assertThat(crew.patienceEndsNanos()).isNotEqualTo(DueSlots.NEVER);

    assertThat(crew.askAgain(now + TimeUnit.SECONDS.toNanos(11))).isOne();
    tasks.remove().run();
    assertThat(handled).hasValue(1);
    assertThat(crew.patienceEndsNanos()).isEqualTo(DueSlots.NEVER);

    crew.ready().add(slot(partition(0)), 1);
    crew.ready().publish(2);
    dropped.run(); // the executor was late only: the worker has ended, and another task may run it
    assertThat(handled).hasValue(1);
    crew.wakeOne();
    tasks.remove().run();
    assertThat(handled).hasValue(2);
  }

  @Test
  void aBatchIsInterruptedOnceAllOfItsPartitionsAreLost() throws Exception {
    // A batch was interrupted for its first record alone: other records were interrupted with it, or not at all.
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    Crew<String, String> crew = crew(null, 2, null, (records, contexts) -> {
      begun.countDown();
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        interrupted.countDown();
      }
    });
    Worker<String, String> worker = new Worker<>(crew);
    PartitionWork first = partition(0);
    PartitionWork second = partition(1);
    crew.ready().add(slot(first), 0);
    crew.ready().add(slot(second), 1);
    crew.ready().publish(2);
    Thread thread = Thread.ofPlatform().daemon(true).unstarted(worker::turn);
    worker.thread = thread;
    thread.start();
    begun.await();
    first.cancel();
    worker.interruptIf(Long.MIN_VALUE);
    assertThat(thread.isInterrupted()).as("one of two").isFalse();
    assertThat(interrupted.getCount()).isOne();

    second.cancel();
    worker.interruptIf(Long.MIN_VALUE);
    assertThat(interrupted.await(10, TimeUnit.SECONDS)).isTrue();
    thread.join(Duration.ofSeconds(10));
  }
}
