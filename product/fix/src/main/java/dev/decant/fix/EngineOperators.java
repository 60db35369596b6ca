package dev.decant.fix;

import dev.decant.fix.control.ControlServer;
import dev.decant.fix.jmx.JmxBeans;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The access of operators outside of the process: the engine's control socket and MXBeans. */
final class EngineOperators implements AutoCloseable {
  private final @Nullable ControlServer control;
  private final @Nullable JmxBeans beans;

  /**
   * Opens the control socket and registers the beans, as set.
   *
   * @throws UncheckedIOException if the control socket cannot be opened
   * @throws IllegalStateException if the engine cannot be registered with JMX
   */
  EngineOperators(Supplier<List<FixSession>> sessions, String name, @Nullable Path control, boolean jmx) {
    if (jmx && ModuleLayer.boot().findModule("java.management").isEmpty()) {
      throw new IllegalStateException("this Java runtime was started without the module java.management; "
          + "add --add-modules java.management to its command line, or to jlink if it has none");
    }
    try {
      this.control = control == null ? null : ControlServer.open(control, name, sessions);
    } catch (IOException e) {
      throw new UncheckedIOException(e.getMessage(), e);
    }
    boolean isOpen = false;
    try {
      this.beans = jmx ? JmxBeans.open(sessions, name) : null;
      isOpen = true;
    } finally {
      if (!isOpen && this.control != null) {
        this.control.close();
      }
    }
  }

  /** Registers a session that was added. Any thread. */
  void opened(FixSession session) {
    if (beans != null) {
      beans.add(session);
    }
  }

  /** Removes a session that was forgotten. Any thread. */
  void forgotten(FixSession session) {
    if (beans != null) {
      beans.remove(session);
    }
  }

  @Override
  public void close() {
    if (control != null) {
      control.close();
    }
    if (beans != null) {
      beans.close();
    }
  }
}
