package dev.decant.kafka.record;

import java.nio.ByteBuffer;

/** Makes the records of a compressed batch readable, for a {@link RecordBatchReader}. Used by one thread at a time. */
public interface RecordDecompressor {
  /**
   * Decompresses the records of one batch, whose checksum has been found right.
   *
   * @param type how they are compressed, not {@link CompressionType#NONE}
   * @param batches where the compressed bytes are; its position and limit may be moved during this call
   * @param from index of the first compressed byte
   * @param to index after the last one
   * @return memory whose position and limit are the bounds of the records, big endian; good until the next call
   * @throws UnsupportedCompressionException if there is no codec for the type
   * @throws dev.decant.buffer.MalformedBytesException if the bytes are not what the codec writes, or stand for more
   *     than is allowed
   */
  ByteBuffer decompress(CompressionType type, ByteBuffer batches, int from, int to);
}
