package dev.decant.kafka.broker;

import java.text.MessageFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Keeps the lines of one logger while a test runs, each with level and text. */
public final class LogLines implements AutoCloseable {
  private final Logger logger;
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final Handler handler = new Handler() {
    @Override
    public void publish(LogRecord record) {
      lines.add(record.getLevel() + " " + MessageFormat.format(record.getMessage(), record.getParameters()));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  };

  /** Starts to listen to the logger of a class. */
  public LogLines(String name) {
    logger = Logger.getLogger(name);
    handler.setLevel(Level.ALL);
    logger.addHandler(handler);
  }

  /** Returns the lines so far. */
  public List<String> lines() {
    return lines;
  }

  @Override
  public void close() {
    logger.removeHandler(handler);
  }
}
