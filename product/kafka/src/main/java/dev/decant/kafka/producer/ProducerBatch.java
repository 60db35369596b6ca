package dev.decant.kafka.producer;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.compression.Compressor;
import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.telemetry.ErrorFunnel;
import dev.decant.kafka.transaction.SequenceNumbers;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A record batch (magic 2) of one partition: chunks, the first of which begins with the header. Filled under the
 * monitor of its queue and by claims, then owned by the owner of the loop until it is released. A compressed batch has
 * header and compressed records in other memory; its chunks keep the records as they were appended.
 *
 * <pre>
 *   0           8        12          16    17      21         23              27
 *   | baseOffset | length | leaderEp. | 2   | crc   | attribs  | lastOffsetDel.|
 *   27             35            43          51       53         57      61
 *   | baseTimestamp | maxTimestamp | producerId | epoch | baseSeq. | count | records ...
 * </pre>
 */
final class ProducerBatch {
  static final int HEADER_BYTES = 61;
  /** In place of a sequence number: the batch has none yet, or the producer is not idempotent. */
  static final int UNNUMBERED = -1;
  private static final int LENGTH_OFFSET = 8;
  private static final int CRC_OFFSET = 17;
  private static final int ATTRIBUTES_OFFSET = 21;
  private static final int OVERHEAD_BYTES = 12;
  private static final byte MAGIC = 2;
  private static final short TRANSACTIONAL = 0x10;

  // Set when it begins; it is used again and again, and for any queue.
  PartitionQueue queue;
  /** Its place among all batches of the queue, from 1 on. Written under the queue's monitor. */
  long number;
  long createdNanos;
  long baseTimestamp;

  private Chunk[] chunks;
  private int chunkCount;
  private int closedBytes;
  private int closedRecords;

  // Owner of the loop only.
  int baseSequence = UNNUMBERED;
  /** Under which its header was written. */
  long producerId = -1;
  short producerEpoch = -1;
  /** Whether the header is written. */
  boolean sealed;
  /** Set before its header is written. */
  boolean transactional;
  int attempts;
  /** The memory with which it counts as in flight; 0 until it is sent for the first time. */
  long bytesInFlight;
  /** The broker said that the sequence number does not follow, though nothing older was in flight. */
  boolean refusedNumber;
  /** Its listeners have a failure, though it may still be in flight: it is too late, or the producer closes. */
  boolean failed;
  @Nullable
  KafkaException lastError;
  /** Header and compressed records; null if the chunks are what is sent. */
  private @Nullable PooledBuffer compressed;
  private int compressedBytes;
  private CompressionType compression = CompressionType.NONE;

  /** A batch with room for so many chunks before it grows. */
  ProducerBatch(PartitionQueue queue, int initialChunks) {
    this.queue = queue;
    this.chunks = new Chunk[initialChunks];
  }

  /** Begins anew, without chunks. */
  void begin(PartitionQueue target, long nowNanos, long timestamp) {
    queue = target;
    createdNanos = nowNanos;
    baseTimestamp = timestamp;
    chunkCount = 0;
    closedBytes = 0;
    closedRecords = 0;
    baseSequence = UNNUMBERED;
    producerId = -1;
    producerEpoch = -1;
    sealed = false;
    transactional = false;
    attempts = 0;
    bytesInFlight = 0;
    refusedNumber = false;
    failed = false;
    lastError = null;
  }

  /** Bytes of all closed chunks: header and records, not compressed. */
  int closedBytes() {
    return closedBytes;
  }

  /** Bytes to be sent: header and records as they are, or compressed. */
  int wireBytes() {
    return compressed == null ? closedBytes : compressedBytes;
  }

  /** Records of all closed chunks. */
  int records() {
    return closedRecords;
  }

  void add(Chunk chunk) {
    if (chunkCount == chunks.length) {
      chunks = Arrays.copyOf(chunks, chunkCount * 2);
    }
    chunks[chunkCount++] = chunk;
  }

  /** Closes the chunk that was added last. */
  void closeLast() {
    Chunk last = chunks[chunkCount - 1];
    last.close();
    closedBytes += last.end();
    closedRecords += last.count();
  }

  boolean isComplete() {
    for (int i = 0; i < chunkCount; i++) {
      if (!chunks[i].isComplete()) {
        return false;
      }
    }
    return true;
  }

