package dev.decant.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class BytesTest {
  private static final int FROM = 7;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(200_000);
  private final BytesWriter writer = new BytesWriter().wrap(buffer, FROM, buffer.capacity());
  private final BytesReader reader = new BytesReader();

  private BytesReader written() {
    return reader.wrap(buffer, FROM, writer.position());
  }

  @Test
  void fixedSizeValuesAreReadAsTheyWereWritten() {
    writer.writeByte(-1);
    writer.writeShort(Short.MIN_VALUE);
    writer.writeInt(Integer.MIN_VALUE);
    writer.writeLong(Long.MIN_VALUE);
    writer.writeDouble(Math.PI);
    writer.writeBoolean(true);
    writer.writeBoolean(false);
    writer.writeShort(0xFFFF);
    BytesReader r = written();
    assertThat(r.readByte()).isEqualTo((byte) -1);
    assertThat(r.readShort()).isEqualTo(Short.MIN_VALUE);
    assertThat(r.readInt()).isEqualTo(Integer.MIN_VALUE);
    assertThat(r.readLong()).isEqualTo(Long.MIN_VALUE);
    assertThat(r.readDouble()).isEqualTo(Math.PI);
    assertThat(r.readBoolean()).isTrue();
    assertThat(r.readBoolean()).isFalse();
    assertThat(r.readUnsignedShort()).isEqualTo(0xFFFF);
    assertThat(r.remaining()).isZero();
  }

  @Test
  void intsAreBigEndian() {
    writer.writeInt(0x01020304);
    assertThat(buffer.get(FROM)).isEqualTo((byte) 1);
    assertThat(buffer.get(FROM + 3)).isEqualTo((byte) 4);
  }

  @Test
  void varintsOfEveryLengthRoundTripAndTakeTheirStatedSize() {
    for (int bits = 0; bits <= 32; bits++) {
      for (int delta = -1; delta <= 1; delta++) {
        int v = (int) ((1L << bits) + delta);
        writer.position(FROM);
        writer.writeUnsignedVarint(v);
        assertThat(writer.position() - FROM).isEqualTo(BytesWriter.sizeOfUnsignedVarint(v))
            .isEqualTo(Math.max(1, (38 - Integer.numberOfLeadingZeros(v)) / 7));
        assertThat(written().readUnsignedVarint()).isEqualTo(v);
        for (int signed : new int[] {v, -v}) {
          writer.position(FROM);
          writer.writeVarint(signed);
          assertThat(writer.position() - FROM).isEqualTo(BytesWriter.sizeOfVarint(signed));
          assertThat(written().readVarint()).isEqualTo(signed);
        }
      }
    }
  }

  @Test
  void varlongsOfEveryLengthRoundTripAndTakeTheirStatedSize() {
    for (int bits = 0; bits < 64; bits++) {
      for (int delta = -1; delta <= 1; delta++) {
        long v = (1L << bits) + delta;
        writer.position(FROM);
        writer.writeUnsignedVarlong(v);
        assertThat(writer.position() - FROM).isEqualTo(BytesWriter.sizeOfUnsignedVarlong(v));
        assertThat(written().readUnsignedVarlong()).isEqualTo(v);
        for (long signed : new long[] {v, -v}) {
          writer.position(FROM);
          writer.writeVarlong(signed);
          assertThat(writer.position() - FROM).isEqualTo(BytesWriter.sizeOfVarlong(signed));
          assertThat(written().readVarlong()).isEqualTo(signed);
        }
      }
    }
    assertThat(BytesWriter.sizeOfVarlong(Long.MIN_VALUE)).isEqualTo(10);
    assertThat(BytesWriter.sizeOfVarlong(-1)).isEqualTo(1);
  }

  @Test
  void varintThatIsTooLongOrDoesNotEndIsMalformed() {
    for (String hex : new String[] {"ffffffff1f", "ffffffffff01", "80", "8080"}) {
      assertMalformed(hex, BytesReader::readUnsignedVarint);
    }
    assertMalformed("ffffffffffffffffff02", BytesReader::readUnsignedVarlong);
    assertMalformed("ffffffffffffffffffff", BytesReader::readVarlong);
    assertMalformed("80", BytesReader::readVarlong);
  }

  @Test
  void textEncodesAsTheJdkDoesIncludingPairsAndUnpairedSurrogates() {
    for (String text : new String[] {"", "a", "orders", "\u007f\u0080\u07ff\u0800\uffff", "gr\u00fc\u00dfe",
        "\ud83d\ude00x",
        "\ud83d", "x\ud83d", "\ud83dx", "\ude00", "\ude00\ud83d", "\ud83d\ud83d\ude00", "x".repeat(1000) + "\u00e4"}) {
      assertUtf8(text);
    }
  }

  @Test
  void randomTextEncodesAsTheJdkDoes() {
    long seed = System.nanoTime();
    System.out.println("BytesTest.randomText seed " + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 2_000; round++) {
      StringBuilder text = new StringBuilder();
      int chars = random.nextInt(40);
      int ceiling = 1 << (4 + random.nextInt(13));
      for (int i = 0; i < chars; i++) {
        text.append((char) random.nextInt(ceiling));
      }
      assertUtf8(text.toString());
    }
  }

  private void assertUtf8(String text) {
    byte[] expected = text.getBytes(StandardCharsets.UTF_8);
    assertThat(BytesWriter.utf8Length(text)).isEqualTo(expected.length);
    writer.position(FROM);
    writer.writeUtf8(text);
    byte[] actual = new byte[writer.position() - FROM];
    written().readBytes(actual, 0, actual.length);
    assertThat(actual).isEqualTo(expected);

    BytesWriter tight = new BytesWriter().wrap(buffer, FROM, FROM + expected.length);
    tight.writeUtf8(text);
    assertThat(tight.remaining()).isZero();
    if (expected.length > 0) {
      byte last = buffer.get(FROM + expected.length - 1);
      buffer.put(FROM + expected.length - 1, (byte) ~last);
      tight.wrap(buffer, FROM, FROM + expected.length - 1);
      assertThatThrownBy(() -> tight.writeUtf8(text)).isInstanceOf(BufferTooSmallException.class);
      assertThat(buffer.get(FROM + expected.length - 1)).as("byte after the limit").isEqualTo((byte) ~last);
    }
  }

  @Test
  void writeThatDoesNotFitThrowsAndLeavesThePositionAlone() {
    ByteBuffer source = ByteBuffer.wrap(new byte[8]);
    assertTooSmall(3, w -> w.writeInt(1));
    assertTooSmall(7, w -> w.writeLong(1));
    assertTooSmall(7, w -> w.writeDouble(1));
    assertTooSmall(1, w -> w.writeShort(1));
    assertTooSmall(0, w -> w.writeByte(1));
    assertTooSmall(0, w -> w.writeBoolean(true));
    assertTooSmall(4, w -> w.writeUnsignedVarint(-1));
    assertTooSmall(9, w -> w.writeVarlong(Long.MIN_VALUE));
    assertTooSmall(7, w -> w.writeBytes(source));
    assertTooSmall(7, w -> w.writeBytes(source.array(), 0, 8));
  }

  private void assertTooSmall(int room, Consumer<BytesWriter> write) {
    BytesWriter tight = new BytesWriter().wrap(buffer, FROM, FROM + room);
    assertThatThrownBy(() -> write.accept(tight)).isSameAs(BufferTooSmallException.INSTANCE);
    assertThat(tight.position()).isEqualTo(FROM);
    tight.wrap(buffer, FROM, FROM + room + 1);
    write.accept(tight);
    assertThat(tight.remaining()).isZero();
  }

  @Test
  void patchingStaysInsideTheRegion() {
    BytesWriter w = new BytesWriter().wrap(buffer, FROM, FROM + 8);
    w.putLong(FROM, 1);
    w.putInt(FROM + 4, 2);
    w.putShort(FROM + 6, 3);
    w.putByte(FROM + 7, 4);
    assertThat(buffer.getLong(FROM)).isEqualTo(4);
    assertThat(w.position()).isEqualTo(FROM);
    assertThatThrownBy(() -> w.putLong(FROM + 1, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> w.putInt(FROM - 1, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> w.putByte(FROM + 8, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> w.position(FROM + 9)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> w.position(FROM - 1)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void textIsPutIntoTheRegionOrNotAtAll() {
    BytesWriter w = new BytesWriter().wrap(buffer, FROM, FROM + 4);
    assertThat(w.putUtf8(FROM + 2, "\u00e4")).isEqualTo(FROM + 4);
    assertThat(w.position()).isEqualTo(FROM);
    assertThat(w.putUtf8(FROM + 4, "")).isEqualTo(FROM + 4);
    assertThatThrownBy(() -> w.putUtf8(FROM + 3, "\u00e4")).isSameAs(BufferTooSmallException.INSTANCE);
    assertThatThrownBy(() -> w.putUtf8(FROM + 5, "")).isSameAs(BufferTooSmallException.INSTANCE);
    assertThatThrownBy(() -> w.putUtf8(FROM - 1, "a")).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void roomIsWhatRemains() {
    BytesWriter w = new BytesWriter().wrap(buffer, FROM, FROM + 4);
    w.requireRoom(4);
    assertThat(w.position()).isEqualTo(FROM);
    assertThatThrownBy(() -> w.requireRoom(5)).isSameAs(BufferTooSmallException.INSTANCE);
    assertThatThrownBy(() -> w.requireRoom(Integer.MAX_VALUE + 1L)).isSameAs(BufferTooSmallException.INSTANCE);
  }

  @Test
  void sourceBufferKeepsItsPosition() {
    ByteBuffer source = ByteBuffer.wrap(new byte[] {1, 2, 3, 4}, 1, 2);
    writer.writeBytes(source);
    assertThat(source.position()).isEqualTo(1);
    ByteBuffer slice = written().slice(2);
    assertThat(slice).isEqualTo(ByteBuffer.wrap(new byte[] {2, 3}));
    assertThat(slice.order()).isEqualTo(ByteOrder.BIG_ENDIAN);
  }

  @Test
  void lyingLengthsAreMalformed() {
    assertMalformed("00", r -> r.skip(2));
    assertMalformed("00", r -> r.skip(-1));
    assertMalformed("00", r -> r.slice(Integer.MAX_VALUE));
    assertMalformed("00", r -> r.readUtf8(Integer.MIN_VALUE));
    assertMalformed("000000", BytesReader::readInt);
  }

  @Test
  void littleEndianBuffersAreRefused() {
    ByteBuffer little = ByteBuffer.allocateDirect(8).order(ByteOrder.LITTLE_ENDIAN);
    assertThatThrownBy(() -> new BytesWriter().wrap(little, 0, 8)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new BytesReader().wrap(little, 0, 8)).isInstanceOf(IllegalArgumentException.class);
  }

  private BytesReader reading(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length + 64);
    direct.put(FROM, bytes);
    return new BytesReader().wrap(direct, FROM, FROM + bytes.length);
  }

  private void assertMalformed(String hex, Consumer<BytesReader> read) {
    BytesReader r = reading(hex);
    assertThatThrownBy(() -> read.accept(r)).as(hex).isInstanceOf(MalformedBytesException.class);
  }
}
