package dev.decant.kafka.record;

import java.nio.ByteBuffer;

/** Decompresses the records of batches, for a {@link RecordBatchReader}. Used by one thread at a time. */
public interface RecordDecompressor {
  /**
   * Decompresses the records of one batch, whose checksum is correct.
   *
   * @param type their compression, not {@link CompressionType#NONE}
   * @param batches holds the compressed bytes; its position and limit may be moved during this call
   * @param from index of the first compressed byte
   * @param to index after the last one
   * @return memory whose position and limit are the bounds of the records, big endian; valid until the next call
   * @throws UnsupportedCompressionException if there is no codec for the type
   * @throws dev.decant.buffer.MalformedBytesException if the bytes do not have the codec's format, or decompress to
   *     more than is allowed
   */
  ByteBuffer decompress(CompressionType type, ByteBuffer batches, int from, int to);
}
