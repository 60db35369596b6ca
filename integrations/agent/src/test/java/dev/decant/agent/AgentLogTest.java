package dev.decant.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.agent.AgentOptions.Detail;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AgentLogTest {
  private static final int PATIENCE_SECONDS = 20;

  private final Logger logger = Logger.getLogger("dev.decant.agent");
  private final FailingHandler handler = new FailingHandler();

  /** Takes each line, and then throws for some. */
  private static final class FailingHandler extends Handler {
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    @Override
    public void publish(LogRecord entry) {
      lines.add(entry.getMessage());
      if (entry.getMessage().startsWith("defect")) {
        throw new IllegalStateException("a defect of the logger");
      }
      if (entry.getMessage().startsWith("no class")) {
        throw new NoClassDefFoundError("of/the/Logger");
      }
    }

    @Nullable
    String nextLine() throws InterruptedException {
      return lines.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @BeforeEach
  void install() {
    logger.setUseParentHandlers(false);
    logger.addHandler(handler);
  }

  @AfterEach
  void uninstall() {
    logger.removeHandler(handler);
    logger.setUseParentHandlers(true);
  }

  /** After a line whose logger had thrown, nothing more was logged. */
  @Test
  void linesAfterAFailureOfTheLoggerAreLogged() throws InterruptedException {
    AgentLog log = new AgentLog(Detail.ALL);

    log.warn("defect");
    assertThat(handler.nextLine()).isEqualTo("defect");
    log.warn("no class");
    assertThat(handler.nextLine()).isEqualTo("no class");
    log.warn("well");
    assertThat(handler.nextLine()).isEqualTo("well");

    assertThat(log.report()).containsExactly("note: defect", "note: no class",
        "note: the log failed: java.lang.IllegalStateException",
        "note: the log failed: java.lang.NoClassDefFoundError", "note: well");
  }
}
