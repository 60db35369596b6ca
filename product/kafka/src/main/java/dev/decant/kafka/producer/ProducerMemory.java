package dev.decant.kafka.producer;

import dev.decant.buffer.BufferPool;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.memory.SendMemory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Memory and compression of a producer of one topic, or of all topics of an {@link AnyTopicProducer}, each of which has
 * a share. Memory of the producer's own is closed with the last share.
 */
final class ProducerMemory {
  /** Value of {@link #directBytes} for a share. */
  static final long SHARED = -1;

  private final SendMemory records;
  private final @Nullable BatchCompression compression;
  private final long directBytes;
  private final Runnable close;
  private final AtomicInteger shares = new AtomicInteger(1);

  private ProducerMemory(SendMemory records, @Nullable BatchCompression compression, long directBytes,
      Runnable close) {
    this.records = records;
    this.compression = compression;
    this.directBytes = directBytes;
    this.close = close;
  }

  /**
   * Makes the pools and finds the codec.
   *
   * @param ownBytes memory for records of its own; 0 to use the client's
   * @throws IllegalArgumentException if the codec is missing
   */
  static ProducerMemory open(ClientInternals client, ProducerSettings settings, long ownBytes) {
    boolean owns = ownBytes > 0;
    BatchCompression compression = BatchCompression.open(settings.compression(), settings.compressionLevel(),
        owns ? ownBytes : client.sendMemory().pool().maxBytes(), settings.batchSize());
    SendMemory records = owns
        ? new SendMemory(client.loop(), new BufferPool(ownBytes, PartitionQueue.SMALLEST_CHUNK_BYTES))
        : client.sendMemory();
    long direct = (owns ? ownBytes : 0) + (compression == null ? 0 : compression.maxBytes());
    return new ProducerMemory(records, compression, direct, () -> {
      if (compression != null) {
        compression.close();
      }
      if (owns) {
        records.pool().close();
      }
    });
  }

  /** Returns a share of the same memory for another topic. Any thread that has a share itself. */
  ProducerMemory share() {
    shares.incrementAndGet();
    return new ProducerMemory(records, compression, SHARED, this::release);
  }

  /** The memory of records. */
  SendMemory records() {
    return records;
  }

  /** The compression; null for none. */
  @Nullable
  BatchCompression compression() {
    return compression;
  }

  /** Bound of all pools of its own; {@link #SHARED} for a share, whose memory another producer has announced. */
  long directBytes() {
    return directBytes;
  }

  /** Gives the share back: none of its memory is in use any more. */
  void release() {
    if (shares.decrementAndGet() == 0) {
      close.run();
    }
  }
}
