package dev.decant.micrometer;

import dev.decant.event.Registration;
import dev.decant.fix.FixEngine;
import dev.decant.fix.FixSession;
import dev.decant.fix.event.SessionListener;
import dev.decant.fix.settings.SessionId;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.Map;

/** The meters of all sessions of an engine in one registry. Any thread. */
final class SessionMeters implements SessionListener {
  private final MeterRegistry registry;
  private final Tags tags;
  private final FixEngine engine;
  private final Registration watching;
  // Under the monitor of this.
  private final Map<SessionId, Meters> bySession = new HashMap<>();
  private boolean closed;

  SessionMeters(MeterRegistry registry, Tags tags, FixEngine engine) {
    this.registry = registry;
    this.tags = tags;
    this.engine = engine;
    watching = engine.listen(this); // first: no session is missed in between
    engine.sessions().forEach(this::add);
  }

  private synchronized void add(FixSession session) {
    if (!closed && !bySession.containsKey(session.id())) {
      Meters meters = new Meters(registry, tags.and("session", session.id().toString()), false);
      bySession.put(session.id(), meters);
      new SessionFigures(session, meters).make();
    }
  }

  @Override
  public void onOpened(SessionId id) {
    engine.sessions().stream().filter(session -> session.id().equals(id)).forEach(this::add);
  }

  @Override
  public synchronized void onForgotten(SessionId id) {
    Meters meters = bySession.remove(id);
    if (meters != null) {
      meters.close();
    }
  }

  void close() {
    watching.close();
    synchronized (this) {
      closed = true;
      bySession.values().forEach(Meters::close);
      bySession.clear();
    }
  }
}
