package dev.decant.kafka.serialization;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.buffer.BytesReader;
import dev.decant.buffer.BytesWriter;
import dev.decant.buffer.MalformedBytesException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.apache.kafka.common.serialization.DoubleSerializer;
import org.apache.kafka.common.serialization.IntegerSerializer;
import org.apache.kafka.common.serialization.LongSerializer;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.serialization.UUIDSerializer;
import org.junit.jupiter.api.Test;

class SerdesTest {

  private static <T> byte[] encode(Encoder<? super T> encoder, T value) {
    BytesWriter out = new BytesWriter().wrap(ByteBuffer.allocateDirect(1024), 0, 1024);
    encoder.encode(value, out);
    byte[] bytes = new byte[out.position()];
    out.buffer().get(0, bytes);
    return bytes;
  }

  private static <T> T decode(Decoder<T> decoder, byte[] bytes) {
    BytesReader in = new BytesReader().wrap(ByteBuffer.wrap(bytes), 0, bytes.length);
    T value = decoder.decode(in);
    assertThat(in.remaining()).as("all bytes are read").isZero();
    return value;
  }

  private static <T> void sameAsApache(Serde<T> ours, Serializer<T> theirs, List<T> values) {
    try (theirs) {
      for (T value : values) {
        byte[] bytes = encode(ours, value);
        assertThat(bytes).as("%s", value).isEqualTo(theirs.serialize("t", value));
        assertThat(decode(ours, bytes)).isEqualTo(value);
      }
    }
  }

  @Test
  void numbersTextAndUuidsAreThoseOfApachesSerializers() {
    sameAsApache(Serdes.longs(), new LongSerializer(),
        List.of(0L, -1L, Long.MIN_VALUE, Long.MAX_VALUE, 0x0102030405060708L));
    sameAsApache(Serdes.ints(), new IntegerSerializer(),
        List.of(0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, 0x01020304));
    sameAsApache(Serdes.doubles(), new DoubleSerializer(), List.of(0.0, -0.0, Math.PI, Double.NaN, Double.MIN_VALUE));
    sameAsApache(Serdes.string(), new StringSerializer(), List.of("", "plain", "gr\u00fc\u00df \u20ac \ud83d\ude00"));
    sameAsApache(Serdes.uuid(), new UUIDSerializer(), List.of(new UUID(0, 0), new UUID(-1, -1),
        new UUID(0x0123456789abcdefL, 0xfedcba9876543210L)));
  }

  @Test
  void memoryIsTakenAsItIsAndGivenBackAsACopy() {
    byte[] bytes = "eleven byte".getBytes(StandardCharsets.US_ASCII);
    ByteBuffer buffer = ByteBuffer.wrap(bytes).position(3);
    assertThat(encode(Serdes.byteBuffer(), buffer)).isEqualTo("ven byte".getBytes(StandardCharsets.US_ASCII));
    assertThat(buffer.position()).as("the buffer may be sent again").isEqualTo(3);

    byte[] fetched = bytes.clone();
    ByteBuffer buffered = decode(Serdes.byteBuffer(), fetched);
    byte[] array = decode(Serdes.bytes(), fetched);
    fetched[0] = 0;
    assertThat(buffered).isEqualTo(ByteBuffer.wrap(bytes));
    assertThat(array).isEqualTo(bytes);
  }

  @Test
  void functionsToAndFromBytesAreAdapted() {
    Encoder<StringBuilder> encoder = Encoder.ofBytes(text -> text.toString().getBytes(StandardCharsets.UTF_8));
    Decoder<Integer> decoder = Decoder.ofBytes(bytes -> bytes.length);
    assertThat(encode(encoder, new StringBuilder("abc"))).containsExactly('a', 'b', 'c');
    assertThat(decode(decoder, new byte[7])).isEqualTo(7);
  }

  @Test
  void bytesThatAreNoValueAreRefusedByName() {
    assertThatThrownBy(() -> decode(Serdes.longs(), new byte[7])).isInstanceOf(MalformedBytesException.class)
        .hasMessage("not a long, which has 8 bytes: here are 7");
    assertThatThrownBy(() -> decode(Serdes.ints(), new byte[5]))
        .hasMessage("not an int, which has 4 bytes: here are 5");
    assertThatThrownBy(() -> decode(Serdes.doubles(), new byte[0]))
        .hasMessage("not a double, which has 8 bytes: here are 0");
    assertThatThrownBy(() -> decode(Serdes.uuid(), new byte[16])).isInstanceOf(MalformedBytesException.class)
        .hasMessage("a UUID has 36 characters, here are 16");
    byte[] text = "0123456789abcdef-0123456789abcdef-xx".getBytes(StandardCharsets.US_ASCII);
    assertThatThrownBy(() -> decode(Serdes.uuid(), text)).isInstanceOf(MalformedBytesException.class)
        .hasMessage("\"0123456789abcdef-0123456789abcdef-xx\" is no UUID");
  }

  @Test
  void anEncoderAndADecoderMakeASerde() {
    Serde<Integer> serde = Serde.of(Encoder.ofBytes(value -> new byte[] {value.byteValue()}),
        Decoder.ofBytes(bytes -> (int) bytes[0]));

    assertThat(encode(serde, 7)).containsExactly(7);
    assertThat(decode(serde, new byte[] {9})).isEqualTo(9);
  }
}
