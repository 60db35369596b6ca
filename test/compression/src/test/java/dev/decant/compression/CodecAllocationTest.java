package dev.decant.compression;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.decant.kafka.compression.CompressionCodec;
import dev.decant.kafka.compression.Compressor;
import dev.decant.kafka.compression.DecompressedRecords;
import dev.decant.kafka.compression.Decompressor;
import dev.decant.kafka.record.CompressionType;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A warm codec allocates nothing, by the runtime's own counter, the least of many runs. */
@Tag("allocation")
class CodecAllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int RUNS = 300;
  private static final int BYTES = 100_000;
  private static final int PIECE = 30_000;

  private final ByteBuffer text = Codecs.direct(Codecs.json(new Random(7), BYTES));

  private static long least(Runnable run) {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < RUNS; i++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      run.run();
      least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
    }
    return least;
  }

  private int compress(Compressor compressor, ByteBuffer target, int piece) {
    compressor.begin(target, 0, BYTES);
    for (int from = 0; from < BYTES; from += piece) {
      compressor.add(text, from, Math.min(BYTES, from + piece));
    }
    return compressor.finish();
  }

  @ParameterizedTest
  @MethodSource("dev.decant.compression.Codecs#types")
  void batchIsCompressedAndDecompressedWithoutGarbage(CompressionType type) {
    CompressionCodec codec = CompressionCodec.of(type);
    for (int level : new int[] {Codecs.usualLevel(type)}) {
      try (Compressor compressor = codec.compressor(level); Decompressor decompressor = codec.decompressor()) {
        ByteBuffer target = ByteBuffer.allocateDirect(compressor.mostBytes(BYTES));
        assertThat(least(() -> compress(compressor, target, PIECE))).as("in pieces").isZero();
        assertThat(least(() -> compress(compressor, target, BYTES))).as("in one piece").isZero();
        int end = compress(compressor, target, BYTES);
        DecompressedRecords output = new DecompressedRecords(Codecs.BOUND);
        assertThat(least(() -> {
          output.clear();
          decompressor.decompress(target, 0, end, output);
        })).as("decompressed").isZero();
        assertThat(output.end()).isEqualTo(BYTES);
      }
    }
  }
}
