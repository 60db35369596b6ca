package dev.decant.kafka.producer;

import dev.decant.buffer.BytesReader;
import dev.decant.kafka.transaction.SequenceNumbers;
import java.nio.ByteBuffer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Makes two batches out of one that a broker found too large (KIP-126), each with half of its records in their order,
 * their listeners and tags, and the sequence numbers that the whole had. Owner of the loop only.
 *
 * <p>The halves have memory of their own, outside of the pool, and the memory of the whole goes back: a batch that
 * waited for memory could wait for what stands behind it.
 */
final class BatchSplitter {
  private static final int CHUNK_BYTES = 64 * 1024;

  private final IntFunction<ByteBuffer> memory;
  private final BytesReader in = new BytesReader();
  private final PendingRecord record = new PendingRecord();
  private byte[] value = new byte[1024];

  BatchSplitter(IntFunction<ByteBuffer> memory) {
    this.memory = memory;
  }

  /**
   * Puts the halves at the head of the queue's retries; the batch is over, and no listener was called. If that
   * fails, for instance since there is no direct memory left, the batch is as it was and knows its listeners.
   */
  void split(ProducerBatch batch) {
    PartitionQueue queue = batch.queue;
    int firstRecords = batch.records() / 2;
    ProducerBatch first = half(batch, 0);
    ProducerBatch second = half(batch, firstRecords);
    int index = 0;
    for (int c = 0; c < batch.chunkCount(); c++) {
      Chunk chunk = batch.chunk(c);
      ByteBuffer bytes = chunk.buffer();
      in.wrap(bytes, c == 0 ? ProducerBatch.HEADER_BYTES : 0, chunk.end());
      for (int i = 0; i < chunk.count(); i++, index++) {
        readRecord(batch.baseTimestamp);
        SendListener listener = chunk.listener(i, record);
        append(index < firstRecords ? first : second, listener);
      }
    }
    first.closeLast();
    second.closeLast();
    for (int c = 0; c < batch.chunkCount(); c++) { // and not before the halves know them all
      batch.chunk(c).forgetListeners();
    }
    first.bytesInFlight = batch.bytesInFlight;
    queue.addRetry(second);
    queue.addRetry(first);
    batch.release(queue.producer.batchMemory);
  }

  private ProducerBatch half(ProducerBatch whole, int from) {
    ProducerBatch half = new ProducerBatch(whole.queue, whole.chunkCount());
    half.begin(whole.queue, whole.createdNanos, whole.baseTimestamp);
    half.number = whole.number;
    half.attempts = whole.attempts;
    half.lastError = whole.lastError;
    if (whole.baseSequence >= 0) {
      half.baseSequence = SequenceNumbers.after(whole.baseSequence, from);
      half.producerId = whole.producerId;
      half.producerEpoch = whole.producerEpoch;
    }
    return half;
  }

  private void append(ProducerBatch half, @Nullable SendListener listener) {
    int chunks = half.chunkCount();
    Chunk last = chunks == 0 ? null : half.chunk(chunks - 1);
    if (last == null || last.append(last.state(), record, valueOfRecord(), listener) != Chunk.APPENDED) {
      if (last != null) {
        half.closeLast();
      }
      Chunk fresh = addChunk(half, last == null ? ProducerBatch.HEADER_BYTES : 0);
      fresh.append(fresh.state(), record, valueOfRecord(), listener);
    }
  }

  /** A chunk with room for the record, and mostly for many more. */
  private Chunk addChunk(ProducerBatch half, int headerBytes) {
    Chunk fresh = new Chunk();
    fresh.own(memory.apply(Math.max(CHUNK_BYTES, headerBytes + Chunk.mostBytes(record))));
    fresh.open(headerBytes, Integer.MAX_VALUE, Integer.MAX_VALUE, half.records(), half.baseTimestamp, null);
    half.add(fresh);
    return fresh;
  }

  private byte @Nullable [] valueOfRecord() {
    return record.valueSize < 0 ? null : value;
  }

  private void readRecord(long baseTimestamp) {
    int end = in.readVarint();
    end += in.position();
    in.skip(1); // attributes
    record.timestamp = baseTimestamp + in.readVarlong();
    in.readVarint(); // offset delta: another one now
    record.keySize = in.readVarint();
    record.keyBytes = read(record.keyBytes, record.keySize);
    record.valueSize = in.readVarint();
    value = read(value, record.valueSize);
    record.headerCount = in.readVarint();
    record.headersSize = end - in.position();
    record.headerBytes = read(record.headerBytes, record.headersSize);
  }

  /** Reads so many bytes, none for a negative number, into an array that is replaced if it is too short. */
  private byte[] read(byte[] into, int length) {
    byte[] target = into.length >= length ? into : new byte[length];
    if (length > 0) {
      in.readBytes(target, 0, length);
    }
    return target;
  }
}
