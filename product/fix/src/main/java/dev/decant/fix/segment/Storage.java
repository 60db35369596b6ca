package dev.decant.fix.segment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;

/** The operations that fail when a disk is full or broken. Any thread. Tests replace them to cause failures. */
public class Storage {
  private static final int ZEROS_BYTES = 64 * 1024;
  private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(ZEROS_BYTES).asReadOnlyBuffer();

  /** Creates access to the disk. */
  public Storage() {}

  /**
   * Writes zeros, which reserves disk space. If only the size of a file were set, the first store to a page could find
   * no space, and that ends the JVM.
   *
   * @throws IOException if the disk is full or broken
   */
  public void writeZeros(FileChannel channel, long from, long to) throws IOException {
    ByteBuffer zeros = ZEROS.duplicate();
    long at = from;
    while (at < to) {
      zeros.clear().limit((int) Math.min(zeros.capacity(), to - at));
      at += channel.write(zeros, at);
    }
  }

  /** Forces bytes of a mapped file to the disk. */
  public void force(MappedByteBuffer memory, int from, int to) throws IOException {
    try {
      memory.force(from, to - from);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** Forces a file and its existence to the disk. */
  public void force(FileChannel channel) throws IOException {
    channel.force(true);
  }
}
