package dev.decant.lab.driver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/**
 * What any consumer of records that come meanwhile needs at least: one thread writes a fetch to the broker that leads
 * all partitions, reads the answer whole, and counts the records of its batches. All of that is the socket, the kernel
 * and the broker; nobody looks at a record, and there is no group.
 */
final class BareTail implements Work {
  private final Crew crew;
  private final BareFetch session;
  private final BareSocket socket;
  private final AtomicLong shown = new AtomicLong();
  private final Histogram fetchTimes = new Histogram(Nanos.MOST, 3);
  private long received;

  BareTail(WorkSpec spec) {
    crew = new Crew(spec.load());
    session = new BareFetch(spec.topic(), spec.partitions());
    socket = BareSocket.toLeader(spec, spec.partitions(), BareFetch.mostAnswerBytes(spec.partitions()));
  }

  @Override
  public long run(long records, long deadlineNanos) throws Exception {
    return crew.run(records, (_, share) -> follow(share, deadlineNanos));
  }

  /** Fetches, each time up to {@link BareFetch#MAX_WAIT_MILLIS} long, until there were enough records. */
  private long follow(long records, long deadlineNanos) throws IOException {
    long before = received;
    long patience = System.nanoTime() + Tail.PATIENCE.toNanos();
    while (received - before < records) {
      long started = System.nanoTime();
      if (started - deadlineNanos >= 0) {
        break;
      }
      long came = session.read(socket.exchange(session.request()));
      if (came > 0) {
        fetchTimes.recordValue(Nanos.since(started));
        received += came;
        shown.lazySet(received);
        patience = started + Tail.PATIENCE.toNanos();
      } else if (started - patience >= 0) {
        throw new IllegalStateException("no record has come for " + Tail.PATIENCE);
      }
    }
    return received - before;
  }

  @Override
  public long progress() {
    return shown.get();
  }

  @Override
  public long checksum() {
    return received;
  }

  @Override
  public Histogram latency() {
    return fetchTimes;
  }

  @Override
  public void begin() {
    Work.super.begin();
    crew.forget();
  }

  @Override
  public void figures(long records, Map<String, Double> figures) {
    figures.put("records_per_poll", records / (double) fetchTimes.getTotalCount());
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
