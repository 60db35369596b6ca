package dev.decant.kafka.producer;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.compression.Compressor;
import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.telemetry.ErrorFunnel;
import dev.decant.kafka.transaction.SequenceNumbers;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A record batch (magic 2) of one partition: chunks, the first of which begins with the header. Threads fill it under
 * the monitor of its queue and by claims. Then it belongs to the owner of the loop until it is released. A compressed
 * batch has header and compressed records in other memory; its chunks keep the records as they were appended.
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
  /** Stands for no sequence number: the batch has none yet, or the producer is not idempotent. */
  static final int UNNUMBERED = -1;
  private static final int LENGTH_OFFSET = 8;
  private static final int CRC_OFFSET = 17;
  private static final int ATTRIBUTES_OFFSET = 21;
  private static final int OVERHEAD_BYTES = 12;
  private static final byte MAGIC = 2;
  private static final short TRANSACTIONAL = 0x10;
  /** Numbers in {@link #ranges} for each chunk. */
  private static final int RANGE = 4;

  // Set when the batch begins: it is used again and again, for any partition.
  PartitionSendState sends;
  /** Place among all batches of the partition, from 1 on. Written under the monitor of the queue. */
  long number;
  long createdNanos;
  long baseTimestamp;

  private Chunk[] chunks;
  private int chunkCount;
  private int closedBytes;
  private int closedRecords;
  /** Start, end, first record and number of records of this batch in each chunk. Kept for later uses. */
  private int[] ranges = {};
  /** True if {@link #ranges} says which bytes and records belong to this batch. Otherwise all of the chunks do. */
  private boolean isPart;
  /** The largest timestamp of a part. */
  private long partMaxTimestamp;
  /** Memory for the header of a part, if another batch begins its first chunk. Made once, kept for later uses. */
  private @Nullable ByteBuffer ownHeader;
  private @Nullable ByteBuffer ownHeaderWindow;
  private boolean hasOwnHeader;

  // Owner of the loop only.
  int baseSequence = UNNUMBERED;
  /** The producer id in its header. */
  long producerId = -1;
  short producerEpoch = -1;
  /** True if a record was never written. Found by {@link #isComplete}. */
  private boolean damaged;
  /** True once the header is written. */
  boolean sealed;
  /** True for a batch of a transaction. Set before the header is written. */
  boolean transactional;
  /** Number of attempts, with those of the whole batch before a split. */
  int attempts;
  /** Number of failed attempts. Those that were only too large or too early do not count. */
  int failures;
  /**
   * True if an attempt under the present number ended without a clear refusal, for instance without a response. If
   * false, the log does not have the batch, and its number can be given to another one.
   */
  boolean mayBeStored;
  /** True if the broker refused the sequence number though nothing older was in flight. */
  boolean refusedNumber;
  /** True if its listeners got a failure while it may still be in flight: it expired, or the producer closes. */
  boolean failed;
  @Nullable
  KafkaException lastError;
  /** Header and compressed records; null if the chunks are sent as they are. */
  private @Nullable PooledBuffer compressed;
  private int compressedBytes;
  private CompressionType compression = CompressionType.NONE;

  /** A batch with room for a number of chunks before it grows. */
  ProducerBatch(PartitionSendState sends, int initialChunks) {
    this.sends = sends;
    this.chunks = new Chunk[initialChunks];
  }

  /** Begins anew, without chunks. */
  void begin(PartitionSendState target, long nowNanos, long timestamp) {
    sends = target;
    createdNanos = nowNanos;
    baseTimestamp = timestamp;
    chunkCount = 0;
    closedBytes = 0;
    closedRecords = 0;
    dropNumber();
    sealed = false;
    transactional = false;
    damaged = false;
    isPart = false;
    hasOwnHeader = false;
    attempts = 0;
    failures = 0;
    failed = false;
    lastError = null;
  }

  /** Bytes of all closed chunks: header and records, not compressed. */
  int closedBytes() {
    return closedBytes;
  }

  /** Returns the bytes to be sent: the header, and the records, which may be compressed. */
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

  /** Returns true if no thread writes a record any more. */
  boolean isComplete() {
    boolean anyDamaged = false;
    for (int i = 0; i < chunkCount; i++) {
      if (!chunks[i].isComplete()) {
        return false;
      }
      anyDamaged |= chunks[i].isDamaged();
    }
    damaged = anyDamaged;
    return true;
  }

  /** Returns true if a record was never written, so that the batch cannot be sent. To be asked when it is complete. */
  boolean isDamaged() {
    return damaged;
  }

  void addRecordsTo(Compressor compressor) {
    for (int i = 0; i < chunkCount; i++) {
      compressor.add(chunks[i].buffer(), start(i), end(i));
    }
  }

  /** Takes over memory with compressed records behind room for the header, which is sent in place of the chunks. */
  void compressed(PooledBuffer lease, int recordBytes, CompressionType type) {
    compressed = lease;
    compressedBytes = HEADER_BYTES + recordBytes;
    compression = type;
  }

  /** Forgets the compressed form, if there is one: the chunks are sent, once the batch is sealed again. */
  void dropCompressed() {
    PooledBuffer lease = compressed;
    if (lease != null) {
      compressed = null;
      compression = CompressionType.NONE;
      lease.release();
    }
  }

  /**
   * Prepares the batch for an attempt: compresses it before the first one, gives it sequence numbers and writes its
   * header.
   */
  void seal(ProducerState producer, SequenceNumbers numbers) {
    if (producer.compression != null && !sealed) {
      producer.compression.compress(this);
    }
    transactional = producer.transaction != null;
    if (producer.settings.idempotent()) {
      boolean numbered = baseSequence >= 0 && isNumberedBy(numbers); // as a part of a batch that had them
      int sequence = numbered ? baseSequence : numbers.take(closedRecords);
      mayBeStored &= numbered;
      seal(producer.crc, numbers.producerId(), numbers.epoch(), sequence);
    } else {
      seal(producer.crc, -1, (short) -1, UNNUMBERED);
    }
  }

  /** Writes the header and its CRC32C; before the first attempt, and again if the producer's identity has changed. */
  void seal(CRC32C crc, long id, short epoch, int sequence) {
    sealed = true;
    producerId = id;
    producerEpoch = epoch;
    refusedNumber = false;
    baseSequence = sequence;
    ByteBuffer b = headerBuffer();
    b.putLong(0, 0);
    b.putInt(LENGTH_OFFSET, wireBytes() - OVERHEAD_BYTES);
    b.putInt(12, -1);
    b.put(16, MAGIC);
    b.putShort(ATTRIBUTES_OFFSET, (short) (compression.id() | (transactional ? TRANSACTIONAL : 0)));
    b.putInt(23, closedRecords - 1);
    b.putLong(27, baseTimestamp);
    b.putLong(35, maxTimestamp());
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

  private ByteBuffer headerBuffer() {
    PooledBuffer lease = compressed;
    ByteBuffer own = ownHeader;
    if (lease != null) {
      return lease.buffer();
    }
    return hasOwnHeader && own != null ? own : chunks[0].buffer();
  }

  private long maxTimestamp() {
    if (isPart) {
      return partMaxTimestamp;
    }
    long max = baseTimestamp;
    for (int i = 0; i < chunkCount; i++) {
      max = Math.max(max, chunks[i].maxTimestamp());
    }
    return max;
  }

  /** Drops the sequence number: the next attempt takes another. */
  void dropNumber() {
    producerId = -1;
    producerEpoch = -1;
    baseSequence = UNNUMBERED;
    refusedNumber = false;
    mayBeStored = false;
  }

  /** Returns true if the batch was numbered under the identity and epoch of these numbers. */
  boolean isNumberedBy(SequenceNumbers numbers) {
    return producerId == numbers.producerId() && producerEpoch == numbers.epoch();
  }

  /** Returns true if it was numbered under the same identity and epoch as another batch. */
  boolean isNumberedAs(ProducerBatch other) {
    return producerId == other.producerId && producerEpoch == other.producerEpoch;
  }

  /** Returns the size of its memory, filled or not, in bytes. */
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

  /** Start of its records in a chunk. */
  int start(int chunk) {
    if (isPart) {
      return ranges[RANGE * chunk];
    }
    return chunk == 0 ? HEADER_BYTES : 0;
  }

  /** End of its records in a chunk. */
  int end(int chunk) {
    return isPart ? ranges[RANGE * chunk + 1] : chunks[chunk].end();
  }

  /** Index of its first record in a chunk. */
  int first(int chunk) {
    return isPart ? ranges[RANGE * chunk + 2] : 0;
  }

  /** Number of its records in a chunk. */
  int count(int chunk) {
    return isPart ? ranges[RANGE * chunk + 3] : chunks[chunk].count();
  }

  /** Makes room for the ranges of a part, so that no step fails once records are moved. */
  void preparePart(int mostChunks) {
    if (chunks.length < mostChunks) {
      chunks = Arrays.copyOf(chunks, mostChunks);
    }
    if (ranges.length < RANGE * mostChunks) {
      ranges = Arrays.copyOf(ranges, RANGE * mostChunks);
    }
  }

  /** Makes room for the header of a part that does not begin where its first chunk does. */
  void prepareHeader(IntFunction<ByteBuffer> memory) {
    if (ownHeader == null) {
      ByteBuffer fresh = memory.apply(HEADER_BYTES);
      ownHeaderWindow = fresh.duplicate();
      ownHeader = fresh;
    }
  }

  /** Becomes a part of its chunks, which has all of them for now. After {@link #preparePart}. */
  void becomePart() {
    for (int i = 0; i < chunkCount; i++) {
      range(i, start(i), end(i), first(i), count(i));
    }
    isPart = true;
  }

  /** Becomes a part of another batch, without records yet. After {@link #preparePart}. */
  void beginPartOf(ProducerBatch whole) {
    begin(whole.sends, whole.createdNanos, whole.baseTimestamp);
    number = whole.number;
    attempts = whole.attempts;
    failures = whole.failures;
    mayBeStored = whole.mayBeStored;
    lastError = whole.lastError;
    producerId = whole.producerId;
    producerEpoch = whole.producerEpoch;
    baseSequence = whole.baseSequence;
    isPart = true;
  }

  /** Uses its own memory for the header from now on. After {@link #prepareHeader}. */
  void useOwnHeader() {
    hasOwnHeader = true;
  }

  /** Adds some of the bytes and records of a chunk to a part; returns its index. */
  int addPart(Chunk chunk, int start, int end, int first, int count) {
    chunks[chunkCount] = chunk;
    range(chunkCount, start, end, first, count);
    return chunkCount++;
  }

  /** Sets the bytes and records of a chunk that belong to a part. */
  void range(int chunk, int start, int end, int first, int count) {
    int at = RANGE * chunk;
    ranges[at] = start;
    ranges[at + 1] = end;
    ranges[at + 2] = first;
    ranges[at + 3] = count;
  }

  /** Ends the changes of a part, which has the records of {@code chunkTotal} chunks and is to be sealed again. */
  void endPart(int chunkTotal, long maxTimestamp) {
    chunkCount = chunkTotal;
    partMaxTimestamp = maxTimestamp;
    sealed = false;
    dropCompressed();
    closedBytes = HEADER_BYTES;
    closedRecords = 0;
    for (int i = 0; i < chunkCount; i++) {
      closedBytes += end(i) - start(i);
      closedRecords += count(i);
    }
  }

  int sliceCount() {
    if (compressed != null) {
      return 1;
    }
    return hasOwnHeader ? chunkCount + 1 : chunkCount;
  }

  /** A slice to write, from its start; the same object at each attempt. */
  ByteBuffer slice(int index) {
    return slice(index, 0);
  }

  /** Returns a slice. The first one begins {@code from} bytes behind the start of the header. */
  private ByteBuffer slice(int index, int from) {
    PooledBuffer lease = compressed;
    if (lease != null) {
      return lease.window(from, compressedBytes);
    }
    ByteBuffer header = ownHeaderWindow;
    if (!hasOwnHeader || header == null) {
      return chunks[index].window(index == 0 ? from : start(index), end(index));
    }
    return index == 0
        ? header.clear().position(from)
        : chunks[index - 1].window(start(index - 1), end(index - 1));
  }

  void acknowledge(long baseOffset, long logAppendTime, ErrorFunnel errors) {
    long offset = baseOffset < 0 ? -1 : baseOffset;
    for (int i = 0; i < chunkCount; i++) {
      chunks[i].acknowledge(first(i), count(i), sends.partition, offset, logAppendTime, errors);
      offset = offset < 0 ? -1 : offset + count(i);
    }
  }

  /** Calls the listener of each record with its error, given by the index of the record in the batch. */
  void fail(IntFunction<KafkaException> error, ErrorFunnel errors) {
    int before = 0;
    for (int i = 0; i < chunkCount; i++) {
      chunks[i].fail(first(i), count(i), sends.partition, error, before, errors);
      before += count(i);
    }
  }

  /** Gives back the memory in which no other batch has records. Returns the number of bytes. */
  long release(BatchMemory batchMemory) {
    dropCompressed();
    long bytes = 0;
    for (int i = 0; i < chunkCount; i++) {
      if (chunks[i].leave()) {
        bytes += chunks[i].capacity();
        batchMemory.giveBack(chunks[i]);
      }
    }
    chunkCount = 0;
    lastError = null;
    batchMemory.giveBack(this);
    return bytes;
  }
}
