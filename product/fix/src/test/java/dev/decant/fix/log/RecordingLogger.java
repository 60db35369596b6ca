package dev.decant.fix.log;

import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Keeps all log records. */
final class RecordingLogger implements System.Logger {
  final List<String> lines = new CopyOnWriteArrayList<>();

  @Override
  public String getName() {
    return "test";
  }

  @Override
  public boolean isLoggable(Level level) {
    return true;
  }

  @Override
  public void log(Level level, @Nullable ResourceBundle bundle, @Nullable String text, @Nullable Throwable thrown) {
    lines.add(level + " " + text);
  }

  @Override
  public void log(Level level, @Nullable ResourceBundle bundle, @Nullable String format, @Nullable Object... values) {
    lines.add(level + " " + format);
  }
}
