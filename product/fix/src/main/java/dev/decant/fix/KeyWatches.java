package dev.decant.fix;

import dev.decant.event.Registration;
import dev.decant.tls.TlsContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Reloads files of TLS keys on changes, until the engine is closed. Keys that cannot be used are logged. Any thread.
 */
final class KeyWatches {
  private static final Duration INTERVAL = Duration.ofMinutes(1);

  private final EngineState state;
  private final List<Registration> watches = new CopyOnWriteArrayList<>();

  KeyWatches(EngineState state) {
    this.state = state;
  }

  void add(TlsContext keys) {
    Registration watch = keys.watchFiles(INTERVAL);
    watches.add(watch);
    // The closing thread may have passed the list already. It closes all watches that were added before.
    if (state.isClosed()) {
      watch.close();
    }
  }

  /** Ends all watches, because the engine closes. */
  void close() {
    watches.forEach(Registration::close);
  }
}
