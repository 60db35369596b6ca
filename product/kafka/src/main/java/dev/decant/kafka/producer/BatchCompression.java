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
 * Compresses the records of a batch before its first attempt, into memory of its own pool. The pool is a quarter as
 * large as that of the records. With one pool for both, no batch would be compressed while senders wait for memory,
 * when it matters most. A batch is sent as it is if there is no memory, it does not become smaller, or the codec fails.
 *
 * <p>The records themselves stay in their chunks until the batch is over. Another producer id therefore costs a new
 * header only, and a batch that is too large for the broker is split without being decompressed. Owner of the loop
 * only.
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

  /** Finds the codec and makes its compressor; returns null without compression. */
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

  /** Bound of the direct memory for compressed records. */
  long maxBytes() {
    return pool.maxBytes();
  }

  /** Compresses a batch that is complete and was not sent before, if it becomes smaller. */
  void compress(ProducerBatch batch) {
    PooledBuffer scratch = null;
    try {
      int bytes = batch.closedBytes() - ProducerBatch.HEADER_BYTES;
      int most = compressor.mostBytes(bytes);
      scratch = most > pool.largestLeaseBytes() ? null : pool.tryLease(most);
      if (scratch != null) {
        compress(batch, bytes, scratch.buffer());
      }
    } catch (Throwable e) { // foreign code, or no direct memory: the records must be sent all the same
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

  /** Gives the memory back. To be called once no batch is left. */
  void close() {
    compressor.close();
    pool.close();
  }
}
