package dev.decant.lab.driver;

import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Sends records with keys at a rate that waits for nothing, and lets handlers in the same JVM work on them, so that
 * both read the same clock. The latency of a record begins when it was due to be sent, and ends with its handler.
 */
final class HandlePaced implements Work {
  private static final long NEVER = 1L << 62;

  private final MeasuredProducer producer;
  private final KeyedValues values;
  private final AckTimes times = new AckTimes();
  private final RecordTask task;
  private final HandledCount count;
  private final HandlerRuntime runtime;
  private final long ratePerSecond;
  private volatile @Nullable Throwable failure;

  /** The work {@code work-paced}. */
  public static final class Type extends WorkType {
    /** Made by {@link java.util.ServiceLoader}. */
    public Type() {
      super("work-paced",
          "the moment a record was due to be sent until its handler had ended, without records of the hot key",
          Topic.WRITTEN, spec -> new HandlePaced(spec), Trait.OF_HANDLERS, Trait.RATED);
    }
  }

  HandlePaced(WorkSpec spec) throws InterruptedException {
    ratePerSecond = spec.load().ratePerSecond();
    values = new KeyedValues(spec.load());
    task = RecordTask.of(spec);
    count = new HandledCount(task::handled);
    producer = Producers.open(spec, times, false);
    runtime = HandlerRuntimes.open(spec, task);
  }

  @Override
  public long run(long records, long deadlineNanos) throws InterruptedException {
    long first = task.handled();
    long[] sent = new long[1];
    Thread sender = Thread.ofPlatform().name("sender").daemon(true)
        .start(() -> sent[0] = send(records, deadlineNanos));
    sender.join();
    Throwable cause = failure;
    if (cause != null) {
      throw new IllegalStateException("the sender failed: " + cause.getMessage(), cause);
    }
    times.check();
    count.await(first + sent[0], System.nanoTime() + NEVER);
    return sent[0];
  }

  private long send(long records, long deadlineNanos) {
    Pace pace = new Pace(ratePerSecond);
    long number = 0;
    try {
      for (; number < records; number++) {
        long due = pace.awaitExactly(number);
        if (due - deadlineNanos >= 0) {
          break;
        }
        int key = values.nextKey();
        producer.sendWithKey(values.bytesOf(key), values.nextValue(key, due));
      }
      producer.flush();
    } catch (Exception e) {
      failure = e;
    }
    return number;
  }

  @Override
  public long progress() {
    return task.handled();
  }

  @Override
  public long checksum() {
    return task.handled();
  }

  @Override
  public Histogram latency() {
    return task.latency();
  }

  @Override
  public void begin() {
    task.begin();
  }

  @Override
  public void figures(long records, Map<String, Double> figures) {
    task.figures(figures);
  }

  @Override
  public void close() {
    runtime.close();
    producer.close();
  }
}
