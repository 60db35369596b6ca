package dev.decant.fix.quickfix;

import dev.decant.fix.log.MessageLog;
import dev.decant.fix.settings.SessionId;
import java.nio.ByteBuffer;
import java.util.function.Function;
import quickfix.Log;

/** Passes messages and events of an engine to logs that a log factory of QuickFIX/J has created. */
final class LogBridge implements MessageLog {
  private final Function<SessionId, Log> logs;

  LogBridge(Function<SessionId, Log> logs) {
    this.logs = logs;
  }

  private static String text(ByteBuffer buffer, int from, int to) {
    byte[] bytes = new byte[to - from];
    buffer.get(from, bytes);
    return new String(bytes, MessageConversion.charset());
  }

  @Override
  public void inbound(SessionId session, long epochNanos, ByteBuffer buffer, int from, int to) {
    logs.apply(session).onIncoming(text(buffer, from, to));
  }

  @Override
  public void outbound(SessionId session, long epochNanos, ByteBuffer buffer, int from, int to) {
    logs.apply(session).onOutgoing(text(buffer, from, to));
  }

  @Override
  public void event(SessionId session, long epochNanos, String text) {
    logs.apply(session).onEvent(text);
  }

  @Override
  public void close() {
    // Logs of QuickFIX/J have no close.
  }
}
