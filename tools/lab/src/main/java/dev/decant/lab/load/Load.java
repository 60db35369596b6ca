package dev.decant.lab.load;

import dev.decant.lab.probe.ContextSwitches;
import dev.decant.lab.probe.MachineTicks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * All connections to one server, driven by the calling thread. A connection sends its next request after the last
 * response and its pause, so the load follows the server. A request's latency counts from the moment at which it was
 * due, even if this thread sends it later.
 */
final class Load implements AutoCloseable {
  private static final long DRAIN_NANOS = Duration.ofSeconds(20).toNanos();
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final LoadSpec spec;
  private final Selector selector = Selector.open();
  private final List<LoadConnection> connections = new ArrayList<>();
  /** The pausing connections by the end of their pause, which is the order in which they began it. */
  private final ArrayDeque<LoadConnection> pausing = new ArrayDeque<>();
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(65_536);
  private final Histogram latencyNanos = new Histogram(Duration.ofMinutes(2).toNanos(), 3);
  private long deadline;
  private long requests;
  private long workRequests;

  Load(LoadSpec spec) throws IOException {
    this.spec = spec;
    for (int i = 0; i < spec.shown() + spec.working(); i++) {
      LoadConnection connection = LoadConnection.open(spec.port(), i < spec.shown());
      connection.channel().register(selector, SelectionKey.OP_READ, connection);
      connections.add(connection);
    }
  }

  /** Sends requests for a time, waits for the last responses, and returns the measurement. */
  LoadMeasured run(Duration duration) throws IOException {
    requests = 0;
    workRequests = 0;
    latencyNanos.reset();
    ContextSwitches switchesBefore = ContextSwitches.take(spec.serverPid());
    MachineTicks ticksBefore = MachineTicks.take();
    long cpuBefore = cpuNanos(spec.serverPid());
    long ownCpuBefore = cpuNanos(ProcessHandle.current().pid());
    long begin = System.nanoTime();
    deadline = begin + duration.toNanos();
    begin(begin);
    long now = begin;
    while (now - deadline < 0) {
      turn(Math.min(deadline - now, untilNextDue(now)));
      now = System.nanoTime();
      sendDue(now);
    }
    double seconds = (System.nanoTime() - begin) / 1e9;
    long answered = requests;
    long workAnswered = workRequests;
    MachineTicks ticks = MachineTicks.take();
    double cpuSeconds = (cpuNanos(spec.serverPid()) - cpuBefore) / 1e9;
    double ownCpuSeconds = (cpuNanos(ProcessHandle.current().pid()) - ownCpuBefore) / 1e9;
    ContextSwitches switches = ContextSwitches.take(spec.serverPid()).since(switchesBefore);
    drain();
    return new LoadMeasured(seconds, answered, workAnswered, LoadMeasured.percentiles(latencyNanos), cpuSeconds,
        ticks.idlePercentSince(ticksBefore), ticks.stolenPercentSince(ticksBefore),
        ticks.othersPercentSince(ticksBefore, cpuSeconds + ownCpuSeconds), switches);
  }

  /** Starts pausing connections one after another, so that their requests do not stay in a bunch. */
  private void begin(long now) throws IOException {
    pausing.clear();
    long step = spec.pauseMicros() * 1000 / Math.max(1, spec.shown());
    for (LoadConnection connection : connections) {
      if (connection.shown && spec.pauseMicros() > 0) {
        connection.dueNanos = now + step * pausing.size();
        pausing.add(connection);
      } else {
        connection.send(now);
      }
    }
  }

  private void drain() throws IOException {
    pausing.clear();
    long end = System.nanoTime() + DRAIN_NANOS;
    while (connections.stream().anyMatch(connection -> connection.busy)) {
      long left = end - System.nanoTime();
      if (left <= 0) {
        throw new IOException("the server owes a response for " + DRAIN_NANOS / 1_000_000_000 + " s");
      }
      turn(left);
    }
  }

  private void turn(long nanos) throws IOException {
    try {
      // a timeout of 0 would have no end: a pause that ends within 1 ms waits 1 ms or for the next event
      selector.select(this::ready, Math.max(1, nanos / NANOS_PER_MILLI));
    } catch (UncheckedIOException e) {
      throw new IOException(String.valueOf(e.getCause() == null ? e : e.getCause().getMessage()), e);
    }
  }

  private void ready(SelectionKey key) {
    LoadConnection connection = (LoadConnection) key.attachment();
    try {
      if (!connection.receive(buffer)) {
        return;
      }
      long now = System.nanoTime();
      if (connection.shown) {
        requests++;
        latencyNanos.recordValue(Math.min(now - connection.dueNanos, latencyNanos.getHighestTrackableValue()));
      } else {
        workRequests++;
      }
      if (now - deadline < 0) {
        next(connection, now);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void next(LoadConnection connection, long now) throws IOException {
    if (connection.shown && spec.pauseMicros() > 0) {
      connection.dueNanos = now + spec.pauseMicros() * 1000;
      pausing.add(connection);
    } else {
      connection.send(now);
    }
  }

  private long untilNextDue(long now) {
    LoadConnection first = pausing.peek();
    return first == null ? Long.MAX_VALUE : first.dueNanos - now;
  }

  private void sendDue(long now) throws IOException {
    for (LoadConnection first = pausing.peek(); first != null && first.dueNanos - now <= 0; first = pausing.peek()) {
      LoadConnection due = pausing.remove();
      due.send(due.dueNanos);
    }
  }

  private static long cpuNanos(long pid) {
    return ProcessHandle.of(pid).flatMap(process -> process.info().totalCpuDuration())
        .map(Duration::toNanos).orElse(0L);
  }

  @Override
  public void close() throws IOException {
    for (LoadConnection connection : connections) {
      connection.channel().close();
    }
    selector.close();
  }
}
