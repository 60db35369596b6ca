package dev.decant.fix;

import dev.decant.fix.settings.SessionSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** The acceptors of an engine, and their connections on the way from one loop to another. Any thread. */
final class EngineAcceptors {
  private final EngineSessions sessions;
  private final EngineState state;
  private final KeyWatches watches;
  private final List<FixAcceptor> acceptors = new CopyOnWriteArrayList<>();
  /** Connections on the way from one loop to another, which no loop watches. */
  private final Set<Handover> handovers = ConcurrentHashMap.newKeySet();

  EngineAcceptors(EngineSessions sessions, KeyWatches watches) {
    this.sessions = sessions;
    this.state = sessions.parts().state();
    this.watches = watches;
  }

  /** Opens the stores of an acceptor's sessions, binds its port, then lets counterparties in. */
  FixAcceptor open(AcceptorSettings settings) throws IOException {
    if (state.isClosed()) {
      throw new IllegalStateException("the engine is closed");
    }
    FixAcceptor acceptor = new FixAcceptor(sessions, handovers, settings, settings.tls.open(watches));
    List<SessionRunner> made = new ArrayList<>();
    boolean done = false;
    try {
      for (SessionSettings session : settings.sessions.values()) {
        made.add(sessions.make(acceptor.opening(session)));
      }
      bind(acceptor, made);
      done = true;
      return acceptor;
    } finally {
      if (!done) {
        acceptor.close();
        made.forEach(sessions::discard);
      }
    }
  }

  private void bind(FixAcceptor acceptor, List<SessionRunner> made) throws IOException {
    state.lockOpening();
    try {
      if (state.isClosed()) { // The engine closed while stores were opened: its loop would never close this port.
        throw new IllegalStateException("the engine is closed");
      }
      acceptor.bind();
      // The acceptor is added before its sessions. A listener of their beans may close the engine, which must then
      // close the acceptor.
      acceptors.add(acceptor);
      made.forEach(sessions::add);
    } finally {
      state.unlockOpening();
    }
    // Connections are accepted last. A counterparty that was faster than its session was refused as unknown, or a
    // template took the session's place.
    acceptor.accept();
  }

  Set<Handover> handovers() {
    return handovers;
  }

  /** Stops listening. */
  void close() {
    acceptors.forEach(FixAcceptor::close);
  }

  /** Closes the connections that are between two loops. Called when the loops have ended: they have no owner. */
  void dropHandovers() {
    handovers.forEach(Handover::drop);
  }
}
