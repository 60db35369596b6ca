package dev.decant.fake.log;

import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.record.RecordBatchHeader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The log of a partition, in memory and in Kafka's format. Batches stay compressed as their producers have sent them.
 * The broker sets their offsets, its leader epoch and, if the topic requires it, its time.
 *
 * <pre>
 *   | deleted | readable by all               | open transactions | not replicated |
 *             logStart                        lastStable          highWatermark    logEnd
 * </pre>
 *
 * Owner of the loop only.
 */
public final class PartitionLog {
  private static final int LOG_APPEND_TIME = 0x08;

  private final List<StoredBatch> batches = new ArrayList<>();
  private final EpochCheckpoints epochs = new EpochCheckpoints();
  private final ProducerTable producers = new ProducerTable();
  private final TransactionIndex transactions = new TransactionIndex();
  private final Segments segments = new Segments();
  private final Codecs codecs;
  private final BatchCheck check;
  private final CRC32C crc = new CRC32C();

  private long logStart;
  private long logEnd;
  private long highWatermark;
  /** Bytes of all batches that were ever appended, without those of truncated ones. */
  private long endPosition;

  /**
   * Creates an empty log.
   *
   * @param shared the buffers and codecs of all logs of a cluster
   */
  public PartitionLog(Shared shared) {
    codecs = shared.codecs;
    check = shared.check;
  }

  /** The codecs and the buffers for reading batches, which all logs of a cluster share. */
  public static final class Shared implements AutoCloseable {
    private final Codecs codecs = new Codecs();
    private final BatchCheck check = new BatchCheck(codecs);

    public Shared() {}

    @Override
    public void close() {
      codecs.close();
    }
  }

  /** Returns an independent log with the same records. Batches never change, so both logs share them. */
  public PartitionLog copy(Shared shared) {
    PartitionLog copy = new PartitionLog(shared);
    copy.batches.addAll(batches);
    copy.epochs.copy(epochs);
    copy.producers.copy(producers);
    copy.transactions.copy(transactions);
    copy.segments.copy(segments);
    copy.logStart = logStart;
    copy.logEnd = logEnd;
    copy.highWatermark = highWatermark;
    copy.endPosition = endPosition;
    return copy;
  }

  /** Returns true if a transaction has records here and is open. */
  public boolean hasOpenTransaction() {
    return transactions.isOpen();
  }

  Codecs codecs() {
    return codecs;
  }

  /** Returns the first offset that can be read. */
  public long logStart() {
    return logStart;
  }

  /** Returns the offset of the next record. */
  public long logEnd() {
    return logEnd;
  }

  /** Returns the offset after the last record that all replicas in sync have. */
  public long highWatermark() {
    return highWatermark;
  }

  /**
   * Returns the offset up to which consumers of committed transactions read. It is the begin of the oldest open
   * transaction, or the high watermark.
   */
  public long lastStable() {
    return Math.min(transactions.firstUnstable(highWatermark), highWatermark);
  }

  /** Returns a view of all batches, oldest first, which changes with the log. */
  public List<StoredBatch> batches() {
    return Collections.unmodifiableList(batches);
  }

  /** Returns the producers that the log knows. */
  public ProducerTable producers() {
    return producers;
  }

  /** Returns the bytes of all batches. */
  public long size() {
    return batches.isEmpty() ? 0 : endPosition - batches.getFirst().position();
  }

  /** Records the start of a leader's epoch. */
  public void beginEpoch(int leaderEpoch) {
    epochs.begin(leaderEpoch, logEnd);
  }

  /** Sets the high watermark: the replicas in sync have all records up to an offset. */
  public void replicatedTo(long offset) {
    highWatermark = Math.max(highWatermark, Math.min(offset, logEnd));
  }

  /**
   * Appends the batch of a Produce request, or finds that the log has it already.
   *
   * @param records one batch, which is copied
   * @param requestVersion version of the Produce request
   * @param leaderEpoch epoch of the leader
   * @param settings settings of the topic
   * @param nowMillis the broker's time
   * @throws AppendException if a broker would reject it
   */
  public Appended append(ByteBuffer records, short requestVersion, int leaderEpoch, LogSettings settings,
      long nowMillis) throws AppendException {
    check.checkForm(records, requestVersion);
    check.check(records, settings, nowMillis);
    StoredBatch batch = new StoredBatch(copyOf(records), endPosition);
    Appended known = batch.producerId() < 0 ? null : checkProducer(batch);
    if (known != null) {
      return known;
    }
    long appendTime = settings.isLogAppendTime() ? nowMillis : -1;
    segments.beforeAppend(batch, logEnd, settings, nowMillis);
    store(batch, leaderEpoch, appendTime);
    if (batch.producerId() >= 0) {
      producers.appended(batch, appendTime);
      if (batch.isTransactional()) {
        transactions.began(batch.producerId(), batch.baseOffset());
      }
    }
    return new Appended(batch.baseOffset(), logEnd, appendTime, false);
  }

