package dev.decant.fix;

import dev.decant.tls.TlsContext;
import dev.decant.tls.TlsSettings;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The TLS keys of an initiator or acceptor; none for plain connections. Not thread-safe. */
final class TlsKeys {
  private @Nullable TlsSettings settings;
  private @Nullable TlsContext context;

  void set(TlsSettings value) {
    settings = Objects.requireNonNull(value, "settings");
    context = null;
  }

  void set(TlsContext value) {
    context = Objects.requireNonNull(value, "context");
    settings = null;
  }

  /** Returns the context. If it is loaded here, its files are watched until the engine is closed. */
  @Nullable
  TlsContext open(KeyWatches watches) throws IOException {
    TlsSettings toBeLoaded = settings;
    if (toBeLoaded == null) {
      return context;
    }
    TlsContext loaded = TlsContext.load(toBeLoaded);
    watches.add(loaded);
    return loaded;
  }
}
