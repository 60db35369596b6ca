package dev.decant.fix.log;

import dev.decant.fix.settings.SessionId;
import java.nio.ByteBuffer;

/**
 * Writes down what a session receives and sends, and what happens to it. All methods are called by the owner of the
 * engine's loop, in the middle of its work: an implementation copies and returns.
 */
public interface MessageLog extends AutoCloseable {
  /**
   * Bytes have arrived that were taken for a message, garbled ones too.
   *
   * @param session the session; its identity is the one under which the log was opened
   * @param epochNanos when, in nanoseconds since the epoch
   * @param buffer holds them; valid during the call, its position and limit are not to be touched
   * @param from index of the first byte
   * @param to index after the last byte
   */
  void inbound(SessionId session, long epochNanos, ByteBuffer buffer, int from, int to);

  /**
   * A message goes to the socket next.
   *
   * @param session the session
   * @param epochNanos when, in nanoseconds since the epoch
   * @param buffer holds it; valid during the call, its position and limit are not to be touched
   * @param from index of the first byte
   * @param to index after the last byte
   */
  void outbound(SessionId session, long epochNanos, ByteBuffer buffer, int from, int to);

  /**
   * Something happened to a session: a logon, a disconnection, a gap.
   *
   * @param session the session
   * @param epochNanos when, in nanoseconds since the epoch
   * @param text what; a line without credentials
   */
  void event(SessionId session, long epochNanos, String text);

  /** Writes what is still queued, within a bounded time, and ends. Closing again does nothing. */
  @Override
  void close();

  /**
   * A log that writes nothing.
   *
   * @return the shared instance
   */
  static MessageLog none() {
    return NoLog.INSTANCE;
  }
}
