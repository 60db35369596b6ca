package dev.decant.net;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Receive buffers for connections whose peers are not authenticated. All are allocated at once, by the thread that
 * makes this, and are used again and again. So a stranger makes no thread allocate direct memory: without any left,
 * that takes half a second and a collection.
 *
 * <p>Owner of the loop only, but for the constructor.
 */
public final class FirstFrameMemory {
  private final int frameBytes;
  private final ArrayDeque<ByteBuffer> free;

  /**
   * Allocates the buffers. Throws an {@link OutOfMemoryError} if the process lacks the direct memory.
   *
   * @param buffers how many: {@link Acceptor.Limits#active()} of the acceptor
   * @param frameBytes the longest frame of a peer that is not authenticated, its header included
   */
  public FirstFrameMemory(int buffers, int frameBytes) {
    this.frameBytes = frameBytes;
    this.free = new ArrayDeque<>(buffers);
    ByteBuffer all = ByteBuffer.allocateDirect(Math.multiplyExact(buffers, frameBytes));
    for (int i = 0; i < buffers; i++) {
      free.add(all.slice(i * frameBytes, frameBytes));
    }
  }

  int frameBytes() {
    return frameBytes;
  }

  /** Takes a buffer; null if all are in use. */
  @Nullable
  ByteBuffer take() {
    return free.poll();
  }

  void giveBack(ByteBuffer buffer) {
    free.push(buffer.clear());
  }
}
