package dev.decant.fix.jfr;

import dev.decant.event.Registration;
import dev.decant.fix.FixEngine;

/**
 * Writes what the sessions of an engine tell into the recordings of the JDK's Flight Recorder, as events named
 * {@code dev.decant.fix.LoggedOn}, {@code Disconnected}, {@code NumbersReset}, {@code GapFound},
 * {@code HeartbeatMissed}, {@code RejectSent}, {@code RejectReceived}, {@code StoreFailed}, {@code SlowCounterparty},
 * {@code LogonFailed}, {@code MessagesDiscarded} and {@code ConnectionRefused}, without stack traces. Each of them is
 * on unless a recording's settings say otherwise.
 * There is none for a message. While no recording wants an event, a branch is left of it.
 */
public final class JfrEvents {
  private JfrEvents() {}

  /**
   * Watches an engine. Any thread, at any time.
   *
   * @param engine is watched, with all its sessions
   * @return ends it
   * @throws IllegalStateException when this Java runtime has no Flight Recorder
   */
  public static Registration watch(FixEngine engine) {
    if (ModuleLayer.boot().findModule("jdk.jfr").isEmpty()) {
      throw new IllegalStateException("this Java runtime was started without the module jdk.jfr; "
          + "add --add-modules jdk.jfr to its command line, or to jlink if it has none");
    }
    return engine.listen(new SessionRecorder());
  }
}
