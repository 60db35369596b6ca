package dev.decant.kafka.serialization;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.decant.buffer.BytesReader;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RecentStringsTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private static BytesReader reader(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length + 3).put(3, bytes);
    return new BytesReader().wrap(direct, 3, 3 + bytes.length);
  }

  @Test
  void sameBytesGiveTheSameString() {
    Serde<String> strings = Serdes.recentStrings(16);
    String first = strings.decode(reader("meter-17"));
    assertThat(strings.decode(reader("meter-17"))).isSameAs(first).isEqualTo("meter-17");
  }

  @Test
  void whatIsReadIsWhatTheBytesSayWhateverShareOfItIsKnown() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Serde<String> strings = Serdes.recentStrings(8);
    for (int i = 0; i < 20_000; i++) {
      StringBuilder text = new StringBuilder();
      int length = random.nextInt(80);
      for (int j = 0; j < length; j++) {
        text.appendCodePoint(random.nextInt(10) == 0 ? 0x20AC : 'a' + random.nextInt(2));
      }
      BytesReader in = reader(text.toString());
      assertThat(strings.decode(in)).as("seed %d", seed).isEqualTo(text.toString());
      assertThat(in.remaining()).as("seed %d", seed).isZero();
    }
  }

  @Test
  void onlyANumberOfPlacesThatCanBeIsAccepted() {
    assertThatThrownBy(() -> Serdes.recentStrings(0)).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("recentStrings: 0 values");
    assertThat(Serdes.recentStrings(1).decode(reader("a"))).isEqualTo("a");
  }

  @Test
  void stringThatIsKnownCostsNothing() {
    Serde<String> strings = Serdes.recentStrings(4);
    ByteBuffer direct = ByteBuffer.allocateDirect(20).put(0, "a-key-of-20-bytes-xx".getBytes(StandardCharsets.UTF_8));
    BytesReader in = new BytesReader();
    long least = Long.MAX_VALUE;
    int lengths = 0;
    for (int run = 0; run < 50 && least > 0; run++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 10_000; i++) {
        lengths += strings.decode(in.wrap(direct, 0, 20)).length();
      }
      least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
    }
    assertThat(least).isZero();
    assertThat(lengths).isPositive();
  }
}
