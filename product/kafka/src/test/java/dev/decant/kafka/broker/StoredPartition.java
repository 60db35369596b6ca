package dev.decant.kafka.broker;

import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.kafka.record.RecordBatchReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The batches of one partition, and the numbered batches that it has seen. Guarded by the monitor of its broker. */
final class StoredPartition {
  private final List<ByteBuffer> batches = new ArrayList<>();
  /** The known batches of each producer. */
  private final Map<Long, Numbers> numbers = new HashMap<>();
  private long end;
  private boolean hasForgotten;

  /**
   * The epoch of a producer, and the sequence numbers of its batches: the oldest that is known, the last, and the next
   * one.
   */
  private record Numbers(short epoch, int oldest, int last, int next) {
    Numbers with(short batchEpoch, int sequence, int records) {
      return new Numbers(batchEpoch, batchEpoch == epoch ? oldest : sequence, sequence, sequence + records);
    }
  }

  long end() {
    return end;
  }

  /**
   * Returns the error of a batch's number: a new epoch begins with 0, and an old one is refused. If the producer is
   * forgotten, any number is accepted.
   */
  ErrorCode check(ByteBuffer batch) {
    long producerId = batch.getLong(batch.position() + RecordBatchHeader.PRODUCER_ID);
    short epoch = batch.getShort(batch.position() + RecordBatchHeader.PRODUCER_EPOCH);
    int sequence = batch.getInt(batch.position() + RecordBatchHeader.BASE_SEQUENCE);
    if (producerId < 0 || (hasForgotten && !numbers.containsKey(producerId))) {
      return ErrorCode.NONE;
    }
    Numbers known = numbers.getOrDefault(producerId, new Numbers(epoch, 0, 0, 0));
    if (epoch < known.epoch()) {
      return ErrorCode.INVALID_PRODUCER_EPOCH;
    }
    int next = epoch > known.epoch() ? 0 : known.next();
    if (sequence == next) {
      return ErrorCode.NONE;
    }
    boolean isKnown = sequence < next && sequence >= known.oldest();
    return isKnown ? ErrorCode.DUPLICATE_SEQUENCE_NUMBER : ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER;
  }

  /** Gives a batch its offsets and stores a copy. */
  long append(ByteBuffer batch) {
    byte[] bytes = new byte[batch.remaining()];
    batch.get(batch.position(), bytes);
    ByteBuffer copy = ByteBuffer.wrap(bytes).putLong(RecordBatchHeader.BASE_OFFSET, end);
    int records = copy.getInt(RecordBatchHeader.RECORD_COUNT);
    long producerId = copy.getLong(RecordBatchHeader.PRODUCER_ID);
    if (producerId >= 0) {
      short epoch = copy.getShort(RecordBatchHeader.PRODUCER_EPOCH);
      int sequence = copy.getInt(RecordBatchHeader.BASE_SEQUENCE);
      numbers.put(producerId, numbers.getOrDefault(producerId, new Numbers(epoch, sequence, 0, 0)).with(epoch, sequence,
          records));
    }
    batches.add(copy);
    long base = end;
    end += records;
    return base;
  }

  /** Forgets all but the last batch of each producer, like a broker that starts with a snapshot of them. */
  void forgetBatches() {
    numbers.replaceAll((id, n) -> new Numbers(n.epoch(), n.last(), n.last(), n.next()));
  }

  /** Forgets all producers, as a broker does after {@code producer.id.expiration.ms}. */
  void forgetProducers() {
    numbers.clear();
    hasForgotten = true;
  }

  /** Returns whole batches from the one with the offset on, as many as the bound allows, and one at least. */
  ByteBuffer from(long offset, int maxBytes) {
    List<ByteBuffer> chosen = new ArrayList<>();
    int bytes = 0;
    for (ByteBuffer batch : batches) {
      long last = batch.getLong(RecordBatchHeader.BASE_OFFSET) + batch.getInt(RecordBatchHeader.LAST_OFFSET_DELTA);
      if (last < offset) {
        continue;
      }
      if (!chosen.isEmpty() && bytes + batch.limit() > maxBytes) {
        break; // batches behind it may be smaller, but come after it
      }
      chosen.add(batch);
      bytes += batch.limit();
    }
    ByteBuffer joined = ByteBuffer.allocate(bytes);
    chosen.forEach(batch -> joined.put(batch.duplicate()));
    return joined.flip();
  }

  /** Drops all batches that reach to an offset or further. */
  void truncate(long offset) {
    batches.removeIf(
        b -> b.getLong(RecordBatchHeader.BASE_OFFSET) + b.getInt(RecordBatchHeader.LAST_OFFSET_DELTA) >= offset);
    end = offset;
  }

  List<String> texts() {
    List<String> texts = new ArrayList<>();
    batches.forEach(batch -> texts.addAll(texts(batch)));
    return texts;
  }

  /** Returns the text of each record. */
  static List<String> texts(ByteBuffer batch) {
    List<String> texts = new ArrayList<>();
    RecordBatchReader reader = new RecordBatchReader();
    reader.wrap(batch, batch.position(), batch.limit());
    while (reader.nextBatch()) {
      while (reader.nextRecord()) {
        byte[] value = new byte[reader.valueLength()];
        batch.get(reader.valueOffset(), value);
        texts.add(new String(value, StandardCharsets.UTF_8));
      }
    }
    return texts;
  }
}
