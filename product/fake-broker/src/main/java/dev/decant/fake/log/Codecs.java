package dev.decant.fake.log;

import dev.decant.buffer.MalformedBytesException;
import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.record.RecordDecompressor;
import dev.decant.kafka.record.UnsupportedCompressionException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes compressed batches. The JDK has gzip; the other codecs are those of the Decant client, if they are
 * on the class path. Owner of the loop only, except {@link #close}.
 */
final class Codecs implements RecordDecompressor, AutoCloseable {
  /** Most decompressed bytes of a batch: few compressed bytes may stand for any number. */
  private static final int MOST_BYTES = 64 << 20;

  private @Nullable ClientCodecs ofClient;

  @Override
  public ByteBuffer decompress(CompressionType type, ByteBuffer batches, int from, int to) {
    byte[] compressed = new byte[to - from];
    batches.get(from, compressed);
    if (type != CompressionType.GZIP) {
      return ofClient(type).decompress(type, compressed);
    }
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

  /** Compresses the records of a batch that a log cleaner has rewritten. */
  byte[] compress(CompressionType type, byte[] records) {
    if (type == CompressionType.NONE) {
      return records;
    }
    if (type != CompressionType.GZIP) {
      return ofClient(type).compress(type, records);
    }
    ByteArrayOutputStream compressed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(compressed)) {
      out.write(records);
    } catch (IOException e) { // writes to memory do not fail
      throw new UncheckedIOException(e);
    }
    return compressed.toByteArray();
  }

  private ClientCodecs ofClient(CompressionType type) {
    ClientCodecs known = ofClient;
    if (known == null) {
      try {
        known = new ClientCodecs(MOST_BYTES);
      } catch (LinkageError e) {
        throw new UnsupportedCompressionException(type, "the fake broker finds no codec for " + type
            + ": the Decant client is not on the class path; add dev.decant:decant-kafka and its codec", e);
      }
      ofClient = known;
    }
    return known;
  }

  /** Frees native memory. Call it after the owner has ended. */
  @Override
  public void close() {
    ClientCodecs known = ofClient;
    ofClient = null;
    if (known != null) {
      known.close();
    }
  }
}
