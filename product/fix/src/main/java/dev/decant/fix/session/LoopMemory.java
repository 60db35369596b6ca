package dev.decant.fix.session;

import dev.decant.fix.message.DataFields;
import dev.decant.fix.message.MessageView;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntSupplier;

/**
 * Memory that all sessions of a loop share: for messages of the session layer while they are made, for messages on
 * their way to the sockets, and for the places of the fields of a message that has arrived. A session has memory of its
 * own only while something waits there.
 *
 * <p>With thousands of sessions, what each has for itself is in no cache of the processor when its message comes.
 */
public final class LoopMemory {
  /** Bounds what dictionaries leave behind that were replaced. */
  private static final int MOST_VIEWS = 64;

  /** What a view goes by. */
  private record Format(DataFields dataFields, boolean weakTimestamps) {}

  private final ChunkPool chunks;
  private final AdminBodies adminBodies = new AdminBodies();
  /** The views that sessions were given, guarded by the monitor. */
  private final Map<Format, MessageView> views = new HashMap<>();

  /**
   * Makes the memory, which grows with its use.
   *
   * @param sessions how many sessions use it now; any thread asks
   */
  public LoopMemory(IntSupplier sessions) {
    chunks = new ChunkPool(sessions);
  }

  ChunkPool chunks() {
    return chunks;
  }

  /** Where messages of the session layer are made. */
  AdminBodies adminBodies() {
    return adminBodies;
  }

  /**
   * The view of messages that arrive, for all sessions with the same data fields. The loop delivers one message after
   * the other, and a view is valid during the delivery. Any thread; the view itself is the owner's.
   */
  synchronized MessageView view(DataFields dataFields, boolean weakTimestamps) {
    if (views.size() == MOST_VIEWS) {
      views.clear(); // sessions keep those that they have
    }
    return views.computeIfAbsent(new Format(dataFields, weakTimestamps),
        format -> new MessageView(format.dataFields, format.weakTimestamps));
  }
}
