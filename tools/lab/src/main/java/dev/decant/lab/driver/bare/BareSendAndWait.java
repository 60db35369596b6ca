package dev.decant.lab.driver.bare;

import dev.decant.lab.driver.CallerThreads;
import dev.decant.lab.driver.Nanos;
import dev.decant.lab.driver.Work;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.driver.WorkType;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Sends and waits on many threads without a client. Each thread marks its record as waiting and parks. One platform
 * thread, the resumer, writes the records of all waiting threads in one request to the broker that leads all
 * partitions, and unparks the threads once the records are stored; meanwhile the next request takes the records of
 * other threads. A caller measures and counts the same span as in {@code SendAndWait}.
 *
 * <p>A run ends when its threads have done their share, when the time is over, when the resumer fails, or when the
 * caller is interrupted. Only {@link #close} frees the connection. After a failure there is no further run.
 */
final class BareSendAndWait implements Work {
  private static final long IDLE_NANOS = 50_000;

  private final BareBatches batches;
  private final BareSocket socket;
  private final CallerThreads callers;
  /** For each thread, true while its record is not stored. Set by the thread, cleared by the resumer. */
  private final AtomicBoolean[] waiting;
  /**
   * The waiting threads. Each thread writes its entry before it sets {@code waiting}, so the resumer reads it after.
   */
  private final Thread[] threads;
  private final AtomicLong answered = new AtomicLong();
  private final Histogram latency = new ConcurrentHistogram(Nanos.MOST, 3);
  /**
   * For each thread, true while its record is in a request in flight. The resumer only, like all fields below but
   * {@code failure} and {@code ended}.
   */
  private final boolean[] carried;
  /** The requests, used in turns. */
  private final Flight[] flights = new Flight[BareSocket.MAX_IN_FLIGHT];
  /** Numbers of the next request to write and of the next response to read. */
  private long next;
  private long awaited;
  /**
   * The thread whose record the next request takes first. It moves on, so that every thread has its turn when a request
   * has no room for all.
   */
  private int first;
  /** The first failure. Written by the resumer when it ends, and by the caller of a run after the resumer has ended. */
  private @Nullable Throwable failure;
  /** True after the end of a run: threads stop waiting. Written by any thread. */
  private volatile boolean ended;

  /** The work {@code bare-send-and-wait}. */
  public static final class Type extends WorkType {
    /** Made by {@link java.util.ServiceLoader}. */
    public Type() {
      super("bare-send-and-wait", "one record, from before its thread says so until that runs again", Topic.WRITTEN,
          spec -> new BareSendAndWait(spec), Trait.BARE, Trait.ONE_LEADER);
    }
  }

  /** A request, and the threads whose records it has, in the order of the records. */
  private static final class Flight {
    final BareBatches.Request request;
    final int[] whose;

    Flight(BareBatches.Request request, int most) {
      this.request = request;
      whose = new int[most];
    }
  }

  BareSendAndWait(WorkSpec spec) {
    callers = new CallerThreads(spec.load());
    threads = new Thread[spec.load().threads()];
    carried = new boolean[threads.length];
    waiting = new AtomicBoolean[threads.length];
    Arrays.setAll(waiting, index -> new AtomicBoolean());
    batches = new BareBatches(spec);
    Arrays.setAll(flights,
        index -> new Flight(batches.request(), Math.min(threads.length, batches.mostRecords())));
    socket = BareSocket.toLeader(spec, spec.partitions(), batches.mostResponseBytes());
  }

  @Override
  public long run(long records, long deadlineNanos) throws Exception {
    requireSound();
    ended = false;
    Thread resumer = Thread.ofPlatform().name("resumer").daemon(true).start(this::resume);
    AtomicLong numbers = new AtomicLong();
    long done;
    try {
      done = callers.run(records,
          (caller, share) -> sendAndWait((int) numbers.getAndIncrement(), share, deadlineNanos));
    } catch (Exception e) {
      ended = true;
      resumer.interrupt(); // closes the connection if the resumer uses it next
      resumer.join();
      failure = e;
      throw e;
    }
    ended = true;
    resumer.join();
    requireSound();
    return done;
  }

  private void requireSound() {
    if (failure != null) {
      throw new IllegalStateException("who sends for all has failed: " + failure.getMessage(), failure);
    }
  }

  private long sendAndWait(int number, long records, long deadlineNanos) throws InterruptedException {
    AtomicBoolean waits = waiting[number];
    threads[number] = Thread.currentThread();
    for (long i = 0; i < records; i++) {
      long started = System.nanoTime();
      if (started - deadlineNanos >= 0) {
        return i;
      }
      waits.set(true);
      // A thread that sets its flag and then reads no end is not lost: the resumer frees all waiting threads once more
      // after it has set the end.
      while (waits.get() && !ended) {
        LockSupport.park(this);
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
      if (ended) {
        return i;
      }
      latency.recordValue(Nanos.since(started));
      answered.incrementAndGet();
    }
    return records;
  }

  private void resume() {
    try {
      while (!ended) {
        if (socket.inFlight() < BareSocket.MAX_IN_FLIGHT && fillAndWrite()) {
          continue;
        }
        if (socket.inFlight() > 0) {
          awaitResponse();
        } else {
          LockSupport.parkNanos(IDLE_NANOS);
        }
      }
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
    } finally {
      ended = true;
      for (int i = 0; i < waiting.length; i++) {
        letGo(i);
      }
    }
  }

  /** Sends the records of all waiting threads that fit; returns false if no thread waits. */
  private boolean fillAndWrite() throws IOException {
    Flight flight = flights[slot(next)];
    int count = collect(flight.whose);
    if (count == 0) {
      return false;
    }
    next++;
    batches.fill(flight.request, count);
    socket.write(flight.request.frame());
    return true;
  }

  private int collect(int[] whose) {
    int found = 0;
    int number = first;
    for (int i = 0; i < waiting.length && found < whose.length; i++) {
      if (!carried[number] && waiting[number].get()) {
        carried[number] = true;
        whose[found++] = number;
      }
      number = number + 1 == waiting.length ? 0 : number + 1;
    }
    first = number;
    return found;
  }

  private void awaitResponse() throws IOException {
    Flight flight = flights[slot(awaited++)];
    batches.requireStored(flight.request, socket.read());
    for (int i = 0; i < flight.request.records(); i++) {
      letGo(flight.whose[i]);
    }
  }

  private void letGo(int number) {
    carried[number] = false;
    if (waiting[number].get()) {
      Thread thread = threads[number];
      waiting[number].set(false);
      LockSupport.unpark(thread);
    }
  }

  private static int slot(long number) {
    return (int) (number % BareSocket.MAX_IN_FLIGHT);
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
    callers.forget();
  }

  @Override
  public void figures(long records, Map<String, Double> figures) {
    callers.addAllocation(records, figures);
  }

  @Override
  public void close() {
    batches.close();
    socket.close();
  }
}
