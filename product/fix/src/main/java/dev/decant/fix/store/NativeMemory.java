package dev.decant.fix.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;

/**
 * Memory outside of the heap that has one owner: mapped files, and zeros.
 *
 * <p>On Java 22 and newer, {@link #close} gives it back at once: see {@link ArenaMemory}. Java 21 has no final API for
 * that. There the collector gives it back when no buffer of it is reachable any more. {@link CollectedMemory} bounds
 * what is closed and still held, so an owner that closes it must also drop its buffers.
 *
 * <p>One thread at a time.
 */
abstract class NativeMemory implements AutoCloseable {
  private static final boolean HAS_ARENAS = Runtime.version().feature() >= 22;

  /** Begins without any memory. */
  static NativeMemory open() {
    return HAS_ARENAS ? new ArenaMemory() : new CollectedMemory(CollectedBlocks.OF_THE_JVM);
  }

  /**
   * Maps a file from its beginning.
   *
   * @param channel the file; may be closed afterwards
   */
  abstract MappedByteBuffer map(FileChannel channel, MapMode mode, int bytes) throws IOException;

  /** Allocates zeros. */
  abstract ByteBuffer allocate(int bytes);

  /** Gives all of it back; nobody may use it any more. Closing again does nothing. */
  @Override
  public abstract void close();
}
