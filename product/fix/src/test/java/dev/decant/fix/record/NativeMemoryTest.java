package dev.decant.fix.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory outside of the heap on each Java release. */
@Timeout(60)
class NativeMemoryTest {
  private static final boolean HAS_ARENAS = Runtime.version().feature() >= 22;
  private static final int BYTES = 1 << 16;

  @TempDir
  Path folder;

  private static NativeMemory open(boolean ofArena) {
    assumeTrue(HAS_ARENAS || !ofArena, "Java 21 has arenas as a preview only");
    return ofArena ? new ArenaMemory() : new CollectedMemory(new CollectedBlocks(System::gc));
  }

  private FileChannel file() throws IOException {
    Path path = folder.resolve("file");
    Files.write(path, new byte[BYTES]);
    return FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  @Test
  void releaseDecidesWhichIsUsed() {
    try (NativeMemory memory = NativeMemory.open()) {
      assertThat(memory).isInstanceOf(HAS_ARENAS ? ArenaMemory.class : CollectedMemory.class);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void mappedFileIsWrittenThrough(boolean ofArena) throws IOException {
    try (NativeMemory memory = open(ofArena)) {
      MappedByteBuffer mapped;
      try (FileChannel channel = file()) {
        mapped = memory.map(channel, MapMode.READ_WRITE, BYTES);
      }
      assertThat(mapped.capacity()).isEqualTo(BYTES);
      mapped.putLong(BYTES - Long.BYTES, 42);
      mapped.force(BYTES - Long.BYTES, Long.BYTES);
    }
    assertThat(ByteBuffer.wrap(Files.readAllBytes(folder.resolve("file"))).getLong(BYTES - Long.BYTES)).isEqualTo(42);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void allocatedMemoryIsDirectAndZero(boolean ofArena) {
    try (NativeMemory memory = open(ofArena)) {
      ByteBuffer allocated = memory.allocate(BYTES);
      assertThat(allocated.isDirect()).isTrue();
      assertThat(allocated.capacity()).isEqualTo(BYTES);
      for (int i = 0; i < BYTES; i += Long.BYTES) {
        assertThat(allocated.getLong(i)).isZero();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void failedMappingIsToldAndClosingAgainDoesNothing(boolean ofArena) throws IOException {
    FileChannel channel = file();
    channel.close();
    NativeMemory memory = open(ofArena);
    assertThatExceptionOfType(ClosedChannelException.class)
        .isThrownBy(() -> memory.map(channel, MapMode.READ_ONLY, BYTES));
    memory.close();
    memory.close();
  }

  @Test
  void arenaEndsItsBuffersAtOnce() throws IOException {
    NativeMemory memory = open(true);
    ByteBuffer allocated = memory.allocate(BYTES);
    ByteBuffer mapped;
    try (FileChannel channel = file()) {
      mapped = memory.map(channel, MapMode.READ_ONLY, BYTES);
    }

    memory.close();

    assertThatIllegalStateException().isThrownBy(() -> allocated.get(0));
    assertThatIllegalStateException().isThrownBy(() -> mapped.get(0));
  }
}
