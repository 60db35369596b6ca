package dev.decant.fix;

import dev.decant.fix.log.MessageLog;
import dev.decant.fix.session.SessionLock;
import dev.decant.fix.settings.SessionId;
import java.nio.ByteBuffer;

/**
 * The log of an engine with several loops. A {@link MessageLog} allows one thread at a time, so the owners of the loops
 * take turns. Their lock allocates nothing for waiting threads.
 */
final class SharedLog implements MessageLog {
  private final SessionLock lock = new SessionLock();
  private final MessageLog log;

  SharedLog(MessageLog log) {
    this.log = log;
  }

  @Override
  public void inbound(SessionId session, long epochNanos, ByteBuffer buffer, int from, int to) {
    lock.lock();
    try {
      log.inbound(session, epochNanos, buffer, from, to);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void outbound(SessionId session, long epochNanos, ByteBuffer buffer, int from, int to) {
    lock.lock();
    try {
      log.outbound(session, epochNanos, buffer, from, to);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void event(SessionId session, long epochNanos, String text) {
    lock.lock();
    try {
      log.event(session, epochNanos, text);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    log.close();
  }
}
