package dev.decant.fix.session;

import dev.decant.fix.message.DataFields;
import dev.decant.fix.message.MessageView;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntSupplier;

/**
 * Memory that all sessions of a loop share. It holds session messages being built, output for the sockets, and the
 * field table of the present message. A session has memory of its own only while messages wait there.
 *
 * <p>With thousands of sessions, a table of each session is in no cache of the processor when its message arrives. All
 * sessions of a loop therefore use one table.
 */
public final class LoopMemory {
  /** The most views that are kept. Replaced dictionaries leave theirs behind. */
  private static final int MOST_VIEWS = 64;

  /** The properties that sessions with the same view have in common. */
  private record Format(DataFields dataFields, boolean weakTimestamps) {}

  private final ChunkPool chunks;
  private final AdminBodies adminBodies = new AdminBodies();
  /** The views by format. Guarded by the monitor. */
  private final Map<Format, MessageView> views = new HashMap<>();

  /**
   * Creates the memory, which grows with its use.
   *
   * @param sessions returns how many sessions use it now; any thread may call it
   */
  public LoopMemory(IntSupplier sessions) {
    chunks = new ChunkPool(sessions);
  }

  ChunkPool chunks() {
    return chunks;
  }

  /** Returns the memory in which session messages are built. */
  AdminBodies adminBodies() {
    return adminBodies;
  }

  /**
   * Returns the view of received messages for all sessions with these data fields. The loop delivers one message at a
   * time, and a view is valid during that delivery. Any thread; the view itself belongs to the owner of the loop.
   */
  synchronized MessageView view(DataFields dataFields, boolean weakTimestamps) {
    if (views.size() == MOST_VIEWS) {
      views.clear(); // Sessions keep the views that they have.
    }
    return views.computeIfAbsent(new Format(dataFields, weakTimestamps),
        format -> new MessageView(format.dataFields, format.weakTimestamps));
  }
}