  /** Whether a record of it was never written, so that it cannot be sent; meaningful when it is complete. */
  boolean isDamaged() {
    for (int i = 0; i < chunkCount; i++) {
      if (chunks[i].isDamaged()) {
        return true;
      }
    }
    return false;
  }

  void addRecordsTo(Compressor compressor) {
    for (int i = 0; i < chunkCount; i++) {
      compressor.add(chunks[i].buffer(), i == 0 ? HEADER_BYTES : 0, chunks[i].end());
    }
  }

  /** Takes memory over that has compressed records behind room for the header; that is what is sent from now on. */
  void compressed(PooledBuffer lease, int recordBytes, CompressionType type) {
    compressed = lease;
    compressedBytes = HEADER_BYTES + recordBytes;
    compression = type;
  }

  /** Forgets the compressed form, if there is one: the chunks are what is sent, once the batch is sealed again. */
  void dropCompressed() {
    PooledBuffer lease = compressed;
    if (lease != null) {
      compressed = null;
      compression = CompressionType.NONE;
      lease.release();
    }
  }

  /** Writes the header and its CRC32C; before the first attempt, and again if the producer's identity has changed. */
  void seal(CRC32C crc, long id, short epoch, int sequence) {
    sealed = true;
    producerId = id;
    producerEpoch = epoch;
    refusedNumber = false;
    baseSequence = sequence;
    long maxTimestamp = baseTimestamp;
    for (int i = 0; i < chunkCount; i++) {
      maxTimestamp = Math.max(maxTimestamp, chunks[i].maxTimestamp());
    }
    PooledBuffer lease = compressed;
    ByteBuffer b = lease == null ? chunks[0].buffer() : lease.buffer();
    b.putLong(0, 0);
    b.putInt(LENGTH_OFFSET, wireBytes() - OVERHEAD_BYTES);
    b.putInt(12, -1);
    b.put(16, MAGIC);
    b.putShort(ATTRIBUTES_OFFSET, (short) (compression.id() | (transactional ? TRANSACTIONAL : 0)));
    b.putInt(23, closedRecords - 1);
    b.putLong(27, baseTimestamp);
    b.putLong(35, maxTimestamp);
    b.putLong(43, id);
    b.putShort(51, epoch);
    b.putInt(53, sequence);
    b.putInt(57, closedRecords);
    crc.reset();
    for (int i = 0; i < sliceCount(); i++) {
      crc.update(slice(i, i == 0 ? ATTRIBUTES_OFFSET : 0));
    }
    b.putInt(CRC_OFFSET, (int) crc.getValue());
  }

  /** Whether its sequence number, if it has one, is one of these. */
  boolean isNumberedBy(SequenceNumbers numbers) {
    return producerId == numbers.producerId() && producerEpoch == numbers.epoch();
  }

  /** Whether it was numbered under the same identity and epoch as another one. */
  boolean isNumberedAs(ProducerBatch other) {
    return producerId == other.producerId && producerEpoch == other.producerEpoch;
  }

  /** The memory that it takes, filled or not. */
  long memoryBytes() {
    long bytes = 0;
    for (int i = 0; i < chunkCount; i++) {
      bytes += chunks[i].capacity();
    }
    return bytes;
  }

  int chunkCount() {
    return chunkCount;
  }

  Chunk chunk(int index) {
    return chunks[index];
  }

  int sliceCount() {
    return compressed == null ? chunkCount : 1;
  }

  /** A slice to write, from its start; the same object at each attempt. */
  ByteBuffer slice(int index) {
    return slice(index, 0);
  }

  private ByteBuffer slice(int index, int from) {
    PooledBuffer lease = compressed;
    return lease == null ? chunks[index].window(from) : lease.window(from, compressedBytes);
  }

  void acknowledge(long baseOffset, long logAppendTime, ErrorFunnel errors) {
    for (int i = 0; i < chunkCount; i++) {
      chunks[i].acknowledge(queue.partition, baseOffset, logAppendTime, errors);
    }
  }

  void fail(KafkaException error, ErrorFunnel errors) {
    for (int i = 0; i < chunkCount; i++) {
      chunks[i].fail(queue.partition, error, errors);
    }
  }

  void release(BatchMemory batchMemory) {
    dropCompressed();
    for (int i = 0; i < chunkCount; i++) {
      batchMemory.giveBack(chunks[i]);
    }
    chunkCount = 0;
    batchMemory.giveBack(this);
  }
}
