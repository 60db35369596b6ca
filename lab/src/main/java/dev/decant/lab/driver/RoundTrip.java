package dev.decant.lab.driver;

import dev.decant.buffer.BytesReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/**
 * What any client that sends and waits needs at least: one thread writes a Produce request that was made beforehand,
 * reads its answer, and writes the same again. All of that is the socket, the kernel and the broker.
 */
final class RoundTrip implements Work {
  private static final int MOST_ANSWER_BYTES = 64 * 1024;

  private final Crew crew;
  private final ByteBuffer request;
  private final BareSocket socket;
  private final AtomicLong answered = new AtomicLong();
  private final Histogram latency = new Histogram(Nanos.MOST, 3);

  RoundTrip(WorkSpec spec) {
    WorkSpec.Load load = spec.load();
    crew = new Crew(load);
    request = BareMessages.produce(spec.topic(),
        new Payloads(load.payload(), load.recordSizeBytes(), load.seed()).at(0));
    socket = BareSocket.toLeader(spec, 1, MOST_ANSWER_BYTES);
  }

  @Override
  public long run(long records, long deadlineNanos) throws Exception {
    return crew.run(records, (_, share) -> goAndReturn(share, deadlineNanos));
  }

  private long goAndReturn(long times, long deadlineNanos) throws IOException {
    for (long i = 0; i < times; i++) {
      long started = System.nanoTime();
      if (started - deadlineNanos >= 0) {
        return i;
      }
      BytesReader answer = socket.exchange(request);
      BareMessages.requireStored(answer);
      latency.recordValue(Nanos.since(started));
      answered.incrementAndGet();
    }
    return times;
  }

  @Override
  public long progress() {
    return answered.get();
  }

  @Override
  public long checksum() {
    return answered.get();
  }

  @Override
  public Histogram latency() {
    return latency;
  }

  @Override
  public void begin() {
    Work.super.begin();
    crew.forget();
  }

  @Override
  public void figures(long records, Map<String, Double> figures) {
    long bytes = crew.allocatedBytes();
    if (bytes >= 0) {
      figures.put("caller_bytes_per_record", bytes / (double) records);
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
