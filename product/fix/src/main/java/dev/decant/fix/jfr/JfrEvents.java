package dev.decant.fix.jfr;

import dev.decant.event.Registration;
import dev.decant.fix.FixEngine;

/**
 * Writes events of an engine's sessions into recordings of the JDK's Flight Recorder. Their names are
 * {@code dev.decant.fix.LoggedOn}, {@code Disconnected}, {@code NumbersReset}, {@code GapFound},
 * {@code HeartbeatMissed}, {@code RejectSent}, {@code RejectReceived}, {@code StoreFailed}, {@code SlowCounterparty},
 * {@code LogonFailed}, {@code MessagesDiscarded} and {@code ConnectionRefused}. They have no stack traces, and are
 * enabled unless the settings of a recording disable them. There is no event per message. An event that no recording
 * wants costs one branch.
 */
public final class JfrEvents {
  private JfrEvents() {}

  /**
   * Watches an engine. Any thread, at any time.
   *
   * @param engine the engine, whose sessions are all watched
   * @return a registration whose close ends the watching
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
