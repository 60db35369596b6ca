package dev.decant.faults;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test during which the client logs a warning or an error: whatever a network or a broker does is told to
 * listeners, so what is logged is a defect (a task of the loop that threw, memory that was not given back).
 */
final class LoggedErrors extends Handler implements BeforeEachCallback, AfterEachCallback {
  private static final Logger LOGGER = Logger.getLogger("dev.decant");

  private final Queue<String> logged = new ConcurrentLinkedQueue<>();

  @Override
  public void publish(LogRecord record) {
    if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
      StringBuilder text = new StringBuilder(record.getMessage());
      for (Throwable t = record.getThrown(); t != null; t = t.getCause()) {
        text.append("\n  because ").append(t);
        for (StackTraceElement frame : t.getStackTrace()) {
          text.append("\n    at ").append(frame);
        }
      }
      logged.add(text.toString());
    }
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}

  @Override
  public void beforeEach(ExtensionContext context) {
    logged.clear();
    LOGGER.addHandler(this);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    LOGGER.removeHandler(this);
    if (!logged.isEmpty()) {
      throw new AssertionError("logged during the test:\n" + String.join("\n", logged));
    }
  }
}
