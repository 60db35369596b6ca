package dev.decant.kafka.broker;

import dev.decant.runtime.RuntimeCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test in which the client logs a warning or an error, so a defect that the loop survives shows. It also has
 * the client's buffer pools poison their memory and report leases that are not returned. Findings of the runtime check
 * are no defects: they describe the JVM of the tests, and the first client of a JVM logs them.
 */
public final class QuietLog implements BeforeEachCallback, AfterEachCallback {
  private static final String CHECKED = "dev.decant.buffer.checked";
  private static final String FINDINGS = RuntimeCheck.class.getName();

  private final List<String> records = new ArrayList<>();
  private @Nullable String checkedBefore;
  private final Handler handler = new Handler() {
    @Override
    public void publish(LogRecord record) {
      if (record.getLevel().intValue() >= Level.WARNING.intValue() && !FINDINGS.equals(record.getLoggerName())) {
        note(record);
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  };

  private synchronized void note(LogRecord record) {
    StringBuilder text = new StringBuilder(record.getLoggerName()).append(": ").append(record.getMessage());
    for (Throwable t = record.getThrown(); t != null; t = t.getCause()) {
      text.append("\n  because ").append(t).append(" at ").append(List.of(t.getStackTrace()));
    }
    records.add(text.toString());
  }

  @Override
  public synchronized void beforeEach(ExtensionContext context) {
    records.clear();
    checkedBefore = System.setProperty(CHECKED, "true");
    Logger.getLogger("").addHandler(handler);
  }

  @Override
  public synchronized void afterEach(ExtensionContext context) {
    if (checkedBefore == null) {
      System.clearProperty(CHECKED);
    }
    Logger.getLogger("").removeHandler(handler);
    if (!records.isEmpty()) {
      throw new AssertionError("logged during the test:\n" + String.join("\n", records));
    }
  }
}
