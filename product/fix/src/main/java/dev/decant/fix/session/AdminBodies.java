package dev.decant.fix.session;

import dev.decant.fix.message.FieldWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The memory in which all sessions of a loop make their messages of the session layer, one after the other.
 *
 * <p>The application may be asked about a message before it has a number. What it does meanwhile may make other
 * messages, of the same session or of another one of the loop. Each of these has memory of its own, so the message that
 * the application is asked about stays as it is.
 *
 * <pre>
 *   Heartbeat of one session          at depth 0
 *     asked: sends to another session
 *       gap fill of that session      at depth 1
 * </pre>
 *
 * <p>Owner of the loop only.
 */
final class AdminBodies {
  private static final int FIRST_BYTES = 4 * 1024;

  /** By depth. There is a second one once the application has brought one about. */
  private final List<Body> bodies = new ArrayList<>();
  /** How many messages the application is being asked about. */
  private int depth;

  AdminBodies() {
    bodies.add(new Body());
  }

  /**
   * Begins a message.
   *
   * @param maxBytes the bound of its session
   */
  FieldWriter begin(int maxBytes) {
    if (depth == bodies.size()) {
      bodies.add(new Body());
    }
    return bodies.get(depth).begin(maxBytes);
  }

  /** The message that was begun last, of those that the application is not being asked about. */
  FieldWriter current() {
    return bodies.get(depth);
  }

  /** The application is asked about the current message. What is begun from now on is another message. */
  void ask() {
    depth++;
  }

  /** The application has told: the message that it was asked about is the current one again. */
  void told() {
    depth--;
  }

  /** Writes a message into memory that grows up to the bound of its session. */
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
