package dev.decant.kafka.producer;

import dev.decant.buffer.BytesReader;
import dev.decant.buffer.BytesWriter;
import java.nio.ByteBuffer;

/**
 * Moves the records of a batch toward the start of their chunks, after some were dropped, and gives each the next
 * offset delta. A smaller delta never takes more bytes, so a record never reaches into the one behind it. Owner of the
 * loop only.
 *
 * <pre>
 *   | length | attributes | timestampDelta | offsetDelta | key, value, headers: as they are |
 *   varint   1 byte       varlong          varint
 * </pre>
 */
final class RecordMover {
  private final BytesReader in = new BytesReader();
  private final BytesWriter out = new BytesWriter();
  private long baseTimestamp;
  private long maxTimestamp;
  private int nextDelta;

  /** Begins a batch: its first record gets offset delta 0. */
  void begin(long timestamp) {
    baseTimestamp = timestamp;
    maxTimestamp = Long.MIN_VALUE;
    nextDelta = 0;
  }

  /** Goes to the records between two places of a chunk. */
  void at(ByteBuffer bytes, int from, int to) {
    in.wrap(bytes, from, to);
    out.wrap(bytes, from, to);
  }

  /** Moves the next records, as many as {@code records} says. */
  void move(int records) {
    for (int i = 0; i < records; i++) {
      move();
    }
  }

  /** Moves the next record. */
  void move() {
    int from = in.position();
    int body = in.readVarint();
    int end = in.position() + body;
    byte attributes = in.readByte();
    long timestampDelta = in.readVarlong();
    int delta = in.readVarint();
    int rest = in.position();
    in.position(end);
    maxTimestamp = Math.max(maxTimestamp, baseTimestamp + timestampDelta);
    if (out.position() == from && delta == nextDelta) {
      out.position(end);
    } else {
      out.writeVarint(body - BytesWriter.sizeOfVarint(delta) + BytesWriter.sizeOfVarint(nextDelta));
      out.writeByte(attributes);
      out.writeVarlong(timestampDelta);
      out.writeVarint(nextDelta);
      int to = out.position();
      out.buffer().put(to, in.buffer(), rest, end - rest); // both may overlap: put copies as through another buffer
      out.position(to + end - rest);
    }
    nextDelta++;
  }

  /** Drops the next record. */
  void drop() {
    int body = in.readVarint();
    in.skip(body);
  }

  /** Where the next record begins. */
  int readPosition() {
    return in.position();
  }

  /** Where the next record will begin. */
  int writePosition() {
    return out.position();
  }

  /** The largest timestamp of the records that were moved since {@link #begin}. */
  long maxTimestamp() {
    return maxTimestamp;
  }
}
