package dev.decant.kafka.consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.record.TimestampType;
import dev.decant.kafka.serialization.Serdes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests that a record of another client is shown with all its parts, and can be copied like any other. */
class ImportedRecordTest {
  private static final TopicPartition ID = new TopicPartition("orders", 3);

  private final ImportedRecord<String, String> imported = new ImportedRecord<>(Serdes.string(), Serdes.string());

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void theViewHasAllThatTheRecordHas() {
    ConsumerRecord<String, String> view = imported.at(ID, 1L << 40, 7).timestamp(1_700_000_000_123L,
        TimestampType.LOG_APPEND_TIME).header("a", bytes("1")).header("b", null).header("a", bytes("é"))
        .show(bytes("key"), bytes("value"));

    assertThat(view.topic()).isEqualTo("orders");
    assertThat(view.partition()).isEqualTo(3);
    assertThat(view.offset()).isEqualTo(1L << 40);
    assertThat(view.leaderEpoch()).isEqualTo(7);
    assertThat(view.timestamp()).isEqualTo(1_700_000_000_123L);
    assertThat(view.timestampType()).isEqualTo(TimestampType.LOG_APPEND_TIME);
    assertThat(view.key()).isEqualTo("key");
    assertThat(view.value()).isEqualTo("value");
    assertThat(view.headerCount()).isEqualTo(3);
    assertThat(view.headerText("a")).isEqualTo("é");
    assertThat(view.header("b")).isNull();
  }

  @Test
  void aRecordWithoutAnythingFollowsOneWithEverything() {
    ConsumerRecord<String, String> first = imported.at(ID, 0, 1).timestamp(5, TimestampType.LOG_APPEND_TIME)
        .header("a", bytes("1")).show(bytes("key"), bytes("value"));
    ConsumerRecord<String, String> view = imported.at(new TopicPartition("bills", 0), 1, -1).show(null, null);

    assertThat(view).isSameAs(first);
    assertThat(view.topic()).isEqualTo("bills");
    assertThat(view.key()).isNull();
    assertThat(view.value()).isNull();
    assertThat(view.headers()).isEmpty();
    assertThat(view.leaderEpoch()).isEqualTo(-1);
    assertThat(view.timestamp()).isEqualTo(-1);
    assertThat(view.timestampType()).isEqualTo(TimestampType.CREATE_TIME);
  }

  @Test
  void aCopyOutlivesTheView() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<CopiedRecord<String, String>> copies = new ArrayList<>();
    List<byte[]> values = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      byte[] value = random.nextInt(5) == 0 ? null : new byte[random.nextInt(20_000)];
      if (value != null) {
        random.nextBytes(value);
      }
      imported.at(ID, i, 0).timestamp(random.nextLong(-1, Long.MAX_VALUE), TimestampType.CREATE_TIME);
      for (int h = random.nextInt(4); h > 0; h--) {
        imported.header("h" + h, value);
      }
      ConsumerRecord<String, String> view = imported.show(bytes("key-" + i), value);
      CopiedRecord<String, String> copy = new CopiedRecord<>(Serdes.string(), Serdes.string());
      copy.take(view, ByteBuffer.allocate(CopiedRecord.bytesOf(view)), 0);
      copies.add(copy);
      values.add(value);
    }
    for (int i = 0; i < copies.size(); i++) {
      ConsumerRecord<String, String> record = copies.get(i).record();
      assertThat(record.offset()).as("seed %s", seed).isEqualTo(i);
      assertThat(record.key()).as("seed %s", seed).isEqualTo("key-" + i);
      assertThat(record.valueBytesCopy()).as("seed %s, record %s", seed, i).isEqualTo(values.get(i));
    }
  }

  @Test
  void theViewExpiresWhenTheNextRecordBegins() {
    ConsumerRecord<String, String> view = imported.at(ID, 0, 0).show(null, bytes("a"));
    imported.at(ID, 1, 0);

    assertThatThrownBy(view::value).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> imported.at(ID, -1, 0)).isInstanceOf(IllegalArgumentException.class)
        .hasMessage("offset: -1 is negative");
  }
}
