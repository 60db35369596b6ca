package dev.decant.kafka.producer;

import dev.decant.buffer.BufferPool;
import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.compression.CompressionCodec;
import dev.decant.kafka.compression.Compressor;
import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.record.UnsupportedCompressionException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Compresses the records of a batch when it is sent first, into memory of a pool of its own, a quarter as large as that
 * of the records: where senders wait for memory the other pool has none to give, and then nothing would be compressed
 * just when it matters most. A batch for which there is no memory, that does not become smaller, or with which the
 * codec fails, goes as it is.
 *
 * <p>The records themselves stay where they are until the batch is over: so another producer id costs a new header and
 * nothing else, and a batch that is too large for the broker can be divided without being decompressed. Owner of the
 * loop only.
 */
final class BatchCompression {
  private static final int SHARE_OF_BUFFER_MEMORY = 4;
  private static final int LEAST_BATCHES = 4;

  private final CompressionType type;
  private final Compressor compressor;
  private final BufferPool pool;
  private boolean complained;

  BatchCompression(CompressionType type, Compressor compressor, BufferPool pool) {
    this.type = type;
    this.compressor = compressor;
    this.pool = pool;
  }

  /** Finds the codec and makes its compressor; null for none. */
  static @Nullable BatchCompression open(CompressionType type, int level, long bufferMemory, int batchSize) {
    if (type == CompressionType.NONE) {
      return null;
    }
    try {
      Compressor compressor = CompressionCodec.compressor(type, level);
      long bytes = Math.max(bufferMemory / SHARE_OF_BUFFER_MEMORY,
          LEAST_BATCHES * (long) compressor.mostBytes(batchSize));
      return new BatchCompression(type, compressor, new BufferPool(bytes, PartitionQueue.SMALLEST_CHUNK_BYTES));
    } catch (UnsupportedCompressionException | LinkageError e) {
      throw new IllegalArgumentException(ProducerSetting.COMPRESSION.kafkaName() + ": " + e.getMessage(), e);
    }
  }

  /** Bound of the direct memory that it takes beside that of the records. */
  long maxBytes() {
    return pool.maxBytes();
  }

  /** Compresses a batch that is complete and was not sent before, if that is worth it. */
  void compress(ProducerBatch batch) {
    PooledBuffer scratch = null;
    try {
      int bytes = batch.closedBytes() - ProducerBatch.HEADER_BYTES;
      int most = compressor.mostBytes(bytes);
      scratch = most > pool.largestLeaseBytes() ? null : pool.tryLease(most);
      if (scratch != null) {
        compress(batch, bytes, scratch.buffer());
      }
    } catch (Throwable e) { // a codec may be anybody's, direct memory may run out, and no record may be lost by it
      complain(e);
    } finally {
      if (scratch != null) {
        scratch.release();
      }
    }
  }

  private void compress(ProducerBatch batch, int bytes, ByteBuffer compressed) {
    compressor.begin(compressed, 0, bytes);
    batch.addRecordsTo(compressor);
    int size = compressor.finish();
    PooledBuffer own = size >= bytes ? null : pool.tryLease(ProducerBatch.HEADER_BYTES + size);
    if (own != null) {
      own.buffer().put(ProducerBatch.HEADER_BYTES, compressed, 0, size);
      batch.compressed(own, size, type);
    }
  }

  private void complain(Throwable cause) {
    if (!complained) {
      complained = true;
      System.getLogger(BatchCompression.class.getName()).log(System.Logger.Level.WARNING,
          "compression with " + type + " fails; batches of this producer with which it does are sent as they are",
          cause);
    }
  }

  /** Once no batch is left. */
  void close() {
    compressor.close();
    pool.close();
  }
}
