package dev.decant.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FindingLogTest {
  private static final Finding WARNING = Finding.warning("test.warning", "found", "bad", "flag");
  private static final Finding INFO = Finding.info("test.info", "seen", "odd", "setting");

  private final FindingLog log = new FindingLog();

  /** Collects the lines that it gets; a subclass may refuse them. */
  static class Listening implements System.Logger {
    final ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();
    private final Level least;

    Listening(Level least) {
      this.least = least;
    }

    @Override
    public String getName() {
      return "test";
    }

    @Override
    public boolean isLoggable(Level level) {
      return least != Level.OFF && level.getSeverity() >= least.getSeverity();
    }

    @Override
    public void log(Level level, String message) {
      lines.add(level + " " + message);
    }

    @Override
    public void log(Level level, @Nullable ResourceBundle bundle, String message, @Nullable Throwable thrown) {
      throw new AssertionError("not the method in use");
    }

    @Override
    public void log(Level level, @Nullable ResourceBundle bundle, String format, @Nullable Object... params) {
      throw new AssertionError("not the method in use");
    }
  }

  private static final class Throwing extends Listening {
    private final Runnable before;

    Throwing(Runnable before) {
      super(Level.ALL);
      this.before = before;
    }

    @Override
    public void log(Level level, String message) {
      before.run();
      throw new IllegalStateException("the disk is full");
    }
  }

  @Test
  void eachKindIsLoggedOnceAtItsLevelWithAllItsParts() {
    Listening logger = new Listening(System.Logger.Level.ALL);

    for (int i = 0; i < 3; i++) {
      log.offer(WARNING, logger);
      log.offer(INFO, logger);
    }

    assertThat(logger.lines).containsExactly("WARNING test.warning: found; bad. Cure: flag",
        "INFO test.info: seen; odd. Cure: setting");
  }

  @Test
  void loggerThatIsOffDoesNotUseUpTheFinding() {
    Listening off = new Listening(System.Logger.Level.OFF);
    Listening warningsOnly = new Listening(System.Logger.Level.WARNING);
    Listening all = new Listening(System.Logger.Level.ALL);

    for (Listening logger : List.of(off, warningsOnly, all)) {
      log.offer(WARNING, logger);
      log.offer(INFO, logger);
    }

    assertThat(off.lines).isEmpty();
    assertThat(warningsOnly.lines).singleElement().asString().startsWith("WARNING");
    assertThat(all.lines).singleElement().asString().startsWith("INFO");
  }

  @Test
  void loggerThatThrowsHasNotTakenTheFinding() {
    Listening working = new Listening(System.Logger.Level.ALL);

    log.offer(WARNING, new Throwing(() -> {}));
    log.offer(WARNING, working);

    assertThat(working.lines).hasSize(1);
  }

  @Test
  void loggerThatAsksItselfWhetherItIsEnabledMayThrowToo() {
    Listening working = new Listening(System.Logger.Level.ALL);

    log.offer(WARNING, new Listening(System.Logger.Level.ALL) {
      @Override
      public boolean isLoggable(Level level) {
        throw new LinkageError("half an update");
      }
    });
    log.offer(WARNING, working);

    assertThat(working.lines).hasSize(1);
  }

  /** A log appender that sends over the network opens a client while it is logging. */
  @Test
  void loggerThatLogsTheSameFindingWhileItLogsIsToldOnce() {
    Listening logger = new Listening(System.Logger.Level.ALL) {
      @Override
      public void log(Level level, String message) {
        log.offer(WARNING, this);
        super.log(level, message);
      }
    };

    log.offer(WARNING, logger);

    assertThat(logger.lines).hasSize(1);
  }

  /**
   * The second thread arrives while the first is in a logger that is about to fail. Its logger must neither wait nor be
   * lost.
   */
  @Test
  void loggerThatCameMeanwhileIsToldWhenTheFirstFails() throws Exception {
    CountDownLatch inLogger = new CountDownLatch(1);
    CountDownLatch mayFail = new CountDownLatch(1);
    Listening second = new Listening(System.Logger.Level.ALL);
    Listening third = new Listening(System.Logger.Level.ALL);
    try (ExecutorService executor = Executors.newSingleThreadExecutor()) {
      Future<?> first = executor.submit(() -> log.offer(WARNING, new Throwing(() -> {
        inLogger.countDown();
        await(mayFail);
      })));
      await(inLogger);

      log.offer(WARNING, second);
      log.offer(WARNING, third);
      assertThat(second.lines).isEmpty();
      mayFail.countDown();
      first.get(30, TimeUnit.SECONDS);
    }

    assertThat(second.lines).hasSize(1);
    assertThat(third.lines).isEmpty();
  }

  @Test
  void ofManyThreadsAtOnceOneLogsAlthoughSomeOfTheirLoggersFail() throws Exception {
    int threads = 16;
    int rounds = 500;
    CyclicBarrier barrier = new CyclicBarrier(threads);
    List<Finding> findings = IntStream.range(0, rounds)
        .mapToObj(round -> Finding.warning("round." + round, "found", "bad", "flag")).toList();
    Listening working = new Listening(System.Logger.Level.ALL);
    List<System.Logger> loggers = List.of(working, new Throwing(() -> {}), new Listening(System.Logger.Level.OFF),
        working);
    try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
      List<Future<?>> done = IntStream.range(0, threads).<Future<?>>mapToObj(thread -> executor.submit(() -> {
        for (Finding finding : findings) {
          barrier.await(30, TimeUnit.SECONDS);
          log.offer(finding, loggers.get(thread % loggers.size()));
        }
        return null;
      })).toList();
      for (Future<?> each : done) {
        each.get(50, TimeUnit.SECONDS);
      }
    }

    assertThat(working.lines).hasSize(rounds).doesNotHaveDuplicates();
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
