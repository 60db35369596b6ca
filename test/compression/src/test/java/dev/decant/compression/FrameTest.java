package dev.decant.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import dev.decant.buffer.MalformedBytesException;
import dev.decant.kafka.record.CompressionType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;
import net.jpountz.lz4.LZ4FrameOutputStream;
import net.jpountz.lz4.LZ4FrameOutputStream.BLOCKSIZE;
import net.jpountz.lz4.LZ4FrameOutputStream.FLG;
import net.jpountz.xxhash.XXHashFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.xerial.snappy.Snappy;

/** The forms of each format that other writers use, and what of them is refused. */
class FrameTest {
  private static final long SEED = 20261121;
  private static final int LZ4_FLAGS = 4;
  private static final int LZ4_HEAD_CHECKSUM = 6;

  private final byte[] text = Codecs.json(new Random(SEED), 300_000);

  /** Makes a stream that compresses into another. */
  private interface Wrapping {
    OutputStream around(OutputStream out) throws IOException;
  }

  private byte[] written(Wrapping wrapping) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = wrapping.around(bytes)) {
      out.write(text);
    }
    return bytes.toByteArray();
  }

  private static byte[] joined(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  private static void refused(CompressionType type, byte[] bytes, String message) {
    assertThatThrownBy(() -> Codecs.decompress(type, bytes)).isInstanceOf(MalformedBytesException.class)
        .hasMessageContaining(message);
  }

  private byte[] twice() {
    return joined(text, text);
  }

  @ParameterizedTest
  @EnumSource
  void lz4FramesWithLargerBlocksAndAllChecksumsAreRead(BLOCKSIZE size) throws IOException {
    byte[] frame = written(out -> new LZ4FrameOutputStream(out, size, text.length, FLG.Bits.BLOCK_INDEPENDENCE,
        FLG.Bits.BLOCK_CHECKSUM, FLG.Bits.CONTENT_CHECKSUM, FLG.Bits.CONTENT_SIZE));
    assertThat(Codecs.decompress(CompressionType.LZ4, frame)).isEqualTo(text);
    byte[] skipped = {0x53, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 7, 7};
    assertThat(Codecs.decompress(CompressionType.LZ4, joined(skipped, frame, skipped, frame))).isEqualTo(twice());
  }

  @Test
  void lz4ChecksumsAndSizesAreChecked() throws IOException {
    byte[] frame = written(out -> new LZ4FrameOutputStream(out, BLOCKSIZE.SIZE_64KB, text.length,
        FLG.Bits.BLOCK_INDEPENDENCE, FLG.Bits.BLOCK_CHECKSUM, FLG.Bits.CONTENT_CHECKSUM, FLG.Bits.CONTENT_SIZE));
    byte[] content = frame.clone();
    content[frame.length - 1] ^= 1;
    refused(CompressionType.LZ4, content, "the checksum of the LZ4 content");
    byte[] block = frame.clone();
    int firstBlock = 15 + 4 + ((frame[15] & 0xff) | ((frame[16] & 0xff) << 8));
    block[firstBlock] ^= 1;
    refused(CompressionType.LZ4, block, "the checksum of the LZ4 block");
    byte[] head = frame.clone();
    head[LZ4_FLAGS + 3] ^= 1;
    refused(CompressionType.LZ4, head, "the head of the LZ4 frame does not have its checksum");
    head[14] = headChecksum(head, 14);
    refused(CompressionType.LZ4, head, "an LZ4 frame of 300000 bytes, stated are ");
  }

  private static byte headChecksum(byte[] frame, int at) {
    return (byte) (XXHashFactory.safeInstance().hash32().hash(frame, LZ4_FLAGS, at - LZ4_FLAGS, 0) >> 8);
  }

  @ParameterizedTest
  @CsvSource({"64, 64, depend on each other", "97, 64, depend on a dictionary", "98, 64, unknown flags",
      "160, 64, unknown flags", "96, 48, unknown block size", "96, 65, unknown block size"})
  void lz4FramesThatCannotBeReadAreRefusedClearly(int flags, int blockSize, String message) {
    byte[] frame = Codecs.compress(CompressionType.LZ4, text);
    frame[LZ4_FLAGS] = (byte) flags;
    frame[LZ4_FLAGS + 1] = (byte) blockSize;
    frame[LZ4_HEAD_CHECKSUM] = headChecksum(frame, LZ4_HEAD_CHECKSUM);
    refused(CompressionType.LZ4, frame, message);
  }

  @Test
  void lz4BlockLargerThanItsFrameAllowsIsRefused() {
    byte[] frame = new byte[200_000];
    System.arraycopy(Codecs.compress(CompressionType.LZ4, text), 0, frame, 0, 7);
    frame[7] = 1;
    frame[9] = 1; // 65,537 bytes
    refused(CompressionType.LZ4, frame, "a block of 65537 bytes in an LZ4 frame whose largest is 65536");
  }

  @Test
  void snappyWithoutFramingAndJoinedStreamsAreRead() throws IOException {
    assertThat(Codecs.decompress(CompressionType.SNAPPY, Snappy.compress(text))).isEqualTo(text);
    byte[] stream = Codecs.compress(CompressionType.SNAPPY, text);
    assertThat(Codecs.decompress(CompressionType.SNAPPY, joined(stream, stream))).isEqualTo(twice());
  }

  @Test
  void snappyLengthsThatCannotBeAreRefused() {
    byte[] lies = {(byte) 0xff, (byte) 0xff, (byte) 0xff, 0x02, 0, 'a'};
    refused(CompressionType.SNAPPY, lies, "a snappy block of 6 bytes cannot stand for 6291455");
    byte[] endless = {-1, -1, -1, -1, -1, -1};
    refused(CompressionType.SNAPPY, endless, "does not end");
    byte[] stream = Codecs.compress(CompressionType.SNAPPY, text);
    byte[] negative = stream.clone();
    negative[16] = -1;
    refused(CompressionType.SNAPPY, negative, "a snappy block of -");
    byte[] newer = stream.clone();
    newer[15] = 2;
    refused(CompressionType.SNAPPY, newer, "needs version 2");
  }

  @Test
  void zstdFramesWithoutSizeWithChecksumAndJoinedAreRead() throws IOException {
    byte[] streamed = written(out -> new ZstdOutputStreamNoFinalizer(out).setChecksum(true));
    assertThat(Codecs.decompress(CompressionType.ZSTD, streamed)).isEqualTo(text);
    byte[] sized = Zstd.compress(text);
    assertThat(Codecs.decompress(CompressionType.ZSTD, joined(sized, streamed))).isEqualTo(twice());
    streamed[streamed.length - 1] ^= 1;
    refused(CompressionType.ZSTD, streamed, "that are no Zstandard");
  }

  /** The library would take as much for a window as the head asks for. */
  @Test
  void zstdFrameThatAsksForAHugeWindowCostsNothing() {
    byte[] frame = {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd, 0, (byte) 0xf8, 0x01, 0, 0};
    try {
      assertThat(Codecs.decompress(CompressionType.ZSTD, frame)).isEmpty();
    } catch (MalformedBytesException e) {
      assertThat(e.getMessage()).contains("that are no Zstandard");
    }
  }

  @Test
  void zstdContentSizeBeyondTheBoundIsRefusedBeforeMemoryIsTaken() {
    byte[] frame = {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd, (byte) 0xe0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0};
    refused(CompressionType.ZSTD, frame, "more than " + Codecs.BOUND + " bytes");
  }

  @Test
  void gzipOfTheJdkAndJoinedMembersAreRead() throws IOException {
    byte[] member = written(GZIPOutputStream::new);
    assertThat(Codecs.decompress(CompressionType.GZIP, member)).isEqualTo(text);
    assertThat(Codecs.decompress(CompressionType.GZIP, joined(member, member))).isEqualTo(twice());
  }

  @Test
  void gzipHeadsWithEveryFieldAreRead() throws IOException {
    byte[] member = written(GZIPOutputStream::new);
    byte[] head = Arrays.copyOf(member, 10);
    head[3] = 31;
    byte[] fields = {3, 0, 1, 2, 3, 'n', 0, 'c', 'c', 0, 9, 9};
    byte[] full = joined(head, fields, Arrays.copyOfRange(member, 10, member.length));
    assertThat(Codecs.decompress(CompressionType.GZIP, full)).isEqualTo(text);
    for (int cut = 0; cut < 24; cut++) {
      byte[] part = Arrays.copyOf(full, cut);
      assertThatThrownBy(() -> Codecs.decompress(CompressionType.GZIP, part))
          .isInstanceOf(MalformedBytesException.class);
    }
  }

  @Test
  void gzipChecksumAndLengthAreChecked() throws IOException {
    byte[] member = written(GZIPOutputStream::new);
    CRC32 crc = new CRC32();
    crc.update(text);
    byte[] damaged = member.clone();
    damaged[member.length - 8] ^= 1;
    refused(CompressionType.GZIP, damaged, "the CRC-32 of the gzip member is " + Long.toHexString(crc.getValue()));
    damaged = member.clone();
    damaged[member.length - 4] ^= 1;
    refused(CompressionType.GZIP, damaged, "a gzip member of 300000 bytes, stated are 300001");
    damaged = member.clone();
    damaged[3] = 32;
    refused(CompressionType.GZIP, damaged, "unknown flags 20");
  }
}
