package dev.decant.kafka.compression;

import java.nio.ByteBuffer;

/**
 * Compresses the records of one batch after the other, each into a stream of its own: {@link #begin}, {@link #add} for
 * each piece, {@link #finish}. All buffers are direct; bytes are named by index, and positions and limits that it moves
 * during a call it restores. For one thread at a time. It allocates nothing once it is warm.
 */
public interface Compressor extends AutoCloseable {
  /**
   * How large the result can be at most.
   *
   * @param bytes to be compressed
   * @return what {@link #begin} needs room for
   */
  int mostBytes(int bytes);

  /**
   * Begins, and forgets a batch that was not finished.
   *
   * @param target takes the result, {@link #mostBytes} behind {@code at}
   * @param at index of its first byte
   * @param bytes of all pieces together
   */
  void begin(ByteBuffer target, int at, int bytes);

  /**
   * Takes the next piece. What it has not used at once it has copied.
   *
   * @param source where the piece is
   * @param from index of its first byte
   * @param to index after the last one
   */
  void add(ByteBuffer source, int from, int to);

  /**
   * Ends the result.
   *
   * @return index after its last byte
   */
  int finish();

  /** Gives back what it holds. */
  @Override
  void close();
}
