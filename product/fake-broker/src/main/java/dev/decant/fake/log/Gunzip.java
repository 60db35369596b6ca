package dev.decant.fake.log;

import dev.decant.buffer.MalformedBytesException;
import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.record.RecordDecompressor;
import dev.decant.kafka.record.UnsupportedCompressionException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.GZIPInputStream;

/** Reads batches that are compressed with gzip, which the JDK has. Other codecs are not there. */
final class Gunzip implements RecordDecompressor {
  /** A batch of more is refused: a few bytes may stand for any number. */
  private static final int MOST_BYTES = 64 << 20;

  @Override
  public ByteBuffer decompress(CompressionType type, ByteBuffer batches, int from, int to) {
    if (type != CompressionType.GZIP) {
      throw new UnsupportedCompressionException(type, "the fake broker has no codec for " + type, null);
    }
    byte[] compressed = new byte[to - from];
    batches.get(from, compressed);
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(compressed))) {
      byte[] records = in.readNBytes(MOST_BYTES);
      if (in.read() >= 0) {
        throw new MalformedBytesException("a batch has more than " + MOST_BYTES + " bytes of records");
      }
      return ByteBuffer.wrap(records);
    } catch (IOException e) {
      throw new MalformedBytesException("a batch is not what gzip writes: " + e.getMessage());
    }
  }
}
