package dev.decant.lab.driver;

import java.time.Duration;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Sends on one thread, at a rate that waits for nothing, and receives on another one in the same JVM, so that both read
 * the same clock. The latency of a record begins when it was due to be sent, even if the sender was late; its service
 * time begins when it was sent.
 */
final class EndToEnd implements Work {
  private static final Duration LOST_AFTER = Duration.ofSeconds(30);

  private final MeasuredProducer producer;
  private final MeasuredConsumer consumer;
  private final AckTimes times = new AckTimes();
  private final int recordSizeBytes;
  private final long ratePerSecond;
  private final StampTimes received = new StampTimes();
  // Number of records that are sent in this run; negative until the sender knows it. Written by the sender only.
  private volatile long sent;
  private volatile @Nullable Throwable failure;

  /** The work {@code end-to-end}. */
  public static final class Type extends WorkType {
    /** Made by {@link java.util.ServiceLoader}. */
    public Type() {
      super("end-to-end", "the moment a record was due to be sent until it was received", Topic.WRITTEN,
          spec -> new EndToEnd(spec), Trait.ONE_BY_ONE, Trait.RATED);
    }
  }

  EndToEnd(WorkSpec spec) throws InterruptedException {
    recordSizeBytes = Math.max(Stamps.BYTES, spec.load().recordSizeBytes());
    ratePerSecond = spec.load().ratePerSecond();
    producer = Producers.open(spec, times, false);
    consumer = Consumers.openStamped(spec, received);
  }

  @Override
  public long run(long records, long deadlineNanos) throws InterruptedException {
    long first = received.count();
    sent = -1;
    Thread sender = Thread.ofPlatform().name("sender").daemon(true).start(() -> send(records, deadlineNanos));
    long lost = Long.MAX_VALUE;
    while (sent < 0 || received.count() - first < sent) {
      if (consumer.poll() == 0 && sent >= 0) {
        lost = lost == Long.MAX_VALUE ? System.nanoTime() + LOST_AFTER.toNanos() : lost;
        if (System.nanoTime() - lost >= 0) {
          throw new IllegalStateException(received.count() - first + " of " + sent + " records were received");
        }
      }
      Throwable cause = failure;
      if (cause != null) {
        throw new IllegalStateException("the sender failed: " + cause.getMessage(), cause);
      }
    }
    sender.join();
    times.check();
    return sent;
  }

  private void send(long records, long deadlineNanos) {
    Pace pace = new Pace(ratePerSecond);
    long number = 0;
    try {
      while (number < records) {
        long due = pace.awaitExactly(number);
        if (due - deadlineNanos >= 0) {
          break;
        }
        producer.send(0, Stamps.value(recordSizeBytes, due, System.nanoTime()), 0);
        number++;
      }
      sent = number; // before the last record can arrive: the receiver would wait for one more otherwise
      producer.flush();
    } catch (Exception e) {
      failure = e;
    }
  }

  @Override
  public long progress() {
    return received.count();
  }

  @Override
  public long checksum() {
    return received.count();
  }

  @Override
  public Histogram latency() {
    return received.latency();
  }

  @Override
  public void begin() {
    received.forget();
  }

  @Override
  public void figures(long records, Map<String, Double> figures) {
    received.figures(figures);
  }

  @Override
  public void close() {
    consumer.close();
    producer.close();
  }
}
