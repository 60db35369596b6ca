package dev.decant.kafka.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.consumer.ConsumerRecordFactory;
import dev.decant.kafka.consumer.OwnedRecord;
import dev.decant.kafka.serialization.Serdes;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Any client may write to a retry topic: whatever its headers are, a record has a valid origin. */
class RetryHeadersTest {
  private static final int ROUNDS = 20_000;
  private static final List<String> NAMES = List.of("retry.topic", "retry.partition", "retry.offset",
      "retry.timestamp", "retry.attempts", "retry.due", "retry.table", "kafka_original-topic",
      "kafka_original-partition", "kafka_original-offset", "kafka_original-timestamp", "kafka_original-timestamp-type",
      "retry_topic-attempts", "retry_topic-backoff-timestamp");
  private static final List<String> TEXTS = List.of("", "0", "7", "-1", "12345678901234567890", "9223372036854775807",
      "ffffffffffffffff", " 1", "1e9", "x".repeat(300), "\u0000", "٣");

  @Test
  void anyHeadersGiveAnOriginThatMakesSense() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    ConsumerRecordFactory<String, String> factory = ConsumerRecordFactory.of(Serdes.string(), Serdes.string());
    int own = 0;
    for (int round = 0; round < ROUNDS; round++) {
      OwnedRecord<String, String> record = OwnedRecord.of("orders-retry-1", "key", "value").at(2, 5);
      for (String name : NAMES) {
        switch (random.nextInt(4)) {
          case 0 -> record = record.withHeader(name, bytes(random));
          case 1 -> record = record.withHeaderText(name, TEXTS.get(random.nextInt(TEXTS.size())));
          case 2 -> record = record.withHeader(name, null);
          default -> {
            // a header that is not there
          }
        }
      }
      Origin origin = RetryHeaders.read(factory.create(record));
      String what = "seed " + seed + " round " + round + ": " + origin;
      assertThat(origin.topic()).as(what).isNotEmpty().hasSizeLessThanOrEqualTo(249);
      assertThat(origin.partition()).as(what).isNotNegative();
      assertThat(origin.offset()).as(what).isNotNegative();
      assertThat(origin.timestamp()).as(what).isNotNegative();
      assertThat(origin.attempts()).as(what).isBetween(0, 1_000_000);
      assertThat(origin.dueMillis()).as(what).isNotNegative();
      own += origin.topic().equals("orders-retry-1") ? 0 : 1;
    }
    assertThat(own).as("some headers are believed").isPositive();
  }

  private static byte[] bytes(Random random) {
    byte[] bytes = new byte[random.nextInt(12)];
    random.nextBytes(bytes);
    return random.nextInt(4) == 0 ? "orders".getBytes(StandardCharsets.UTF_8) : bytes;
  }
}
