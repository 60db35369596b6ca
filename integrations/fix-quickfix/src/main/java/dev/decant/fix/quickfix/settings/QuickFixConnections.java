package dev.decant.fix.quickfix.settings;

import dev.decant.fix.FixAcceptor;
import dev.decant.fix.FixSession;
import java.util.List;

/**
 * The connections that a settings file has opened. The engine closes them.
 *
 * @param initiators sessions that connect, in the order of the file
 * @param acceptors ports, each with its sessions
 * @param failures sessions that could not be opened, with ContinueInitializationOnError=Y
 */
public record QuickFixConnections(List<FixSession> initiators, List<FixAcceptor> acceptors, List<String> failures) {
  /** Copies the lists. */
  public QuickFixConnections {
    initiators = List.copyOf(initiators);
    acceptors = List.copyOf(acceptors);
    failures = List.copyOf(failures);
  }
}
