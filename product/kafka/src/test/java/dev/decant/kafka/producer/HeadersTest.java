package dev.decant.kafka.producer;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.decant.buffer.BytesWriter;
import dev.decant.kafka.record.RecordWriter;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HeadersTest {
  private final Headers headers = new Headers();

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] expected(String key, byte @Nullable [] value) {
    ByteBuffer buffer = ByteBuffer.allocate(10_000);
    BytesWriter writer = new BytesWriter().wrap(buffer, 0, buffer.capacity());
    RecordWriter.writeHeader(writer, key, value);
    return Arrays.copyOf(buffer.array(), writer.position());
  }

  private byte[] encoded() {
    return Arrays.copyOf(headers.encoded(), headers.sizeInBytes());
  }

  @Test
  void textIsSentAsUtf8() {
    for (String text : new String[] {"", "plain", "x".repeat(63), "x".repeat(64), "é", "ab\u20accd",
        "a".repeat(200) + "\ud83d\ude00"}) {
      assertThat(encodedOf(text)).as(text).isEqualTo(expected(text, utf8(text)));
    }
  }

  private byte[] encodedOf(String text) {
    headers.clear().addText(text, text);
    assertThat(headers.count()).isEqualTo(1);
    return encoded();
  }

  @Test
  void keysThatAreNotAsciiGoWithBytesAndNullToo() {
    headers.add("schlüssel", new byte[] {1, 2, 3});
    assertThat(encoded()).isEqualTo(expected("schlüssel", new byte[] {1, 2, 3}));
    headers.clear().add("none", null);
    assertThat(encoded()).isEqualTo(expected("none", null));
  }

  @Test
  void headersFollowEachOther() {
    headers.addText("a", "1").add("b", utf8("2")).addText("ü", "3");
    assertThat(headers.count()).isEqualTo(3);
    assertThat(headers.sizeInBytes()).isEqualTo(
        expected("a", utf8("1")).length + expected("b", utf8("2")).length + expected("ü", utf8("3")).length);
  }

  @Test
  void textAllocatesNothing() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int run = 0; run < 60; run++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 500; i++) {
        headers.clear().addText("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertThat(least).isZero();
  }
}
