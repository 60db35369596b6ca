package dev.decant.kafka.work;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.time.Clock;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A crew of one worker, whose task the executor of the test keeps for an actor to run. */
final class StressedCrew implements Crew.Listener {
  final PartitionWork partition = new PartitionWork(new TopicPartition("t", 0), -1, DoneOffsets.NONE);
  final Crew<String, String> crew;
  /** The task that the executor got last. */
  @Nullable
  Runnable task;
  /** Number of tasks that the executor got. */
  int tasks;
  /** Number of records that the handler got. */
  int handled;

  /** Makes a crew whose worker is awake, and whose task is kept. */
  StressedCrew() {
    WorkSettings settings = new WorkSettings("g", List.of("t"), Order.NONE, 1, 1, WorkSettings.Where.EXECUTOR, null,
        this::keep, 4, 4, 5_000, Retry.none(), AfterFailure.SKIP, "", HeaderNames.DECANT, 1, 1, 4096,
        TimeUnit.HOURS.toNanos(1), 1, LargeLetters.KEEP_TRYING);
    crew = new Crew<>(new WorkParts<>(Serdes.string(), Serdes.string(), (record, context) -> handled++, null, null,
        null, null, new WorkListeners(List.of()), Clock.system(), null, () -> {
          throw new IllegalStateException("no brokers");
        }), settings, this);
    crew.start();
    crew.wakeOne();
    tasks = 0;
  }

  private void keep(Runnable worker) {
    task = worker;
    tasks++;
  }

  /** The only worker. */
  @SuppressWarnings("unchecked")
  Worker<String, String> worker() {
    Runnable of = task;
    if (of == null) {
      throw new IllegalStateException("the executor got no task");
    }
    return (Worker<String, String>) of;
  }

  /** Makes a record ready. */
  void publish() {
    Slot<String, String> slot = new Slot<>(Serdes.string(), Serdes.string());
    slot.partition = partition;
    crew.ready().add(slot, 0);
    crew.ready().publish(1);
  }

  @Override
  public void finished(int depth, boolean isUrgent) {}

  @Override
  public void workerIdle() {}

  @Override
  public void refused(Throwable cause) {
    throw new IllegalStateException(cause);
  }
}
