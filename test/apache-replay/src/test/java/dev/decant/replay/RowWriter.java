package dev.decant.replay;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/** Appends a row when an invocation begins, and another one when it has ended. */
final class RowWriter implements TestExecutionListener {
  /** Stands for the method where a whole class fails, in its set-up for example. */
  static final String WHOLE_CLASS = "-";
  private static final int MESSAGE_LENGTH = 800;

  private final Path file;
  private final Map<String, Long> began = new ConcurrentHashMap<>();

  RowWriter(Path file) {
    this.file = file;
  }

  @Override
  public void executionStarted(TestIdentifier test) {
    began.put(test.getUniqueId(), System.nanoTime());
    if (test.isTest()) {
      write(test, Row.Outcome.RUNNING, "");
    }
  }

  @Override
  public void executionSkipped(TestIdentifier test, String reason) {
    write(test, Row.Outcome.SKIPPED, reason);
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    Row.Outcome outcome = switch (result.getStatus()) {
      case SUCCESSFUL -> Row.Outcome.PASSED;
      case ABORTED -> Row.Outcome.SKIPPED;
      case FAILED -> Row.Outcome.FAILED;
    };
    if (test.isTest() || outcome == Row.Outcome.FAILED) {
      write(test, outcome, result.getThrowable().map(RowWriter::message).orElse(""));
    }
  }

  private void write(TestIdentifier test, Row.Outcome outcome, String message) {
    long now = System.nanoTime();
    double seconds = (now - began.getOrDefault(test.getUniqueId(), now)) / 1e9;
    String line = new Row(method(test), test.getDisplayName(), outcome, seconds, message).line() + "\n";
    synchronized (file) {
      try {
        Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static TestMethod method(TestIdentifier test) {
    Optional<TestSource> source = test.getSource();
    return switch (source.orElse(null)) {
      case MethodSource method -> new TestMethod(method.getClassName(), method.getMethodName());
      case ClassSource type -> new TestMethod(type.getClassName(), WHOLE_CLASS);
      case null, default -> new TestMethod(test.getUniqueId(), WHOLE_CLASS);
    };
  }

  /** The failure and its causes, and the line of the test. */
  private static String message(Throwable failure) {
    StringBuilder text = new StringBuilder();
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < 4; depth++, cause = cause.getCause()) {
      text.append(depth == 0 ? "" : ", because of ").append(cause.getClass().getSimpleName()).append(": ")
          .append(cause.getMessage());
    }
    for (StackTraceElement frame : failure.getStackTrace()) {
      if (frame.getClassName().matches("(kafka[.]|org[.]apache[.]kafka[.]).*Test.*")) {
        text.append(" (").append(frame.getFileName()).append(':').append(frame.getLineNumber()).append(')');
        break;
      }
    }
    return text.length() > MESSAGE_LENGTH ? text.substring(0, MESSAGE_LENGTH) + "..." : text.toString();
  }
}
