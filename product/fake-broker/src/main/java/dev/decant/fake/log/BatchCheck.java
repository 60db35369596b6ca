package dev.decant.fake.log;

import dev.decant.fake.log.AppendException.RecordError;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.record.CorruptRecordException;
import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.kafka.record.RecordBatchReader;
import dev.decant.kafka.record.UnsupportedCompressionException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Checks the batch of a Produce request: a single one, well-formed, and within the topic's settings. The order of the
 * checks and their errors are those of brokers.
 */
final class BatchCheck {
  /** First version of Produce requests whose batches may be compressed with zstd (KIP-110). */
  private static final int FIRST_ZSTD_VERSION = 7;

  private final RecordBatchReader reader;
  private final CRC32C crc = new CRC32C();

  BatchCheck(Codecs codecs) {
    reader = new RecordBatchReader(codecs);
  }

  /** Checks the form of a batch, for which no topic is needed. */
  void checkForm(ByteBuffer records, short requestVersion) throws AppendException {
    if (records.remaining() == 0) {
      throw invalid("Produce requests with version " + requestVersion
          + " must have at least one record batch per partition");
    }
    int at = records.position();
    if (records.remaining() < RecordBatchHeader.BYTES) {
      throw new AppendException(ErrorCode.CORRUPT_MESSAGE,
          records.remaining() + " bytes are less than the header of a batch");
    }
    byte magic = records.get(at + RecordBatchHeader.MAGIC);
    if (magic != RecordBatchHeader.MAGIC_V2) {
      throw invalid("Produce requests with version " + requestVersion
          + " are only allowed to contain record batches with magic version 2");
    }
    int codec = records.getShort(at + RecordBatchHeader.ATTRIBUTES) & 0x07;
    if (codec == CompressionType.ZSTD.id() && requestVersion < FIRST_ZSTD_VERSION) {
      throw new AppendException(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE,
          "Produce requests with version " + requestVersion + " are not allowed to use ZStandard compression");
    }
    long size = (long) records.getInt(at + RecordBatchHeader.BATCH_LENGTH) + RecordBatchHeader.UNCOUNTED_BYTES;
    if (size < RecordBatchHeader.BYTES || size > records.remaining()) {
      throw new AppendException(ErrorCode.CORRUPT_MESSAGE, "a batch of " + size + " bytes in " + records.remaining());
    }
    if (size < records.remaining()) {
      throw invalid("Produce requests with version " + requestVersion
          + " are only allowed to contain exactly one record batch per partition");
    }
  }

  /** Checks a well-formed batch against its checksum and the settings of its topic. */
  void check(ByteBuffer batch, LogSettings settings, long nowMillis) throws AppendException {
    int at = batch.position();
    if (batch.getLong(at + RecordBatchHeader.BASE_OFFSET) != 0) {
      throw invalid("the base offset of a batch from a client is "
          + batch.getLong(at + RecordBatchHeader.BASE_OFFSET) + " and should be 0");
    }
    if (batch.remaining() > settings.segmentBytes()) {
      throw new AppendException(ErrorCode.RECORD_LIST_TOO_LARGE, "the batch has " + batch.remaining()
          + " bytes; segment.bytes is " + settings.segmentBytes());
    }
    if (batch.remaining() > settings.maxMessageBytes()) {
      throw new AppendException(ErrorCode.MESSAGE_TOO_LARGE, "the batch has " + batch.remaining()
          + " bytes; max.message.bytes is " + settings.maxMessageBytes());
    }
    crc.reset();
    RecordBatchHeader.updateCrc(crc, batch, at + RecordBatchHeader.ATTRIBUTES, batch.limit());
    if (batch.getInt(at + RecordBatchHeader.CRC) != (int) crc.getValue()) {
      throw new AppendException(ErrorCode.CORRUPT_MESSAGE, "the batch does not have its checksum");
    }
    checkHeader(batch, at);
    checkRecords(batch, settings, nowMillis);
  }

