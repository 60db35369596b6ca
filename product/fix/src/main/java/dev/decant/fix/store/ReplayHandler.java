package dev.decant.fix.store;

import dev.decant.fix.segment.MessageHandler;
import dev.decant.fix.store.MessageStore.Replay;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Passes the messages of segments to the handler of a replay. A store keeps one, so that a replay allocates nothing.
 * One thread at a time.
 */
final class ReplayHandler implements MessageHandler {
  /** The handler of the innermost replay: a handler may replay, too. */
  private @Nullable Replay replay;

  /** Begins a replay. Returns the handler of the replay around it, for {@link #end}. */
  @Nullable
  Replay begin(Replay handler) {
    Replay outer = replay;
    replay = handler;
    return outer;
  }

  void end(@Nullable Replay outer) {
    replay = outer;
  }

  @Override
  public boolean onMessage(long number, long epochNanos, ByteBuffer buffer, int from, int to) {
    Replay handler = replay;
    return handler != null && handler.onMessage(number, epochNanos, buffer, from, to);
  }
}
