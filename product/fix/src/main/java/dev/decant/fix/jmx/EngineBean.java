package dev.decant.fix.jmx;

import dev.decant.fix.FixEngine;
import dev.decant.fix.FixSession;
import dev.decant.fix.status.SessionStatus;
import java.util.ArrayList;
import java.util.List;

/** The bean of an engine. Any thread. */
final class EngineBean implements FixEngineMXBean {
  private final FixEngine engine;

  EngineBean(FixEngine engine) {
    this.engine = engine;
  }

  @Override
  public String[] getSessions() {
    return engine.sessions().stream().map(session -> session.id().toString()).toArray(String[]::new);
  }

  @Override
  public int getSessionCount() {
    return engine.sessions().size();
  }

  @Override
  public int getLoggedOnCount() {
    return (int) engine.sessions().stream().filter(FixSession::isLoggedOn).count();
  }

  @Override
  public String[] getDown() {
    List<String> down = new ArrayList<>();
    for (FixSession session : engine.sessions()) {
      SessionStatus status = session.status();
      if (!status.health().isUp() && status.schedule().isOpen()) {
        down.add(status.id() + " " + status.health());
      }
    }
    return down.toArray(String[]::new);
  }
}
