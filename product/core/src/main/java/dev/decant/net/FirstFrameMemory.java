package dev.decant.net;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Receive buffers for connections whose peers are not authenticated. The constructor allocates all of them, and they
 * are used again and again. So no unauthenticated peer causes an allocation of direct memory: without free memory, an
 * allocation takes half a second and a garbage collection before it fails.
 *
 * <p>Owner of the loop only, but for the constructor.
 */
public final class FirstFrameMemory {
  private final int frameBytes;
  private final ArrayDeque<ByteBuffer> free;

  /**
   * Allocates the buffers.
   *
   * @param buffers how many: {@link Acceptor.Limits#active()} of the acceptor
   * @param frameBytes the longest frame of a peer that is not authenticated, its header included
   * @throws OutOfMemoryError if the process lacks the direct memory
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

  /** Takes a buffer; returns null if all are in use. */
  @Nullable
  ByteBuffer take() {
    return free.poll();
  }

  void giveBack(ByteBuffer buffer) {
    free.push(buffer.clear());
  }
}