  private static ByteBuffer copyOf(ByteBuffer records) {
    return ByteBuffer.allocate(records.remaining()).put(0, records, records.position(), records.remaining());
  }

  /** Checks epoch and sequence number; returns the earlier append that a retry repeats, or null for a new batch. */
  private @Nullable Appended checkProducer(StoredBatch batch) throws AppendException {
    ProducerEntry.Batch earlier = producers.check(batch);
    return earlier == null
        ? null
        : new Appended(earlier.baseOffset(), earlier.lastOffset() + 1, earlier.logAppendTime(), true);
  }

  private void store(StoredBatch batch, int leaderEpoch, long appendTime) {
    ByteBuffer bytes = batch.shared();
    bytes.putLong(RecordBatchHeader.BASE_OFFSET, logEnd);
    bytes.putInt(RecordBatchHeader.PARTITION_LEADER_EPOCH, leaderEpoch);
    if (appendTime >= 0) {
      int attributes = bytes.getShort(RecordBatchHeader.ATTRIBUTES) | LOG_APPEND_TIME;
      bytes.putShort(RecordBatchHeader.ATTRIBUTES, (short) attributes);
      bytes.putLong(RecordBatchHeader.MAX_TIMESTAMP, appendTime);
      RecordBatchHeader.seal(crc, bytes, 0, bytes.limit());
    }
    epochs.begin(leaderEpoch, logEnd);
    batches.add(batch);
    logEnd = batch.lastOffset() + 1;
    endPosition = batch.end();
  }

  /**
   * Appends the marker that ends a transaction, which a coordinator writes through the leader (WriteTxnMarkers).
   *
   * @param marker the transaction and its end
   * @param leaderEpoch epoch of the leader
   * @param settings settings of the topic
   * @param nowMillis the broker's time
   * @throws AppendException if the producer or the coordinator is fenced
   */
  public Appended appendMarker(TransactionMarker marker, int leaderEpoch, LogSettings settings, long nowMillis)
      throws AppendException {
    producers.checkMarker(marker);
    StoredBatch batch = new StoredBatch(marker.toBatch(nowMillis, crc), endPosition);
    segments.beforeAppend(batch, logEnd, settings, nowMillis);
    store(batch, leaderEpoch, -1);
    producers.marked(marker, nowMillis);
    transactions.ended(marker, batch.baseOffset());
    return new Appended(batch.baseOffset(), logEnd, -1, false);
  }

  /**
   * Returns the bytes for a consumer. As on brokers, the byte limit may cut the last batch.
   *
   * @param offset offset of the first wanted record, from log start to log end
   * @param upTo offset after the last record that may be read: the high watermark, or the last stable offset
   * @param maxBytes byte limit
   * @param atLeastOne true to return the whole first batch, even beyond the limit
   * @return from position to limit; shared with the log, not to be written to
   */
  public ByteBuffer read(long offset, long upTo, int maxBytes, boolean atLeastOne) {
    int first = indexOf(offset);
    int end = first;
    long size = 0;
    long bound = maxBytes;
    while (end < batches.size() && batches.get(end).baseOffset() < upTo && size < bound) {
      size += batches.get(end).size();
      end++;
      if (atLeastOne && end == first + 1) {
        bound = Math.max(bound, size);
      }
    }
    if (atLeastOne && end == first && first < batches.size() && batches.get(first).baseOffset() < upTo) {
      size = batches.get(first).size();
      bound = size;
      end++;
    }
    return joined(first, end, (int) Math.min(size, bound));
  }

  private ByteBuffer joined(int first, int end, int size) {
    if (end == first + 1) {
      return batches.get(first).shared().duplicate().limit(size).position(0);
    }
    ByteBuffer joined = ByteBuffer.allocate(size);
    for (int i = first; i < end; i++) {
      ByteBuffer bytes = batches.get(i).shared();
      int length = Math.min(bytes.limit(), joined.remaining());
      joined.put(joined.position(), bytes, 0, length);
      joined.position(joined.position() + length);
    }
    return joined.flip();
  }

  /** Returns the number of bytes that {@link #read} would find without a limit. */
  public long readable(long offset, long upTo) {
    int first = indexOf(offset);
    int end = indexOf(upTo);
    if (first >= end) {
      return 0;
    }
    return batches.get(end - 1).end() - batches.get(first).position();
  }

