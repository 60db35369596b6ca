package dev.decant.kafka.compression;

import dev.decant.buffer.MalformedBytesException;
import java.nio.ByteBuffer;

/**
 * Direct memory for the records of a decompressed batch: it grows as they come, up to a bound, and serves again. Not
 * thread-safe.
 */
public final class DecompressedRecords {
  private static final int FIRST_BYTES = 64 * 1024;

  private final int maxBytes;
  private ByteBuffer buffer = ByteBuffer.allocateDirect(0);
  private int end;

  /**
   * Makes one that has no memory yet.
   *
   * @param maxBytes the bound; positive
   */
  public DecompressedRecords(int maxBytes) {
    if (maxBytes <= 0) {
      throw new IllegalArgumentException("the bound of decompressed records is " + maxBytes + ", it must be positive");
    }
    this.maxBytes = maxBytes;
  }

  /** Forgets the records; the memory stays. */
  public void clear() {
    buffer.clear();
    end = 0;
  }

  /**
   * Where the records are, from 0 to {@link #end()}.
   *
   * @return another one after {@link #makeRoom}
   */
  public ByteBuffer buffer() {
    return buffer;
  }

  /**
   * Where the next byte goes.
   *
   * @return index behind the records
   */
  public int end() {
    return end;
  }

  /**
   * How much fits now.
   *
   * @return bytes
   */
  public int room() {
    return buffer.capacity() - end;
  }

  /**
   * How much {@link #makeRoom} can make, within the bound.
   *
   * @return bytes
   */
  public int mostRoom() {
    return maxBytes - end;
  }

  /**
   * Sees to room; the memory at least doubles when it has to grow.
   *
   * @param bytes needed behind the records; not negative
   * @throws MalformedBytesException if that exceeds the bound, or the JVM has no such memory
   */
  public void makeRoom(long bytes) {
    if (bytes > room()) {
      grow(bytes);
    }
  }

  private void grow(long bytes) {
    if (bytes > maxBytes - end) {
      throw new MalformedBytesException("they take more than " + maxBytes
          + " bytes once decompressed; if that is right, raise maxDecompressedBatch of the consumer");
    }
    long wanted = Math.max(FIRST_BYTES, Math.max(end + bytes, 2L * buffer.capacity()));
    int capacity = (int) Math.min(wanted, maxBytes);
    ByteBuffer larger;
    try {
      larger = ByteBuffer.allocateDirect(capacity);
    } catch (OutOfMemoryError e) {
      throw new MalformedBytesException("there is no direct memory for " + capacity + " bytes: " + e.getMessage());
    }
    larger.put(0, buffer, 0, end);
    buffer = larger;
  }

  /**
   * Counts what was written behind the records.
   *
   * @param bytes at most {@link #room()}
   */
  public void written(int bytes) {
    if (bytes < 0 || bytes > room()) {
      throw new IllegalArgumentException(bytes + " bytes written where there was room for " + room());
    }
    end += bytes;
  }
}
