package dev.decant.fix;

import dev.decant.fix.event.SessionEvents;
import dev.decant.fix.event.SessionListener;
import dev.decant.fix.log.MessageLog;
import dev.decant.fix.session.UserFailure;
import dev.decant.fix.settings.SessionId;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The parts of an engine that all of its sessions share. Any thread.
 *
 * @param state whether the engine is open
 * @param loops the loops that run the sessions
 * @param clock converts times of the monotonic clock
 * @param log receives messages and events; the owner of a loop calls it
 * @param events the listeners of sessions
 * @param operatorActions actions of operators without an outcome yet
 */
record EngineParts(EngineState state, EngineLoops loops, EngineClock clock, MessageLog log, SessionEvents events,
    OperatorActions operatorActions) {

  /** Reports a text to log and listeners. Owner of the session's loop only. */
  void notice(EngineLoop home, SessionId session, String text) {
    log.event(session, clock.epochNanos(home.loop().nowNanos()), text);
    fire(events.notice.listeners(), session, listener -> listener.onNotice(session, text));
  }

  /** Calls the listeners of an event. A listener that fails does not affect the others. */
  static void fire(SessionListener @Nullable [] listeners, SessionId session, Consumer<SessionListener> call) {
    if (listeners != null) {
      for (SessionListener listener : listeners) {
        try {
          call.accept(listener);
        } catch (Throwable e) {
          UserFailure.survive("a listener of session " + session + " failed", e);
        }
      }
    }
  }
}
