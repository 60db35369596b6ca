package dev.decant.fix.jmx;

import dev.decant.fix.FixSession;
import dev.decant.fix.status.SessionStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** The bean of an engine. Any thread. */
final class EngineBean implements FixEngineMXBean {
  private final Supplier<List<FixSession>> sessions;

  EngineBean(Supplier<List<FixSession>> sessions) {
    this.sessions = sessions;
  }

  @Override
  public String[] getSessions() {
    return sessions.get().stream().map(session -> session.id().toString()).toArray(String[]::new);
  }

  @Override
  public int getSessionCount() {
    return sessions.get().size();
  }

  @Override
  public int getLoggedOnCount() {
    return (int) sessions.get().stream().filter(FixSession::isLoggedOn).count();
  }

  @Override
  public String[] getDown() {
    List<String> down = new ArrayList<>();
    for (FixSession session : sessions.get()) {
      SessionStatus status = session.status();
      if (!status.health().isUp() && status.schedule().isOpen()) {
        down.add(status.id() + " " + status.health());
      }
    }
    return down.toArray(String[]::new);
  }
}
