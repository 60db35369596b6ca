package dev.decant.fake.differential;

import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.kafka.record.RecordWriter;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A batch of a scenario. Its values are one byte each but for the first one.
 *
 * @param records how many
 * @param firstBytes bytes of the first value
 * @param timestamp of all records
 * @param isDamaged whether its checksum is wrong
 * @param source who writes it
 */
record Batch(int records, int firstBytes, long timestamp, boolean isDamaged, Source source) {

  /** The sequence number that the partition expects next. */
  static final int NEXT = -2;
  /** The time of records beside markers, which have the time of the broker: another day begins a log segment. */
  private static final long NOW = System.currentTimeMillis();
  private static final int PREFIX_BYTES = 64;
  private static final Source NOBODY = new Source("", 0, -1, false);

  /**
   * The producer of a batch.
   *
   * @param producer its name in the scenario, empty for none
   * @param epoch how much later its epoch is than the last one that the cluster gave it
   * @param sequence the first sequence number, or {@link #NEXT}
   * @param isTransactional whether the batch is part of a transaction
   */
  record Source(String producer, int epoch, int sequence, boolean isTransactional) {}

  static Batch of(int records, long timestamp) {
    return new Batch(records, 1, timestamp, false, NOBODY);
  }

  static Batch ofSize(int bytes) {
    return new Batch(1, bytes, 1, false, NOBODY);
  }

  static Batch damaged() {
    return new Batch(1, 1, 1, true, NOBODY);
  }

  static Batch from(String producer, int epoch, int sequence, int records) {
    return new Batch(records, 1, 1_000, false, new Source(producer, epoch, sequence, false));
  }

  static Batch transactional(String producer, int epoch, int sequence, int records) {
    return new Batch(records, 1, NOW, false, new Source(producer, epoch, sequence, true));
  }

  /** The same batch at the time of transactional ones. */
  Batch now() {
    return new Batch(records, firstBytes, NOW, isDamaged, source);
  }

  /** The bytes for a partition, which a name stands for. */
  ByteBuffer bytes(World world, String partition) {
    ByteBuffer bytes = ByteBuffer.allocate(RecordBatchHeader.BYTES + records * PREFIX_BYTES + firstBytes);
    RecordBatchHeader header = header();
    int at = records(bytes);
    if (!source.producer().isEmpty()) {
      World.Producer producer = world.producer(source.producer());
      int sequence = source.sequence() == NEXT ? world.nextSequence(source.producer(), partition) : source.sequence();
      header.producerId = producer.id();
      header.producerEpoch = (short) (producer.epoch() + source.epoch());
      header.baseSequence = sequence;
      world.writing(source.producer(), partition, sequence + records);
    }
    return encoded(bytes, header, at);
  }

  /** The bytes of a batch without a producer. */
  ByteBuffer bytes() {
    ByteBuffer bytes = ByteBuffer.allocate(RecordBatchHeader.BYTES + records * PREFIX_BYTES + firstBytes);
    return encoded(bytes, header(), records(bytes));
  }

  private int records(ByteBuffer bytes) {
    int at = RecordBatchHeader.BYTES;
    for (int i = 0; i < records; i++) {
      byte[] value = new byte[i == 0 ? firstBytes : 1];
      at = RecordWriter.write(bytes, at, 0, i, new byte[] {'k'}, value);
    }
    return at;
  }

  private RecordBatchHeader header() {
    RecordBatchHeader header = new RecordBatchHeader();
    header.transactional = source.isTransactional();
    header.lastOffsetDelta = records - 1;
    header.baseTimestamp = timestamp;
    header.maxTimestamp = timestamp;
    return header;
  }

  private ByteBuffer encoded(ByteBuffer bytes, RecordBatchHeader header, int at) {
    header.recordCount = records;
    header.writeTo(bytes, 0, at - RecordBatchHeader.BYTES);
    RecordBatchHeader.seal(new CRC32C(), bytes, 0, at);
    if (isDamaged) {
      bytes.putInt(RecordBatchHeader.CRC, ~bytes.getInt(RecordBatchHeader.CRC));
    }
    return bytes.limit(at);
  }
}
