package dev.decant.lab.driver.bare;

import dev.decant.lab.driver.CallerThreads;
import dev.decant.lab.driver.Work;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.driver.WorkType;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * The cost of waiting in the JDK itself. Each thread parks, with or without a deadline, until one platform thread,
 * which stands for a client's I/O thread, notices it and unparks it.
 */
final class Park implements Work {
  private static final long DEADLINE_NANOS = 60_000_000_000L;
  private static final long IDLE_NANOS = 50_000;

  private final CallerThreads callers;
  private final boolean hasDeadline;
  private final AtomicBoolean[] waiting;
  private final Thread[] threads;
  private final AtomicLong parks = new AtomicLong();
  private final Histogram latency = new Histogram(2);
  private volatile boolean ended;

  /** The work {@code park}: threads park with a deadline. */
  public static final class TimedType extends WorkType {
    /** Made by {@link java.util.ServiceLoader}. */
    public TimedType() {
      super("park", "nothing", Topic.NONE, spec -> new Park(spec, true), Trait.OF_THE_JDK);
    }
  }

  /** The work {@code park-untimed}: threads park without a deadline. */
  public static final class UntimedType extends WorkType {
    /** Made by {@link java.util.ServiceLoader}. */
    public UntimedType() {
      super("park-untimed", "nothing", Topic.NONE, spec -> new Park(spec, false), Trait.OF_THE_JDK);
    }
  }

  Park(WorkSpec spec, boolean hasDeadline) {
    this.hasDeadline = hasDeadline;
    callers = new CallerThreads(spec.load());
    threads = new Thread[spec.load().threads()];
    waiting = new AtomicBoolean[threads.length];
    for (int i = 0; i < waiting.length; i++) {
      waiting[i] = new AtomicBoolean();
    }
  }

  @Override
  public long run(long records, long deadlineNanos) throws Exception {
    ended = false;
    Thread resumer = Thread.ofPlatform().name("resumer").daemon(true).start(this::resume);
    AtomicLong numbers = new AtomicLong();
    long done = callers.run(records, (first, share) -> park((int) numbers.getAndIncrement(), share, deadlineNanos));
    ended = true;
    resumer.join();
    return done;
  }

  private long park(int number, long times, long deadlineNanos) {
    AtomicBoolean waits = waiting[number];
    threads[number] = Thread.currentThread();
    for (long i = 0; i < times; i++) {
      if (System.nanoTime() - deadlineNanos >= 0) {
        return i;
      }
      waits.set(true);
      while (waits.get()) {
        if (hasDeadline) {
          LockSupport.parkNanos(this, DEADLINE_NANOS);
        } else {
          LockSupport.park(this);
        }
      }
      parks.incrementAndGet();
    }
    return times;
  }

  private void resume() {
    while (!ended) {
      boolean found = false;
      for (int i = 0; i < waiting.length; i++) {
        if (waiting[i].get()) {
          found = true;
          waiting[i].set(false);
          LockSupport.unpark(threads[i]);
        }
      }
      if (!found) {
        LockSupport.parkNanos(IDLE_NANOS);
      }
    }
  }

  @Override
  public long progress() {
    return parks.get();
  }

  @Override
  public long checksum() {
    return parks.get();
  }

  @Override
  public Histogram latency() {
    return latency;
  }

  @Override
  public void close() {
    // there is no client to close
  }
}
