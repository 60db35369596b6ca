package dev.decant.lab.driver;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Sends on one thread at a rate that waits for nothing, and receives on another one, in one JVM, so that both read the
 * same clock. The latency of a record begins when it was due to be sent, whether or not the sender was late; its
 * service time begins when it was sent.
 */
final class EndToEnd implements Work {
  private static final Duration LOST_AFTER = Duration.ofSeconds(30);

  private final MeasuredProducer producer;
  private final MeasuredConsumer consumer;
  private final AckTimes times = new AckTimes();
  private final int recordSizeBytes;
  private final long ratePerSecond;
  private final Histogram latency = new Histogram(Nanos.MOST, 3);
  private final Histogram service = new Histogram(Nanos.MOST, 3);
  private final AtomicLong received = new AtomicLong();
  // Written by the sender; negative until it knows how many there will be.
  private volatile long sent;
  private volatile @Nullable Throwable failure;

  EndToEnd(WorkSpec spec) throws InterruptedException {
    recordSizeBytes = Math.max(Stamps.BYTES, spec.load().recordSizeBytes());
    ratePerSecond = spec.load().ratePerSecond();
    producer = MeasuredProducer.open(spec, times, false);
    consumer = MeasuredConsumer.openStamped(spec, this::onReceived);
  }

  private void onReceived(long intendedNanos, long sentNanos) {
    long now = System.nanoTime();
    latency.recordValue(Nanos.between(intendedNanos, now));
    service.recordValue(Nanos.between(sentNanos, now));
    received.lazySet(received.getPlain() + 1);
  }

  @Override
  public long run(long records, long deadlineNanos) throws InterruptedException {
    long first = received.get();
    sent = -1;
    Thread sender = Thread.ofPlatform().name("sender").daemon(true).start(() -> send(records, deadlineNanos));
    long lost = Long.MAX_VALUE;
    while (sent < 0 || received.get() - first < sent) {
      if (consumer.poll() == 0 && sent >= 0) {
        lost = lost == Long.MAX_VALUE ? System.nanoTime() + LOST_AFTER.toNanos() : lost;
        if (System.nanoTime() - lost >= 0) {
          throw new IllegalStateException(received.get() - first + " of " + sent + " records were received");
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
        producer.send(Stamps.value(recordSizeBytes, due, System.nanoTime()), 0);
        number++;
      }
      sent = number; // before the last one is received, so that nobody waits for another one
      producer.flush();
    } catch (Exception e) {
      failure = e;
    }
  }

  @Override
  public long progress() {
    return received.get();
  }

  @Override
  public long checksum() {
    return received.get();
  }

  @Override
  public Histogram latency() {
    return latency;
  }

  @Override
  public void begin() {
    Work.super.begin();
    service.reset();
  }

  @Override
  public void figures(long records, Map<String, Double> figures) {
    figures.put("service_p50_us", service.getValueAtPercentile(50) / 1e3);
    figures.put("service_p99_us", service.getValueAtPercentile(99) / 1e3);
    figures.put("service_p999_us", service.getValueAtPercentile(99.9) / 1e3);
    figures.put("service_p9999_us", service.getValueAtPercentile(99.99) / 1e3);
  }

  @Override
  public void close() {
    consumer.close();
    producer.close();
  }
}
