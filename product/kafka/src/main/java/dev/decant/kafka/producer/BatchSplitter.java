package dev.decant.kafka.producer;

import dev.decant.kafka.transaction.SequenceNumbers;
import java.nio.ByteBuffer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Makes two batches out of one that a broker has refused: halves of one that is too large (KIP-126), or the records
 * that the broker takes and those that it has named as invalid (KIP-467). Owner of the loop only.
 *
 * <p>All records stay in their chunks, so a split takes memory for a header only. A batch that waited for more could
 * wait for memory of the batches behind it. A chunk with records of both batches goes back to the pool with the last
 * one. Until both are over, the partition sends one batch at a time, so no two views of a chunk are written at once.
 */
final class BatchSplitter {
  private final IntFunction<ByteBuffer> memory;
  private final RecordMover mover = new RecordMover();

  BatchSplitter(IntFunction<ByteBuffer> memory) {
    this.memory = memory;
  }

  /**
   * Moves the second half of a batch to another one, which it returns. All records keep their sequence numbers. If it
   * throws for lack of memory, nothing has changed.
   */
  ProducerBatch split(ProducerBatch whole) {
    int firstRecords = whole.records() / 2;
    int at = 0;
    int before = 0;
    while (before + whole.count(at) <= firstRecords) {
      before += whole.count(at++);
    }
    ProducerBatch rest = prepare(whole, true);
    rest.beginPartOf(whole);
    rest.useOwnHeader();
    if (whole.baseSequence >= 0) {
      rest.baseSequence = SequenceNumbers.after(whole.baseSequence, firstRecords);
    }
    whole.becomePart();
    mover.begin(whole.baseTimestamp);
    for (int c = 0; c < at; c++) { // the records stay: this only finds the largest timestamp
      mover.at(whole.chunk(c).buffer(), whole.start(c), whole.end(c));
      mover.move(whole.count(c));
    }
    int stay = firstRecords - before;
    int end = whole.end(at);
    mover.at(whole.chunk(at).buffer(), whole.start(at), end);
    mover.move(stay);
    int cut = mover.readPosition();
    long maxTimestamp = mover.maxTimestamp();
    moveToRest(whole, rest, at, cut, stay);
    if (stay > 0) {
      whole.chunk(at).share();
      whole.range(at, whole.start(at), cut, whole.first(at), stay);
    }
    whole.endPart(stay > 0 ? at + 1 : at, maxTimestamp);
    return rest;
  }

  /** Moves the records behind a place in a chunk to another batch. */
  private void moveToRest(ProducerBatch whole, ProducerBatch rest, int at, int cut, int stay) {
    mover.begin(whole.baseTimestamp);
    int chunks = whole.chunkCount();
    for (int c = at; c < chunks; c++) {
      Chunk chunk = whole.chunk(c);
      int start = c == at ? cut : whole.start(c);
      int before = c == at ? stay : 0;
      int count = whole.count(c) - before;
      mover.at(chunk.buffer(), start, whole.end(c));
      mover.move(count);
      rest.addPart(chunk, start, mover.writePosition(), whole.first(c) + before, count);
    }
    rest.endPart(rest.chunkCount(), mover.maxTimestamp());
  }

  /**
   * Moves the records that a broker has refused, some but not all, to another batch. Returns that batch, which can only
   * fail. If it throws for lack of memory, nothing has changed.
   */
  ProducerBatch takeOut(ProducerBatch batch, RefusedRecords refused) {
    int most = refused.count();
    long[] details = new long[2 * most];
    @Nullable
    SendListener[] listeners = new SendListener[most];
    for (int c = 0; c < batch.chunkCount(); c++) {
      batch.chunk(c).listeners().prepareMove(batch.first(c) + batch.count(c));
    }
    ProducerBatch out = prepare(batch, false);
    out.beginPartOf(batch);
    batch.becomePart();
    mover.begin(batch.baseTimestamp);
    int index = 0;
    for (int c = 0; c < batch.chunkCount(); c++) {
      Chunk chunk = batch.chunk(c);
      int start = batch.start(c);
      int first = batch.first(c);
      int count = batch.count(c);
      chunk.listeners().moveBack(first, count, refused::has, index, details, listeners);
      mover.at(chunk.buffer(), start, batch.end(c));
      int kept = 0;
      for (int i = 0; i < count; i++) {
        if (refused.has(index + i)) {
          mover.drop();
        } else {
          mover.move();
          kept++;
        }
      }
      batch.range(c, start, mover.writePosition(), first, kept);
      if (kept < count) {
        chunk.share();
        out.addPart(chunk, start, start, first + kept, count - kept);
      }
      index += count;
    }
    batch.endPart(batch.chunkCount(), mover.maxTimestamp());
    out.endPart(out.chunkCount(), batch.baseTimestamp);
    return out;
  }

  /** Makes room for everything, so that nothing fails once records are moved. */
  private ProducerBatch prepare(ProducerBatch whole, boolean withHeader) {
    BatchMemory batchMemory = whole.sends.producer.batchMemory;
    ProducerBatch part = batchMemory.takeBatch(whole.sends);
    try {
      part.preparePart(whole.chunkCount());
      whole.preparePart(whole.chunkCount());
      if (withHeader) {
        part.prepareHeader(memory);
      }
    } catch (Throwable e) { // heap or direct memory is exhausted
      batchMemory.giveBack(part);
      throw e;
    }
    return part;
  }
}