  private static void checkHeader(ByteBuffer batch, int at) throws AppendException {
    int attributes = batch.getShort(at + RecordBatchHeader.ATTRIBUTES);
    int count = batch.getInt(at + RecordBatchHeader.RECORD_COUNT);
    int lastDelta = batch.getInt(at + RecordBatchHeader.LAST_OFFSET_DELTA);
    if (count <= 0 || lastDelta != count - 1) {
      throw invalid("the batch announces " + count + " records, and its last offset is the first one + " + lastDelta);
    }
    if ((attributes & 0x20) != 0) {
      throw invalid("clients are not allowed to write control records");
    }
    boolean hasProducer = batch.getLong(at + RecordBatchHeader.PRODUCER_ID) >= 0;
    if (hasProducer && batch.getInt(at + RecordBatchHeader.BASE_SEQUENCE) < 0) {
      throw invalid("the batch has a producer id and no sequence number");
    }
    if ((attributes & 0x10) != 0 && !hasProducer) {
      throw invalid("the batch is transactional and has no producer id");
    }
  }

  private void checkRecords(ByteBuffer batch, LogSettings settings, long nowMillis) throws AppendException {
    List<RecordError> badKeys = new ArrayList<>();
    List<RecordError> badTimes = new ArrayList<>();
    int index = 0;
    try {
      reader.wrap(batch, batch.position(), batch.limit());
      if (!reader.nextBatch()) {
        throw new AppendException(ErrorCode.CORRUPT_MESSAGE, "the batch is not whole");
      }
      while (reader.nextRecord()) {
        if (reader.offset() != index) {
          throw invalid("record " + index + " has the offset " + reader.offset() + " in its batch");
        }
        if (settings.isCompacted() && !reader.hasKey()) {
          badKeys.add(new RecordError(index, "Compacted topic cannot accept message without key"));
        }
        if (!settings.isLogAppendTime() && !isTimely(reader.timestamp(), settings, nowMillis)) {
          badTimes.add(new RecordError(index, "Timestamp " + reader.timestamp() + " of message with offset "
              + index + " is out of range. The timestamp should be within ["
              + (nowMillis - settings.timestampBeforeMaxMs()) + ", " + (nowMillis + settings.timestampAfterMaxMs())
              + "]"));
        }
        index++;
      }
    } catch (UnsupportedCompressionException e) {
      return; // without the codec the records are not checked, and the batch is kept as it is
    } catch (CorruptRecordException e) {
      throw invalid("the records cannot be read: " + e.getMessage());
    }
    if (!badTimes.isEmpty()) {
      throw new AppendException(ErrorCode.INVALID_TIMESTAMP,
          "One or more records have been rejected due to invalid timestamp", badTimes);
    }
    if (!badKeys.isEmpty()) {
      throw new AppendException(ErrorCode.INVALID_RECORD, "One or more records have been rejected due to "
          + badKeys.size() + " record errors in total, and only showing the first three errors at most: "
          + badKeys.subList(0, Math.min(3, badKeys.size())), badKeys);
    }
  }

  private static boolean isTimely(long timestamp, LogSettings settings, long nowMillis) {
    if (timestamp < 0) {
      return timestamp == -1;
    }
    return nowMillis - timestamp <= settings.timestampBeforeMaxMs()
        && timestamp - nowMillis <= settings.timestampAfterMaxMs();
  }

  /** Finds the first record of a batch that has at least a timestamp and an offset. */
  TimestampOffset firstRecord(StoredBatch batch, long minTimestamp, long minOffset) {
    ByteBuffer bytes = batch.shared().duplicate();
    try {
      reader.wrap(bytes, 0, bytes.limit());
      boolean whole = reader.nextBatch();
      while (whole && reader.nextRecord()) {
        if (reader.timestamp() >= minTimestamp && reader.offset() >= minOffset) {
          return new TimestampOffset(reader.timestamp(), reader.offset(), batch.leaderEpoch());
        }
      }
      return TimestampOffset.NONE;
    } catch (UnsupportedCompressionException e) { // without the codec the header is all that is known
      return new TimestampOffset(batch.maxTimestamp(), Math.max(minOffset, batch.baseOffset()), batch.leaderEpoch());
    }
  }

  private static AppendException invalid(String message) {
    return new AppendException(ErrorCode.INVALID_RECORD, message);
  }
}