  /** Returns the index of the first batch that ends at an offset or later. */
  private int indexOf(long offset) {
    int low = 0;
    int high = batches.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (batches.get(middle).lastOffset() < offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Returns the aborted transactions with records in a range of offsets. */
  public List<AbortedTransaction> aborted(long fromOffset, long upTo) {
    return transactions.aborted(fromOffset, upTo);
  }

  /** Returns the offset after the records in bytes that were read from an offset. {@link #aborted} needs it. */
  public long endOfRead(long offset, int bytesRead) {
    int index = indexOf(offset);
    long end = offset;
    long left = bytesRead;
    while (index < batches.size() && left > 0) {
      left -= batches.get(index).size();
      end = batches.get(index).lastOffset() + 1;
      index++;
    }
    return end;
  }

  /** Returns the first record with a timestamp from the given one on, {@link TimestampOffset#NONE} if there is none. */
  public TimestampOffset firstSince(long timestamp, long upTo) {
    for (StoredBatch batch : batches) {
      if (batch.baseOffset() >= upTo) {
        break;
      }
      if (batch.maxTimestamp() >= timestamp && batch.lastOffset() >= logStart) {
        TimestampOffset found = check.firstRecord(batch, timestamp, logStart);
        if (found.offset() >= 0) {
          return found.offset() < upTo ? found : TimestampOffset.NONE;
        }
      }
    }
    return TimestampOffset.NONE;
  }

  /** Returns the first of the records with the largest timestamp, {@link TimestampOffset#NONE} if the log is empty. */
  public TimestampOffset latestTimestamp() {
    StoredBatch latest = null;
    for (StoredBatch batch : batches) {
      if (latest == null || batch.maxTimestamp() > latest.maxTimestamp()) {
        latest = batch;
      }
    }
    return latest == null ? TimestampOffset.NONE : check.firstRecord(latest, latest.maxTimestamp(), 0);
  }

  /** Returns the epoch of the leader that has appended the record at an offset, -1 if it is not known. */
  public int epochAt(long offset) {
    return epochs.epochAt(offset);
  }

  /** Returns the end of a leader epoch. */
  public EpochEnd endOfEpoch(int epoch) {
    return epochs.endOf(epoch, logEnd);
  }

  /**
   * Deletes the records below an offset.
   *
   * @param offset at most the high watermark
   * @throws AppendException if it is larger, or negative
   */
  public void deleteBelow(long offset) throws AppendException {
    if (offset < 0 || offset > highWatermark) {
      throw new AppendException(ErrorCode.OFFSET_OUT_OF_RANGE,
          "records below " + offset + " cannot be deleted; the high watermark is " + highWatermark);
    }
    if (offset > logStart) {
      logStart = offset;
      batches.subList(0, indexOf(offset)).clear();
      segments.deleteBelow(offset, batches.isEmpty());
      epochs.truncateStart(offset);
      transactions.deleteBelow(offset);
    }
  }

  /**
   * Deletes segments that are too old or too many, as brokers do periodically.
   *
   * @param retention the limits
   * @param nowMillis the broker's time
   * @return true if something was deleted
   */
  public boolean applyRetention(Retention retention, long nowMillis) throws AppendException {
    long before = logStart;
    deleteBelow(Math.max(logStart, retention.firstKept(batches, segments, highWatermark, nowMillis)));
    return logStart > before;
  }

  /**
   * Compacts the log as log cleaners do. Offsets and the log's start do not change.
   *
   * @param lagMillis least age of a batch that is cleaned, {@code min.compaction.lag.ms}
   * @param deleteRetentionMillis time for which tombstones stay, {@code delete.retention.ms}
   * @param nowMillis the broker's time
   * @throws dev.decant.kafka.record.UnsupportedCompressionException if there is no codec for a batch; the log is
   *     unchanged then
   */
  public void compact(long lagMillis, long deleteRetentionMillis, long nowMillis) {
    long upTo = lastStable();
    for (StoredBatch batch : batches) {
      if (lagMillis > 0 && batch.maxTimestamp() > nowMillis - lagMillis) {
        upTo = Math.min(upTo, batch.baseOffset());
      }
    }
    long firstPosition = batches.isEmpty() ? endPosition : batches.getFirst().position();
    Compaction pass = new Compaction(this, upTo, deleteRetentionMillis, nowMillis);
    List<StoredBatch> cleaned = pass.clean(firstPosition);
    batches.clear();
    batches.addAll(cleaned);
    endPosition = batches.isEmpty() ? endPosition : batches.getLast().end();
    segments.measure(batches);
    transactions.keepAborted(upTo, pass.abortedThatStay());
  }

  /** Deletes all batches that reach to an offset or further: a replica without them has become the leader. */
  public void truncate(long offset) {
    int first = indexOf(offset);
    if (first < batches.size()) {
      logEnd = batches.get(first).baseOffset();
      endPosition = batches.get(first).position();
      List<StoredBatch> lost = batches.subList(first, batches.size());
      Set<Long> losers = lost.stream().map(StoredBatch::producerId).collect(Collectors.toSet());
      lost.clear();
      segments.truncate(logEnd, batches);
      highWatermark = Math.min(highWatermark, logEnd);
      logStart = Math.min(logStart, logEnd);
      epochs.truncateEnd(logEnd);
      producers.replay(losers, batches);
      transactions.truncate(logEnd);
    }
  }
}
