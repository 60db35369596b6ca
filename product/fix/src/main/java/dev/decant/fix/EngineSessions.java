package dev.decant.fix;

import dev.decant.fix.dictionary.Dictionary;
import dev.decant.fix.settings.SessionId;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The sessions of an engine: opens them, and forgets those that a logon has created. Any thread. */
final class EngineSessions {
  private final EngineParts parts;
  private final Map<SessionId, SessionRunner> runners = new ConcurrentHashMap<>();
  private final RenewedDictionaries renewedDictionaries = new RenewedDictionaries();
  /** Set once, before the engine is returned to its user. */
  private @Nullable EngineOperators operators;

  EngineSessions(EngineParts parts) {
    this.parts = parts;
  }

  EngineParts parts() {
    return parts;
  }

  /** Sets the access of operators, which hear of sessions that are opened later. */
  void operators(EngineOperators value) {
    operators = value;
  }

  /** Closes the access of operators. */
  void closeOperators() {
    EngineOperators reached = operators;
    if (reached != null) {
      reached.close();
    }
  }

  Map<SessionId, SessionRunner> runners() {
    return runners;
  }

  /** Returns the sessions in the order of their identities. */
  List<FixSession> sessions() {
    return runners.values().stream().map(SessionRunner::session)
        .sorted(Comparator.comparing(session -> session.id().toString())).toList();
  }

  /** Replaces older loads of a dictionary's file. Returns how many sessions use the new one. */
  CompletableFuture<Integer> renew(Dictionary dictionary) {
    return renewedDictionaries.renew(dictionary, runners.values());
  }

  SessionRunner open(SessionOpening opening) throws IOException {
    SessionRunner made = make(opening);
    boolean done = false;
    try {
      add(made);
      done = true;
      return made;
    } finally {
      if (!done) {
        discard(made);
      }
    }
  }

  /** Opens the store of a session that no other thread can see yet. */
  SessionRunner make(SessionOpening opening) throws IOException {
    SessionId id = opening.settings().id();
    boolean isClosed = parts.state().isClosed();
    if (isClosed || runners.containsKey(id)) {
      throw new IllegalStateException(
          isClosed ? "the engine is closed" : "the engine has a session " + id + " already");
    }
    EngineLoop home = parts.loops().of(id);
    Function<EngineLoop, Reconnector> connecting = opening.connecting();
    Reconnector reconnector = connecting == null ? null : connecting.apply(home);
    home.sessions().incrementAndGet();
    boolean done = false;
    try {
      SessionRunner made = new SessionRunner(parts, home, opening, reconnector);
      done = true;
      return made;
    } finally {
      if (!done) {
        home.sessions().decrementAndGet();
      }
    }
  }

  /** Closes a session that could not be opened. If others see it already, it is closed on its loop. */
  void discard(SessionRunner made) {
    if (runners.containsValue(made)) {
      made.home().loop().execute(() -> {
        ClosingReport.Session unused = made.close(true, "not opened");
        forget(made);
      });
    } else {
      made.home().sessions().decrementAndGet();
      made.closeStore();
    }
  }

  /** Makes a session visible to other threads, and starts it. */
  void add(SessionRunner runner) {
    SessionId id = runner.id();
    EngineLoop home = runner.home();
    if (runners.putIfAbsent(id, runner) != null) {
      throw new IllegalStateException("the engine has a session " + id + " already");
    }
    // The engine began to close while the store was opened. Either the closing thread sees the session in the map, or
    // this thread sees the flag.
    if (parts.state().isClosed()) {
      runners.remove(id, runner);
      throw new IllegalStateException("the engine is closed");
    }
    renewedDictionaries.renew(runner);
    EngineOperators reached = operators;
    if (reached != null) {
      reached.opened(runner.session());
    }
    home.loop().execute(() -> {
      EngineParts.fire(parts.events().opened.listeners(), id, listener -> listener.onOpened(id));
      runner.begin();
    });
  }

  /** Removes a closed session that a logon had created, and reports that to operators and listeners. */
  void forget(SessionRunner session) {
    SessionId id = session.id();
    if (runners.remove(id, session)) {
      session.home().sessions().decrementAndGet();
      EngineOperators reached = operators;
      if (reached != null) {
        reached.forgotten(session.session());
      }
      EngineParts.fire(parts.events().forgotten.listeners(), id, listener -> listener.onForgotten(id));
      // No callback of the session follows. A thread that waits for the number of sessions once waited for its whole
      // timeout.
      session.home().signalWaiting();
    }
  }

  /** Returns true if no session has a connection. */
  boolean areAllDisconnected() {
    for (SessionRunner session : runners.values()) {
      if (session.isConnected()) {
        return false;
      }
    }
    return true;
  }
}
