package dev.decant.lab.driver.bare;

import dev.decant.lab.driver.CallerThreads;
import dev.decant.lab.driver.Nanos;
import dev.decant.lab.driver.Work;
import dev.decant.lab.driver.WorkSpec;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/** The work of one thread over a bare socket, one exchange after the other. */
abstract class BareWork implements Work {
  final BareSocket socket;
  /** Duration of each exchange that brought records. The working thread only. */
  final Histogram latency = new Histogram(Nanos.MOST, 3);
  /** Number of records since the start. Written by the working thread, read by any. */
  final AtomicLong done = new AtomicLong();
  private final CallerThreads callers;

  BareWork(WorkSpec spec, int partitions, int mostResponseBytes) {
    callers = new CallerThreads(spec.load());
    socket = BareSocket.toLeader(spec, partitions, mostResponseBytes);
  }

  /** Makes exchanges until enough records are done or the time is over; returns the number of records. */
  abstract long exchange(long records, long deadlineNanos) throws IOException;

  @Override
  public final long run(long records, long deadlineNanos) throws Exception {
    return callers.run(records, (caller, share) -> exchange(share, deadlineNanos));
  }

  @Override
  public final long progress() {
    return done.get();
  }

  @Override
  public final long checksum() {
    return done.get();
  }

  @Override
  public final Histogram latency() {
    return latency;
  }

  @Override
  public final void begin() {
    Work.super.begin();
    callers.forget();
  }

  @Override
  public void figures(long records, Map<String, Double> figures) {
    callers.addAllocation(records, figures);
  }

  @Override
  public void close() {
    socket.close();
  }
}
