package dev.decant.fix.record;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.util.ArrayList;
import java.util.List;

/**
 * Memory that the garbage collector frees, for Java 21. It is never reused: a reader that keeps a buffer still sees the
 * old content.
 */
final class CollectedMemory extends NativeMemory {
  private final CollectedBlocks blocks;
  /** The blocks of this owner. They do not refer to the memory itself. */
  private final List<CollectedBlocks.Block> owned = new ArrayList<>(2);

  CollectedMemory(CollectedBlocks blocks) {
    this.blocks = blocks;
  }

  @Override
  public MappedByteBuffer map(FileChannel channel, MapMode mode, int bytes) throws IOException {
    blocks.collectIfNeeded();
    MappedByteBuffer mapped = channel.map(mode, 0, bytes);
    owned.add(blocks.add(mapped));
    return mapped;
  }

  @Override
  public ByteBuffer allocate(int bytes) {
    blocks.collectIfNeeded();
    ByteBuffer allocated = ByteBuffer.allocateDirect(bytes);
    owned.add(blocks.add(allocated));
    return allocated;
  }

  @Override
  public void close() {
    blocks.close(owned);
    owned.clear();
  }
}
