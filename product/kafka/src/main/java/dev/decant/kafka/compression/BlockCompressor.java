package dev.decant.kafka.compression;

import java.nio.ByteBuffer;

/**
 * A compressor for formats that consist of a head, blocks that are compressed each by itself, and an end. A block that
 * lies within one piece is compressed from there; one that does not is put together first.
 */
public abstract class BlockCompressor implements Compressor {
  private final int blockBytes;
  private final ByteBuffer staged;
  private int stagedBytes;
  private ByteBuffer target;
  private int at;
  /** Bytes that were not added yet. */
  private int left;

  /**
   * Makes one.
   *
   * @param blockBytes every block has so many uncompressed bytes, but for the last
   */
  protected BlockCompressor(int blockBytes) {
    this.blockBytes = blockBytes;
    this.staged = ByteBuffer.allocateDirect(blockBytes);
    this.target = staged;
  }

  /**
   * Writes what comes before the blocks.
   *
   * @param out where to
   * @param index of the first byte
   * @return index after the last one
   */
  protected abstract int writeHead(ByteBuffer out, int index);

  /**
   * Compresses a block.
   *
   * @param source where it is
   * @param from index of its first byte
   * @param length in bytes, positive
   * @param out where to write
   * @param index of the first byte
   * @return index after the last one
   */
  protected abstract int writeBlock(ByteBuffer source, int from, int length, ByteBuffer out, int index);

  /**
   * Writes what comes behind the blocks.
   *
   * @param out where to
   * @param index of the first byte
   * @return index after the last one
   */
  protected abstract int writeEnd(ByteBuffer out, int index);

  @Override
  public final void begin(ByteBuffer output, int index, int bytes) {
    target = output;
    left = bytes;
    stagedBytes = 0;
    at = writeHead(output, index);
  }

  @Override
  public final void add(ByteBuffer source, int from, int to) {
    int p = from;
    while (p < to) {
      int block = Math.min(blockBytes, stagedBytes + left);
      int taken = Math.min(block - stagedBytes, to - p);
      if (taken == block) {
        at = writeBlock(source, p, taken, target, at);
      } else {
        staged.put(stagedBytes, source, p, taken);
        stagedBytes += taken;
        if (stagedBytes == block) {
          at = writeBlock(staged, 0, stagedBytes, target, at);
          stagedBytes = 0;
        }
      }
      left -= taken;
      p += taken;
    }
  }

  @Override
  public final int finish() {
    if (left != 0) {
      throw new IllegalStateException(left + " bytes less than announced were added");
    }
    return writeEnd(target, at);
  }
}
