package dev.decant.fix.record;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;

/**
 * Memory outside of the heap with one owner: mapped files, and zeros.
 *
 * <p>On Java 22 and newer, {@link #close} frees it at once, see {@link ArenaMemory}. Java 21 has no final API for that.
 * There, the garbage collector frees it when no buffer of it is reachable. {@link CollectedMemory} limits the memory
 * that is closed and not freed, so an owner must drop its buffers when it closes the memory.
 *
 * <p>One thread at a time.
 */
public abstract class NativeMemory implements AutoCloseable {
  private static final boolean HAS_ARENAS = Runtime.version().feature() >= 22;

  /** Creates an owner without any memory. */
  public static NativeMemory open() {
    return HAS_ARENAS ? new ArenaMemory() : new CollectedMemory(CollectedBlocks.OF_THE_JVM);
  }

  /**
   * Maps a file from its beginning.
   *
   * @param channel the file; may be closed afterwards
   */
  public abstract MappedByteBuffer map(FileChannel channel, MapMode mode, int bytes) throws IOException;

  /** Allocates memory of zeros. */
  public abstract ByteBuffer allocate(int bytes);

  /** Frees all of the memory, which no thread may use afterwards. Further calls have no effect. */
  @Override
  public abstract void close();
}
