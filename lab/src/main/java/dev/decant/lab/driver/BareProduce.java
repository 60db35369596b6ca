package dev.decant.lab.driver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/**
 * What any client that sends without waiting needs at least: one thread writes records into one batch for each
 * partition, compresses and seals them, and writes all in one request to the broker that leads all partitions. While
 * the broker works on it, the next one is filled. Nobody hands a record to another thread, there are no callbacks, no
 * retries and no identity, and nothing waits for more records.
 */
final class BareProduce implements Work {
  private final Crew crew;
  private final BareBatches batches;
  private final BareSocket socket;
  /** Used in turns. */
  private final BareBatches.Request[] requests = new BareBatches.Request[BareSocket.MOST_ON_THE_WAY];
  private final long[] startedNanos = new long[BareSocket.MOST_ON_THE_WAY];
  /** Number of the next request to write, and of the next one to be answered. */
  private long next;
  private long awaited;
  /** Written by the one thread. */
  private final AtomicLong stored = new AtomicLong();
  private final Histogram latency = new Histogram(Nanos.MOST, 3);

  BareProduce(WorkSpec spec) {
    crew = new Crew(spec.load());
    batches = new BareBatches(spec);
    try {
      for (int i = 0; i < requests.length; i++) {
        requests[i] = batches.request();
      }
      socket = BareSocket.toLeader(spec, spec.partitions(), batches.mostAnswerBytes());
    } catch (RuntimeException e) {
      batches.close();
      throw e;
    }
  }

  @Override
  public long run(long records, long deadlineNanos) throws Exception {
    return crew.run(records, (_, share) -> send(share, deadlineNanos));
  }

  /** Sends so many, unless the time is over before, and waits until all of them are stored. */
  private long send(long records, long deadlineNanos) throws IOException {
    long sent = 0;
    while (sent < records && System.nanoTime() - deadlineNanos < 0) {
      sent += fillAndWrite(records - sent);
      if (socket.onTheWay() == BareSocket.MOST_ON_THE_WAY) {
        awaitAnswer();
      }
    }
    while (socket.onTheWay() > 0) {
      awaitAnswer();
    }
    return sent;
  }

  private int fillAndWrite(long most) throws IOException {
    int slot = slot(next++);
    BareBatches.Request request = requests[slot];
    batches.fill(request, most);
    startedNanos[slot] = System.nanoTime();
    socket.write(request.frame());
    return request.records();
  }

  private void awaitAnswer() throws IOException {
    int slot = slot(awaited++);
    BareBatches.Request request = requests[slot];
    batches.requireStored(request, socket.read());
    latency.recordValue(Nanos.since(startedNanos[slot]));
    stored.lazySet(stored.get() + request.records());
  }

  private static int slot(long number) {
    return (int) (number % BareSocket.MOST_ON_THE_WAY);
  }

  @Override
  public long progress() {
    return stored.get();
  }

  @Override
  public long checksum() {
    return stored.get();
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
    batches.close();
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
