package dev.decant.kafka.compression;

import java.nio.ByteBuffer;

/**
 * Decompresses the records of one batch after the other. The bytes may be hostile: whatever they are, it ends with the
 * records or a {@link dev.decant.buffer.MalformedBytesException}, and takes no more memory than the output allows. For
 * one thread at a time. It allocates nothing once it is warm, but for exceptions.
 */
public interface Decompressor extends AutoCloseable {
  /**
   * Decompresses a batch.
   *
   * @param source direct; its position and limit may be moved during the call and are restored
   * @param from index of the first compressed byte
   * @param to index after the last one
   * @param output takes the records, behind what it has
   * @throws dev.decant.buffer.MalformedBytesException if the bytes are damaged, or stand for more than the output takes
   */
  void decompress(ByteBuffer source, int from, int to, DecompressedRecords output);

  /** Gives back what it holds. */
  @Override
  void close();
}
