package dev.decant.fix.log;

import dev.decant.fix.settings.SessionId;
import java.nio.ByteBuffer;

/** A log that writes nothing. */
enum NoLog implements MessageLog {
  INSTANCE;

  @Override
  public void inbound(SessionId session, long epochNanos, ByteBuffer buffer, int from, int to) {}

  @Override
  public void outbound(SessionId session, long epochNanos, ByteBuffer buffer, int from, int to) {}

  @Override
  public void event(SessionId session, long epochNanos, String text) {}

  @Override
  public void close() {}
}
