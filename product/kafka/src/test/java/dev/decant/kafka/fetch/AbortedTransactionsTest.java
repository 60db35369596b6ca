package dev.decant.kafka.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.message.FetchResponse.AbortedTransaction;
import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.kafka.record.RecordBatchReader;
import dev.decant.kafka.record.RecordWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** Tests which batches a list of aborted transactions removes from a log. */
class AbortedTransactionsTest {
  /** Kind of a batch. */
  private enum Kind {
    PLAIN, TRANSACTIONAL, MARKER
  }

  private final ByteBuffer log = ByteBuffer.allocate(4096);
  private long nextOffset = 10;

  private void append(long producerId, Kind kind, byte[] key) {
    int at = log.position();
    int end = RecordWriter.write(log, at + RecordBatchHeader.BYTES, 0, 0, key, new byte[] {1});
    RecordBatchHeader header = new RecordBatchHeader();
    header.baseOffset = nextOffset++;
    header.recordCount = 1;
    header.producerId = producerId;
    header.transactional = kind != Kind.PLAIN;
    header.control = kind == Kind.MARKER;
    header.writeTo(log, at, end - at - RecordBatchHeader.BYTES);
    RecordBatchHeader.seal(new CRC32C(), log, at, end - at);
    log.position(end);
  }

  private void data(long producerId) {
    append(producerId, Kind.TRANSACTIONAL, new byte[0]);
  }

  private void marker(long producerId, int type) {
    append(producerId, Kind.MARKER, new byte[] {0, 0, 0, (byte) type});
  }

  /** Returns the offsets of the batches that are delivered. */
  private List<Long> kept(AbortedTransaction... named) {
    AbortedTransactions aborted = transactions(named);
    RecordBatchReader reader = new RecordBatchReader().wrap(log, 0, log.position());
    List<Long> kept = new ArrayList<>();
    while (reader.nextBatch()) {
      boolean skipped = aborted.contains(reader);
      if (!skipped && !reader.isControl()) {
        kept.add(reader.baseOffset());
      }
    }
    return kept;
  }

  private static AbortedTransactions transactions(AbortedTransaction... named) {
    ByteBuffer bytes = ByteBuffer.allocate(1024);
    ProtocolWriter out = new ProtocolWriter(bytes, 0, bytes.capacity());
    for (AbortedTransaction each : named) {
      out.writeLong(each.producerId());
      out.writeLong(each.firstOffset());
      out.writeByte(0);
    }
    return AbortedTransactions.read(new ProtocolReader(bytes, 0, out.position()), named.length, true);
  }

  private static AbortedTransaction aborted(long producerId, long firstOffset) {
    return new AbortedTransaction().producerId(producerId).firstOffset(firstOffset);
  }

  @Test
  void batchesOfAnAbortedTransactionAreLeftOutUntilItsMarker() {
    data(1); // 10, in an earlier transaction
    marker(1, 1); // 11
    data(1); // 12
    data(2); // 13
    append(3, Kind.PLAIN, new byte[0]); // 14, outside of transactions
    data(1); // 15
    marker(1, 0); // 16
    data(1); // 17, in a later transaction
    marker(1, 1); // 18
    data(2); // 19
    marker(2, 0); // 20
    data(2); // 21
    assertThat(kept(aborted(1, 12))).containsExactly(10L, 13L, 14L, 17L, 19L, 21L);
    assertThat(kept(aborted(2, 13), aborted(1, 12))).as("in whatever order").containsExactly(10L, 14L, 17L, 21L);
  }

  @Test
  void twoAbortedTransactionsOfOneProducerAreBothLeftOut() {
    data(1); // 10
    marker(1, 0); // 11
    data(1); // 12, committed
    marker(1, 1); // 13
    data(1); // 14
    marker(1, 0); // 15
    assertThat(kept(aborted(1, 10), aborted(1, 14))).containsExactly(12L);
  }

  @Test
  void transactionThatBeganBeforeTheseBatchesIsLeftOut() {
    data(1); // 10
    marker(1, 0); // 11
    data(1); // 12
    assertThat(kept(aborted(1, 3))).containsExactly(12L);
  }

  @Test
  void markerThatSaysNothingEndsNothing() {
    data(1); // 10
    append(1, Kind.MARKER, new byte[] {0}); // 11
    data(1); // 12
    assertThat(kept(aborted(1, 10))).isEmpty();
  }
}
