package dev.decant.fix;

import dev.decant.fix.log.MessageLog;
import dev.decant.loop.EventLoop;
import dev.decant.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The clock of the machine with an offset that a test sets, and a time of day that can be set. */
final class SetClock implements Clock {
  private static final long PATIENCE_SECONDS = 20;

  private final long startNanos = System.nanoTime();
  private final long startMillis;
  private final AtomicLong aheadNanos = new AtomicLong();
  private final AtomicLong stepMillis = new AtomicLong();
  private final List<FixEngine> engines = new CopyOnWriteArrayList<>();

  SetClock(Instant start) {
    startMillis = start.toEpochMilli();
  }

  @Override
  public long nanoTime() {
    return System.nanoTime() + aheadNanos.get();
  }

  @Override
  public long epochMillis() {
    return startMillis + TimeUnit.NANOSECONDS.toMillis(nanoTime() - startNanos) + stepMillis.get();
  }

  Instant now() {
    return Instant.ofEpochMilli(epochMillis());
  }

  /** An engine of this clock. */
  FixEngine engine(String name) {
    return engine(name, MessageLog.none());
  }

  FixEngine engine(String name, MessageLog log) {
    FixEngine engine = FixEngine.builder().name(name).clock(this).log(log).start();
    engines.add(engine);
    return engine;
  }

  /** Lets time pass. What the engines have begun is over first: its timers count from the time before. */
  void pass(Duration time) {
    settle();
    aheadNanos.addAndGet(time.toNanos());
    engines.forEach(engine -> engine.loops()[0].loop().signal());
    settle();
  }

  /** Lets time pass until an instant. */
  void passUntil(Instant instant) {
    pass(Duration.between(now(), instant));
  }

  /** Sets the time of day, and lets a minute pass in which the engines look at it. */
  void step(Duration time) {
    settle();
    stepMillis.addAndGet(time.toMillis());
    pass(Duration.ofSeconds(61));
  }

  void signal() {
    engines.forEach(engine -> engine.loops()[0].loop().signal());
  }

  /** Rounds of the loops have passed that began after now: what was due is done. */
  void settle() {
    for (int round = 0; round < 3; round++) {
      for (FixEngine engine : engines) {
        long since = nanoTime();
        long time = since - 1;
        while (time < since) { // the task ran in a round that had begun before
          time = timeOfARound(engine);
        }
      }
    }
  }

  private static long timeOfARound(FixEngine engine) {
    EventLoop loop = engine.loops()[0].loop();
    CompletableFuture<Long> time = new CompletableFuture<>();
    loop.execute(() -> time.complete(loop.nowNanos()));
    try {
      return time.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError("the engine does not move", e);
    }
  }

  /** Waits for something that the engines bring about, each on its own thread. */
  void await(Supplier<String> what, BooleanSupplier done) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!done.getAsBoolean()) {
      if (deadline - System.nanoTime() < 0) {
        throw new AssertionError(what.get());
      }
      LockSupport.parkNanos(200_000);
    }
  }

  void close(FixEngine engine) {
    engine.close();
    engines.remove(engine);
  }

  void closeAll() {
    engines.forEach(FixEngine::close);
    engines.clear();
  }
}
