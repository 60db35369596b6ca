package dev.decant.fix.store;

import dev.decant.fix.settings.SessionId;
import java.io.IOException;

/** Opens the stores of sessions. */
@FunctionalInterface
public interface MessageStoreFactory {
  /**
   * Opens the store of a session with its stored numbers and messages, or creates it. Called once for each session,
   * before its first connection.
   *
   * @param session the session
   * @param epochNanos the time, in nanoseconds since the epoch
   * @return the store, which the session closes
   * @throws IOException if it cannot be opened; the message names the session, the place and what to do
   */
  MessageStore open(SessionId session, long epochNanos) throws IOException;
}
