package dev.decant.kafka.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.buffer.BufferTooSmallException;
import dev.decant.buffer.MalformedBytesException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class ProtocolTypesTest {
  private static final int FROM = 7;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(200_000);
  private final ProtocolWriter writer = new ProtocolWriter(buffer, FROM, buffer.capacity());

  private ProtocolReader written() {
    return new ProtocolReader(buffer, FROM, writer.position());
  }

  @Test
  void uuidIsReadAsItWasWritten() {
    writer.writeUuid(new Uuid(1, -2));
    writer.writeUuid(new Uuid(0, 0));
    ProtocolReader r = written();
    assertThat(r.readUuid()).isEqualTo(new Uuid(1, -2));
    assertThat(r.readUuid()).isSameAs(Uuid.ZERO);
    assertThat(r.remaining()).isZero();
  }

  @Test
  void stringsOfAllFourKindsRoundTrip() {
    for (int length : new int[] {0, 1, 126, 127, 128, 255, 256, 257, 20_000, 32_767}) {
      String text = "k".repeat(length);
      writer.position(FROM);
      writer.writeString(text);
      writer.writeNullableString(text);
      writer.writeCompactString(text);
      writer.writeCompactNullableString(text);
      writer.writeNullableString(null);
      writer.writeCompactNullableString(null);
      ProtocolReader r = written();
      assertThat(r.readString()).isEqualTo(text);
      assertThat(r.readNullableString()).isEqualTo(text);
      assertThat(r.readCompactString()).isEqualTo(text);
      assertThat(r.readCompactNullableString()).isEqualTo(text);
      assertThat(r.readNullableString()).isNull();
      assertThat(r.readCompactNullableString()).isNull();
      assertThat(r.remaining()).isZero();
    }
  }

  @Test
  void stringBeyondItsLengthFieldIsRefused() {
    assertThatThrownBy(() -> writer.writeString("k".repeat(32_768))).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("32768");
    assertThat(writer.position()).isEqualTo(FROM);
  }

  @Test
  void writeThatDoesNotFitThrowsAndLeavesThePositionAlone() {
    assertTooSmall(15, w -> w.writeUuid(Uuid.ZERO));
    assertTooSmall(1, w -> w.writeString(""));
    assertTooSmall(5, w -> w.writeString("\u00e4\u00e4"));
    assertTooSmall(2, w -> w.writeCompactString("ab"));
    assertTooSmall(1, w -> w.writeNullableString(null));
    assertTooSmall(0, w -> w.writeCompactNullableString(null));
  }

  private void assertTooSmall(int room, Consumer<ProtocolWriter> write) {
    ProtocolWriter tight = new ProtocolWriter(buffer, FROM, FROM + room);
    assertThatThrownBy(() -> write.accept(tight)).isInstanceOf(BufferTooSmallException.class);
    assertThat(tight.position()).isEqualTo(FROM);
    tight.wrap(buffer, FROM, FROM + room + 1);
    write.accept(tight);
    assertThat(tight.remaining()).isZero();
  }

  @Test
  void nullableBytesAreSlicesOrNull() {
    writer.writeInt(2);
    writer.writeShort(0x0102);
    writer.writeInt(-1);
    writer.writeUnsignedVarint(3);
    writer.writeShort(0x0304);
    writer.writeUnsignedVarint(0);
    ProtocolReader r = written();
    assertThat(r.readNullableBytes()).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2}));
    assertThat(r.readNullableBytes()).isNull();
    assertThat(r.readCompactNullableBytes()).isEqualTo(ByteBuffer.wrap(new byte[] {3, 4}));
    assertThat(r.readCompactNullableBytes()).isNull();
  }

  @Test
  void unknownTaggedFieldsAreSkipped() {
    assertThat(reading("02" + "0001aa" + "0500" + "77")).satisfies(ProtocolReader::skipTaggedFields)
        .satisfies(r -> assertThat(r.readByte()).isEqualTo((byte) 0x77));
    assertThat(reading("00" + "77")).satisfies(ProtocolReader::skipTaggedFields)
        .satisfies(r -> assertThat(r.readByte()).isEqualTo((byte) 0x77));
  }

  @Test
  void lyingLengthsAndCountsAreMalformed() {
    assertMalformed("7fff61", ProtocolReader::readString);
    assertMalformed("ffff", ProtocolReader::readString);
    assertMalformed("fffe", ProtocolReader::readNullableString);
    assertMalformed("00", ProtocolReader::readCompactString);
    assertMalformed("0361", ProtocolReader::readCompactString);
    assertMalformed("ffffffff0f", ProtocolReader::readCompactNullableString);
    assertMalformed("8080808008", ProtocolReader::readCompactNullableString);
    assertMalformed("7fffffff00", ProtocolReader::readNullableBytes);
    assertMalformed("fffffffe", ProtocolReader::readNullableBytes);
    assertMalformed("ffffffff0700", ProtocolReader::readCompactNullableBytes);
    assertMalformed("7fffffff", r -> r.readArrayLength(1_000_000));
    assertMalformed("000000020000", r -> r.readArrayLength(2));
    assertMalformed("00000001", r -> r.readArrayLength(0));
    assertMalformed("fffffffe", r -> r.readArrayLength(1));
    assertMalformed("ffffffff0f", r -> r.readCompactArrayLength(1));
    assertMalformed("0200", r -> r.readCompactArrayLength(2));
    assertMalformed("ffffffff0f", ProtocolReader::skipTaggedFields);
    assertMalformed("0100", ProtocolReader::skipTaggedFields);
    assertMalformed("010002aa", ProtocolReader::skipTaggedFields);
    assertMalformed("0100ffffffff0f", ProtocolReader::skipTaggedFields);
    assertMalformed("00000000000000", ProtocolReader::readUuid);
  }

  /** The messages name the field, the position and the numbers: they are all that a log has of such a connection. */
  @Test
  void messagesOfMalformedBytesNameWhatWasAnnounced() {
    assertMessage("ffff", ProtocolReader::readString, "a string of length -1");
    assertMessage("fffe", ProtocolReader::readNullableString, "a nullable string of length -2");
    assertMessage("00", ProtocolReader::readCompactString, "a compact string of length -1");
    assertMessage("ffffffff0f", ProtocolReader::readCompactNullableString, "a compact nullable string of length -2");
    assertMessage("fffffffe", ProtocolReader::readNullableBytes, "a bytes of length -2");
    assertMessage("0361", ProtocolReader::readCompactString, "2 bytes announced at 8, 1 remain");
    assertMessage("00000000000000", ProtocolReader::readUuid, "16 bytes announced at 7, 7 remain");
    assertMessage("0200", r -> r.readCompactArrayLength(2),
        "an array of 1 elements of 2 bytes or more announced, 1 bytes remain");
    assertMessage("0100", ProtocolReader::skipTaggedFields, "1 tagged fields announced, 1 bytes remain");
    assertMessage("010002aa", ProtocolReader::skipTaggedFields, "2 bytes announced at 10, 1 remain");
  }

  @Test
  void countsThatFitAreAccepted() {
    assertThat(reading("0000000200000000").readArrayLength(2)).isEqualTo(2);
    assertThat(reading("ffffffff").readArrayLength(2)).isEqualTo(-1);
    assertThat(reading("030000").readCompactArrayLength(1)).isEqualTo(2);
    assertThat(reading("00").readCompactArrayLength(1)).isEqualTo(-1);
    assertThat(reading("01").readCompactArrayLength(1)).isZero();
  }

  @Test
  void uuidReadsAndPrintsTheBase64UrlForm() {
    Uuid uuid = new Uuid(0x0123456789abcdefL, 0xfedcba9876543210L);
    assertThat(uuid).hasToString("ASNFZ4mrze_-3LqYdlQyEA");
    assertThat(Uuid.fromString("ASNFZ4mrze_-3LqYdlQyEA")).isEqualTo(uuid);
    assertThat(Uuid.ZERO).hasToString("AAAAAAAAAAAAAAAAAAAAAA");
    assertThatThrownBy(() -> Uuid.fromString("AAAA")).isInstanceOf(IllegalArgumentException.class);
  }

  private static ProtocolReader reading(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length + 64);
    direct.put(FROM, bytes);
    return new ProtocolReader(direct, FROM, FROM + bytes.length);
  }

  private static void assertMalformed(String hex, Consumer<ProtocolReader> read) {
    ProtocolReader r = reading(hex);
    assertThatThrownBy(() -> read.accept(r)).as(hex).isInstanceOf(MalformedBytesException.class);
  }

  private static void assertMessage(String hex, Consumer<ProtocolReader> read, String message) {
    ProtocolReader r = reading(hex);
    assertThatThrownBy(() -> read.accept(r)).as(hex).isInstanceOf(MalformedBytesException.class).hasMessage(message);
  }
}
