package dev.decant.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.time.Clock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A failure on the loop was logged, and the logger could throw, too (out of memory, an appender of the application).
 * That ended the I/O thread, and with it all work of the loop; or it was thrown at the thread that was driving.
 */
@Timeout(30)
class FailingLoggerTest {
  private static final Logger LOGGER = Logger.getLogger(EventLoop.class.getName());

  private final AtomicInteger logged = new AtomicInteger();
  private final Handler failing = new Handler() {
    @Override
    public void publish(LogRecord message) {
      logged.incrementAndGet();
      throw new OutOfMemoryError("a logger of this test fails on purpose");
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  };
  private final EventLoop loop = EventLoop.start("failing-logger", Clock.system());

  @BeforeEach
  void install() {
    LOGGER.setUseParentHandlers(false);
    LOGGER.addHandler(failing);
  }

  @AfterEach
  void remove() {
    LOGGER.removeHandler(failing);
    LOGGER.setUseParentHandlers(true);
    loop.close();
  }

  private static AssertionError onPurpose() {
    return new AssertionError("thrown by this test on purpose");
  }

  @Test
  void loopOutlivesTasksTimersAgentsInlineRunsAndChannelsThatThrow() throws Exception {
    loop.execute(() -> {
      throw onPurpose();
    });
    CompletableFuture<Boolean> ran = new CompletableFuture<>();
    loop.execute(() -> {
      loop.schedule(new Timer(() -> {
        throw onPurpose();
      }), loop.nowNanos());
      loop.add(new Agent() {
        @Override
        public int doWork() {
          loop.execute(() -> loop.remove(this));
          throw onPurpose();
        }
      });
      ran.complete(true);
    });
    assertThat(ran.get(20, TimeUnit.SECONDS)).isTrue();
    loop.tryRun(() -> {
      throw onPurpose();
    });
    assertChannelsGoOn();
    assertThat(logged).hasValueGreaterThanOrEqualTo(4);
  }

  private void assertChannelsGoOn() throws Exception {
    Pipe first = readable();
    Pipe second = readable();
    CompletableFuture<Boolean> heard = new CompletableFuture<>();
    loop.execute(() -> {
      watch(first.source(), () -> {
        throw onPurpose();
      });
      watch(second.source(), () -> heard.complete(true));
    });
    assertThat(heard.get(20, TimeUnit.SECONDS)).isTrue();
    first.sink().close();
    second.sink().close();
  }

  private static Pipe readable() throws Exception {
    Pipe pipe = Pipe.open();
    pipe.source().configureBlocking(false);
    pipe.sink().write(ByteBuffer.allocate(1));
    return pipe;
  }

  private void watch(SelectableChannel channel, Runnable onReady) {
    try {
      WatchedChannel[] watched = new WatchedChannel[1];
      watched[0] = loop.watch(channel, SelectionKey.OP_READ, readyOps -> {
        watched[0].close();
        onReady.run();
        return 1;
      });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void borrowerIsNotThrownAt() throws InterruptedException {
    AtomicInteger calls = new AtomicInteger();
    loop.execute(() -> loop.add(() -> {
      if (calls.incrementAndGet() < 3) {
        throw onPurpose();
      }
      return 0;
    }));
    assertThat(loop.driveUntil(() -> calls.get() > 2, System.nanoTime() + TimeUnit.SECONDS.toNanos(20))
        || calls.get() > 2).isTrue();
    assertThat(logged).hasValue(2);
  }
}
