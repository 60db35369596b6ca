package dev.decant.lab.driver.bare;

import dev.decant.buffer.BytesReader;
import dev.decant.buffer.MalformedBytesException;
import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.lab.driver.MeasuredConsumer;
import dev.decant.lab.driver.Stamps;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Walks through the records of uncompressed batches, and reads the {@link Stamps} at the beginning of their values. It
 * verifies no checksum. One thread at a time. After construction, nothing is allocated unless a record is malformed.
 *
 * <pre>
 *   a record
 *   | length varint | attributes int8 | timestamp varlong | offset varint | key: length varint, bytes
 *   | value: length varint, stamps, ... | headers ... |
 * </pre>
 */
final class BareStamps implements BareFetch.Batches {
  private static final int COMPRESSION_MASK = 0x07;

  private final MeasuredConsumer.StampSink sink;
  private final BytesReader in = new BytesReader();

  BareStamps(MeasuredConsumer.StampSink sink) {
    this.sink = sink;
  }

  @Override
  public void batch(ByteBuffer buffer, int partition, int from, int to) throws IOException {
    if ((buffer.getShort(from + RecordBatchHeader.ATTRIBUTES) & COMPRESSION_MASK) != 0) {
      throw new IOException("the broker sent a compressed batch of partition " + partition);
    }
    int records = buffer.getInt(from + RecordBatchHeader.RECORD_COUNT);
    int at = from + RecordBatchHeader.BYTES;
    try {
      for (int i = 0; i < records; i++) {
        at = readRecord(buffer, at, to);
      }
    } catch (MalformedBytesException e) {
      throw new IOException("the broker sent a damaged record of partition " + partition + ": " + e.getMessage(), e);
    }
    if (at != to) {
      throw new IOException("the broker sent a batch of partition " + partition + " with " + (to - at)
          + " bytes behind its last record");
    }
  }

  /** Reads a record and returns the index of the next one. */
  private int readRecord(ByteBuffer buffer, int at, int to) {
    in.wrap(buffer, at, to);
    int length = in.readVarint();
    if (length < 0 || length > in.remaining()) {
      throw new MalformedBytesException("it has " + length + " bytes, " + in.remaining() + " remain in its batch");
    }
    int end = in.position() + length;
    in.wrap(buffer, in.position(), end);
    in.skip(Byte.BYTES);
    in.readVarlong();
    in.readVarint();
    in.skip(Math.max(0, in.readVarint()));
    int valueBytes = in.readVarint(); // the value is followed at least by the count of headers
    if (valueBytes < Stamps.BYTES || valueBytes >= in.remaining()) {
      throw new MalformedBytesException("its value has " + valueBytes + " bytes, " + in.remaining()
          + " remain, and stamps take " + Stamps.BYTES);
    }
    sink.value(in.readLong(), in.readLong());
    return end;
  }
}
