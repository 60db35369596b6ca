package dev.decant.fake.share;

import dev.decant.fake.log.AbortedTransaction;
import dev.decant.kafka.record.RecordBatchHeader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;

/** The batches that were read for a share fetch: whole ones alone, though the bytes may end with a part of another. */
final class FetchedBatches {
  private static final int TRANSACTIONAL = 0x10;
  private static final int CONTROL = 0x20;

  private final ByteBuffer bytes;
  private final List<Range> batches = new ArrayList<>();

  /**
   * The offsets of a batch.
   *
   * @param position index of its first byte
   * @param size number of its bytes
   * @param first first offset
   * @param last last offset
   */
  record Range(int position, int size, long first, long last) {}

  FetchedBatches(ByteBuffer bytes) {
    this.bytes = bytes;
    int at = bytes.position();
    while (at + RecordBatchHeader.BYTES <= bytes.limit()) {
      int size = RecordBatchHeader.UNCOUNTED_BYTES + bytes.getInt(at + RecordBatchHeader.BATCH_LENGTH);
      if (size > bytes.limit() - at) {
        break;
      }
      long first = bytes.getLong(at + RecordBatchHeader.BASE_OFFSET);
      batches.add(new Range(at, size, first, first + bytes.getInt(at + RecordBatchHeader.LAST_OFFSET_DELTA)));
      at += size;
    }
  }

  boolean isEmpty() {
    return batches.isEmpty();
  }

  long first() {
    return batches.getFirst().first();
  }

  long last() {
    return batches.getLast().last();
  }

  List<Range> all() {
    return batches;
  }

  /** Returns the last offset of the batch that has an offset, or that offset if no batch has it. */
  long endOfBatchWith(long offset) {
    for (Range batch : batches) {
      if (offset >= batch.first() && offset <= batch.last()) {
        return batch.last();
      }
    }
    return offset;
  }

  /** Returns the bytes of the batches from the one with the first offset to the one with the last. */
  ByteBuffer slice(long from, long to) {
    if (batches.size() == 1) {
      return bytes;
    }
    int start = batches.getFirst().position();
    int end = start;
    for (Range batch : batches) {
      if (batch.first() <= from) {
        start = batch.position();
        end = start + batch.size();
      } else if (batch.first() <= to) {
        end = batch.position() + batch.size();
      }
    }
    return bytes.duplicate().position(start).limit(end);
  }

  /** Returns the batches of aborted transactions. */
  List<Range> aborted(List<AbortedTransaction> transactions) {
    PriorityQueue<AbortedTransaction> coming = new PriorityQueue<>(
        Comparator.comparingLong(AbortedTransaction::firstOffset));
    coming.addAll(transactions);
    Set<Long> producers = new HashSet<>();
    List<Range> aborted = new ArrayList<>();
    for (Range batch : batches) {
      while (!coming.isEmpty() && coming.element().firstOffset() <= batch.last()) {
        producers.add(coming.remove().producerId());
      }
      long producer = bytes.getLong(batch.position() + RecordBatchHeader.PRODUCER_ID);
      int attributes = bytes.getShort(batch.position() + RecordBatchHeader.ATTRIBUTES);
      if ((attributes & CONTROL) != 0) {
        producers.remove(producer);
      } else if ((attributes & TRANSACTIONAL) != 0 && producers.contains(producer)) {
        aborted.add(batch);
      }
    }
    return aborted;
  }
}
