package dev.decant.fix.session;

import dev.decant.fix.message.FieldWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The memory in which all sessions of a loop build their session messages, one after the other.
 *
 * <p>The application is asked about a message before that has a number. In this callback it may send, so that other
 * session messages are built: of the same session, or of another one of the loop. Each of these has memory of its own.
 * Once, a gap fill overwrote the Heartbeat or Logon of the session that was asking.
 *
 * <pre>
 *   Heartbeat of one session          at depth 0
 *     callback: sends to another session
 *       gap fill of that session      at depth 1
 * </pre>
 *
 * <p>Owner of the loop only.
 */
final class AdminBodies {
  private static final int FIRST_BYTES = 4 * 1024;

  /** The bodies by depth. A second one is made when an application first sends within a callback. */
  private final List<Body> bodies = new ArrayList<>();
  /** How many messages the application is being asked about now. */
  private int depth;

  AdminBodies() {
    bodies.add(new Body());
  }

  /**
   * Begins a message.
   *
   * @param maxBytes {@code maxMessageBytes} of its session
   */
  FieldWriter begin(int maxBytes) {
    if (depth == bodies.size()) {
      bodies.add(new Body());
    }
    return bodies.get(depth).begin(maxBytes);
  }

  /** Returns the message that was begun last at the present depth. */
  FieldWriter current() {
    return bodies.get(depth);
  }

  /** Begins a callback about the current message. Messages begun from now on are others. */
  void beginCallback() {
    depth++;
  }

  /** Ends the callback: the message that it was about is the current one again. */
  void endCallback() {
    depth--;
  }

  /** A writer whose memory grows up to the limit of the session. */
  private static final class Body extends FieldWriter {
    private ByteBuffer memory = ByteBuffer.allocateDirect(FIRST_BYTES);
    private int maxBytes;

    FieldWriter begin(int most) {
      maxBytes = most;
      return wrap(memory, 0, Math.min(most, memory.capacity()));
    }

    @Override
    protected @Nullable ByteBuffer largerMemory(long bytes) {
      if (bytes > maxBytes) {
        return null;
      }
      memory = ByteBuffer.allocateDirect((int) Math.max(bytes, Math.min(maxBytes, 2L * memory.capacity())));
      return memory;
    }
  }
}
