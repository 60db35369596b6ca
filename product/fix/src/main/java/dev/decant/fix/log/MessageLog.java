package dev.decant.fix.log;

import dev.decant.fix.settings.SessionId;
import java.nio.ByteBuffer;

/**
 * Logs the messages and events of sessions. The owner of the engine's loop calls all methods within its work, so an
 * implementation copies and returns.
 */
public interface MessageLog extends AutoCloseable {
  /**
   * Logs bytes that arrived as a message, garbled ones too.
   *
   * @param session the session; its identity is the one under which the log was opened
   * @param epochNanos the time, in nanoseconds since the epoch
   * @param buffer holds the bytes; valid during the call. Its position and limit must not be changed
   * @param from index of the first byte
   * @param to index after the last byte
   */
  void inbound(SessionId session, long epochNanos, ByteBuffer buffer, int from, int to);

  /**
   * Logs a message that goes to the socket next.
   *
   * @param session the session
   * @param epochNanos the time, in nanoseconds since the epoch
   * @param buffer holds the message; valid during the call. Its position and limit must not be changed
   * @param from index of the first byte
   * @param to index after the last byte
   */
  void outbound(SessionId session, long epochNanos, ByteBuffer buffer, int from, int to);

  /**
   * Logs an event of a session: a logon, a disconnection, a gap.
   *
   * @param session the session
   * @param epochNanos the time, in nanoseconds since the epoch
   * @param text one line without credentials
   */
  void event(SessionId session, long epochNanos, String text);

  /** Writes the queued messages, within a limited time, and closes the log. Further calls have no effect. */
  @Override
  void close();

  /**
   * Returns a log that writes nothing.
   *
   * @return the shared instance
   */
  static MessageLog none() {
    return NoLog.INSTANCE;
  }
}
