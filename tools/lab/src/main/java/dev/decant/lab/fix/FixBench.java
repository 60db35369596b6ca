package dev.decant.lab.fix;

import dev.decant.lab.driver.Measured;
import dev.decant.lab.driver.RateLine;
import dev.decant.lab.driver.Timeline;
import dev.decant.lab.driver.WarmUp;
import dev.decant.lab.probe.RuntimeSnapshot;
import dev.decant.lab.probe.ThreadAllocation;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** One engine at its work, in the JVM that is measured. One thread at a time. */
final class FixBench implements AutoCloseable {
  /** Most orders in flight in one-way work. */
  static final int MOST_IN_FLIGHT = 16_384;

  private static final long NEVER = 1L << 62;
  /** Most repetitions to tell an engine's bytes from those that the JVM allocates once. */
  static final int MOST_TRIPS = 3;
  private static final int LONGEST_MINUTES = 2;
  private static final int CLOCK_EVERY = 1024;
  /** Time for the last orders of paced work to arrive. */
  private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final FixSpec spec;
  private final Histogram latencyNanos = new Histogram(TimeUnit.MINUTES.toNanos(LONGEST_MINUTES), 3);
  private final Schedule schedule;
  private final Arrivals arrivals;
  private final FixContender contender;
  private final ThreadAllocation allocation = new ThreadAllocation();
  /** Number of orders sent since the start. */
  private long sent;

  FixBench(FixSpec spec) throws Exception {
    this.spec = spec;
    schedule = new Schedule(spec.amount().ratePerSecond());
    arrivals = new Arrivals(spec.spinning(), latencyNanos);
    contender = FixContender.open(spec, arrivals);
  }

  /** Works until the JIT compiler rests, and returns the number of orders. */
  long warmUp() throws Exception {
    if (spec.work() == FixWork.IDLE) {
      contender.awaitTime(System.nanoTime() + spec.amount().warmUpMillis() * 1_000_000);
      return 0;
    }
    return WarmUp.run(spec.work().isEchoed() ? this::roundTrips : this::oneWay, spec.amount().warmUpMessages(),
        spec.amount().warmUpMillis());
  }

  FixMeasured measure(@Nullable RateLine line) throws Exception {
    FixSpec.Amount amount = spec.amount();
    latencyNanos.reset();
    Map<String, Long> collectionsBefore = collections();
    long administrative = contender.administrativeMessages();
    WarmUp.Slice work = work(); // chosen here: the first choice loads classes
    try (Timeline timeline = new Timeline(arrivals::count, line)) {
      RuntimeSnapshot before = RuntimeSnapshot.atStart();
      allocation.begin();
      long begin = System.nanoTime();
      long records = work.run(amount.messages() > 0 ? amount.messages() : Long.MAX_VALUE / 2,
          begin + (amount.millis() > 0 ? amount.millis() * 1_000_000 : NEVER));
      allocation.end();
      RuntimeSnapshot after = RuntimeSnapshot.atEnd();
      List<Long> rates = timeline.end();
      arrivals.check();
      Map<String, Long> collections = since(collectionsBefore);
      long ownMessages = contender.administrativeMessages() - administrative;
      List<Double> latencies = latenciesMicros();
      ThreadAllocation least = leastOf(work, records); // after all that belongs to the first trip
      return new FixMeasured(measured(before, after, records, rates, latencies, least.total()), least.byThread(),
          collections, spec.work() == FixWork.IDLE ? 0 : contender.wireBytes(), ownMessages);
    }
  }

  /**
   * Repeats the work and returns the least allocation. The JVM allocates a few bytes once, in any trip, when compiled
   * code first reaches a branch that the compiler had left out; an engine's bytes are in every trip.
   */
  private ThreadAllocation leastOf(WarmUp.Slice work, long messages) throws Exception {
    ThreadAllocation least = allocation;
    boolean isRepeatable = spec.work() != FixWork.IDLE;
    for (int trip = 2; isRepeatable && trip <= MOST_TRIPS && least.total() > 0 && least.total() < messages; trip++) {
      ThreadAllocation next = new ThreadAllocation();
      next.begin();
      work.run(messages, System.nanoTime() + NEVER);
      next.end();
      arrivals.check();
      least = next.total() < least.total() ? next : least;
    }
    return least;
  }

