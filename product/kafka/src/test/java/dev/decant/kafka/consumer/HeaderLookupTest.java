package dev.decant.kafka.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.decant.buffer.BytesReader;
import dev.decant.buffer.BytesWriter;
import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.kafka.record.RecordBatchReader;
import dev.decant.kafka.record.RecordWriter;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class HeaderLookupTest {
  private final BytesReader bytes = new BytesReader();

  /** Returns a batch of one record without key and value. The value "null" stands for null. */
  private static RecordBatchReader record(String... keysAndValues) {
    ByteBuffer headers = ByteBuffer.allocate(10_000);
    BytesWriter writer = new BytesWriter().wrap(headers, 0, headers.capacity());
    for (int i = 0; i < keysAndValues.length; i += 2) {
      String value = keysAndValues[i + 1];
      RecordWriter.writeHeader(writer, keysAndValues[i],
          value.equals("null") ? null : value.getBytes(StandardCharsets.UTF_8));
    }
    int count = keysAndValues.length / 2;
    ByteBuffer batch = ByteBuffer.allocateDirect(20_000);
    int bodySize = RecordWriter.bodySize(0, 0, RecordWriter.NULL, RecordWriter.NULL,
        BytesWriter.sizeOfVarint(count) + writer.position());
    int p = RecordWriter.writePrefix(batch, RecordBatchHeader.BYTES, bodySize, 0, 0, RecordWriter.NULL);
    p = RecordWriter.writeValueSize(batch, p, RecordWriter.NULL);
    p = RecordWriter.writeHeaderCount(batch, p, count);
    batch.put(p, headers.array(), 0, writer.position());
    p += writer.position();
    RecordBatchHeader header = new RecordBatchHeader();
    header.recordCount = 1;
    header.writeTo(batch, 0, p - RecordBatchHeader.BYTES);
    RecordBatchHeader.seal(new CRC32C(), batch, 0, p);
    RecordBatchReader reader = new RecordBatchReader().wrap(batch, 0, p);
    assertThat(reader.nextBatch()).isTrue();
    assertThat(reader.nextRecord()).isTrue();
    return reader;
  }

  @Test
  void theLastHeaderWithTheKeyDecides() {
    RecordBatchReader reader = record("a", "1", "b", "2", "a", "3", "c", "4", "c", "null");

    assertThat(HeaderLookup.lastText(reader, "a", bytes)).isEqualTo("3");
    assertThat(HeaderLookup.last(reader, "a")).containsExactly('3');
    assertThat(HeaderLookup.lastText(reader, "b", bytes)).isEqualTo("2");
    assertThat(HeaderLookup.lastText(reader, "c", bytes)).isNull();
    assertThat(HeaderLookup.last(reader, "c")).isNull();
  }

  @Test
  void aKeyIsEqualOrNotAtAll() {
    RecordBatchReader reader = record("trace", "1", "traceparents", "2", "Traceparent", "3", "", "4");

    assertThat(HeaderLookup.lastText(reader, "traceparent", bytes)).isNull();
    assertThat(HeaderLookup.lastText(reader, "", bytes)).isEqualTo("4");
    assertThat(HeaderLookup.lastText(record(), "", bytes)).isNull();
  }

  @Test
  void keysAndValuesThatAreNotAscii() {
    String longText = "grün".repeat(100);
    RecordBatchReader reader = record("schlüssel", longText, "schl", "2");

    assertThat(HeaderLookup.lastText(reader, "schlüssel", bytes)).isEqualTo(longText);
    assertThat(HeaderLookup.last(reader, "schlüssel")).isEqualTo(longText.getBytes(StandardCharsets.UTF_8));
    assertThat(HeaderLookup.lastText(reader, "schl\u00fcs", bytes)).isNull();
    assertThat(HeaderLookup.lastText(reader, "schl", bytes)).isEqualTo("2");
  }

  @Test
  void lookingForWhatIsNotThereAllocatesNothing() {
    RecordBatchReader reader = record("trace", "1", "traceparents", "2");
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    int found = 0;
    for (int run = 0; run < 60; run++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 500; i++) {
        found += HeaderLookup.lastText(reader, "traceparent", bytes) == null ? 0 : 1;
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertThat(found).isZero();
    assertThat(least).isZero();
  }
}