  private WarmUp.Slice work() {
    return switch (spec.work()) {
      case ROUND_TRIPS, ROUND_TRIPS_LOGGED -> this::roundTrips;
      case ONE_WAY -> this::oneWay;
      case PACED -> this::paced;
      case IDLE -> this::idle;
    };
  }

  private long idle(long messages, long deadlineNanos) throws Exception {
    contender.awaitTime(deadlineNanos);
    return 0;
  }

  private long roundTrips(long messages, long deadlineNanos) throws Exception {
    long first = sent;
    long begin = System.nanoTime();
    while (sent - first < messages && begin - deadlineNanos < 0) {
      contender.send(++sent);
      contender.awaitArrived(sent);
      long end = System.nanoTime();
      latencyNanos.recordValue(end - begin);
      begin = end;
    }
    return sent - first;
  }

  /**
   * Sends orders; at the limit in flight, waits until half of them have arrived: otherwise each arrival would wake the
   * sender.
   */
  private long oneWay(long messages, long deadlineNanos) throws Exception {
    long first = sent;
    while (sent - first < messages) {
      if (sent % CLOCK_EVERY == 0 && System.nanoTime() - deadlineNanos >= 0) {
        break;
      }
      if (sent - arrivals.count() >= MOST_IN_FLIGHT) {
        contender.awaitArrived(sent - MOST_IN_FLIGHT / 2);
      }
      contender.send(++sent);
    }
    contender.awaitArrived(sent);
    return sent - first;
  }

  /** Sends at a rate. The receiving thread writes the histogram and has ended its work when the last order is back. */
  private long paced(long most, long deadlineNanos) throws Exception {
    FixSpec.Amount amount = spec.amount();
    long messages = Schedule.ordersIn(amount.millis(), amount.ratePerSecond());
    long first = sent;
    schedule.begin(first + 1, System.nanoTime());
    arrivals.schedule(schedule);
    while (sent - first < messages) {
      contender.awaitTime(schedule.nanosOf(sent + 1));
      contender.send(++sent);
    }
    contender.awaitArrived(sent);
    if (System.nanoTime() - deadlineNanos > DRAIN_NANOS) {
      throw new IllegalStateException("the engine does not keep up with " + amount.ratePerSecond()
          + " orders a second; ask for fewer with --rate");
    }
    arrivals.schedule(null);
    return sent - first;
  }

  private Measured measured(RuntimeSnapshot before, RuntimeSnapshot after, long records, List<Long> rates,
      List<Double> latencies, long bytes) {
    boolean jitKnown = before.jitCpuNanos() >= 0 && after.jitCpuNanos() >= 0;
    boolean switchesKnown = before.switches() >= 0 && after.switches() >= 0;
    Map<String, Double> figures = new TreeMap<>();
    figures.put("young_collections", (double) (after.youngCollections() - before.youngCollections()));
    figures.put("old_collections", (double) (after.oldCollections() - before.oldCollections()));
    return new Measured(records, 0, (after.wallNanos() - before.wallNanos()) / 1e9,
        (after.cpuNanos() - before.cpuNanos()) / 1e9,
        jitKnown ? (after.jitCpuNanos() - before.jitCpuNanos()) / 1e9 : -1, bytes,
        after.collections() - before.collections(), after.pauseMillis() - before.pauseMillis(),
        latencies, rates, switchesKnown ? after.switches() - before.switches() : -1, figures);
  }

  private List<Double> latenciesMicros() {
    return Measured.PERCENTILES.stream().map(percentile -> latencyNanos.getValueAtPercentile(percentile) / 1e3)
        .toList();
  }

  private static Map<String, Long> collections() {
    Map<String, Long> counts = new TreeMap<>();
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      counts.put(collector.getName(), collector.getCollectionCount());
    }
    return counts;
  }

  private static Map<String, Long> since(Map<String, Long> before) {
    Map<String, Long> counts = collections();
    counts.replaceAll((name, count) -> count - before.getOrDefault(name, 0L));
    counts.values().removeIf(count -> count == 0);
    return counts;
  }

  @Override
  public void close() throws IOException {
    contender.close();
  }
}
