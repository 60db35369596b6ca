package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The bytes per record on the polling thread and the I/O thread together: the objects of Apache's interface, and very
 * little else. The least of many rounds, by the runtime's own counters.
 */
@Tag("allocation")
class ConsumerAllocationTest extends ReadsFromBroker {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int VALUE_BYTES = 100;
  private static final int RECORDS = 20_000;
  private static final int ROUNDS = 30;
  /**
   * On a JVM with compressed references: ConsumerRecord 72, RecordHeaders and its list 24 each, and the value's array
   * 120. Its place in a list of 500 costs 4 to 8 bytes, and the poll that makes the list the rest.
   */
  private static final int OBJECTS_OF_A_RECORD = 72 + 24 + 24 + 16 + VALUE_BYTES + 4;
  private static final int BOUND = OBJECTS_OF_A_RECORD + 16;

  @Test
  void recordCostsTheObjectsOfApachesInterface() {
    String topic = topic(1);
    try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
        Map.of("bootstrap.servers", bootstrap()), new ByteArraySerializer(), new ByteArraySerializer())) {
      for (int i = 0; i < RECORDS; i++) {
        var unused = producer.send(new ProducerRecord<>(topic, 0, null, new byte[VALUE_BYTES]));
      }
    }
    Map<String, Object> settings = settings("classic", fresh("group"));
    settings.put("client.id", "allocation");
    TopicPartition only = new TopicPartition(topic, 0);
    long least = Long.MAX_VALUE;
    try (DecantConsumer<byte[], byte[]> consumer = new DecantConsumer<>(settings, new ByteArrayDeserializer(),
        new ByteArrayDeserializer())) {
      consumer.assign(List.of(only));
      long ioThread = Thread.getAllStackTraces().keySet().stream().filter(t -> t.getName().equals("decant-allocation"))
          .findFirst().orElseThrow().threadId();
      for (int round = 0; round < ROUNDS; round++) {
        consumer.seek(only, 0);
        long before = THREADS.getCurrentThreadAllocatedBytes() + THREADS.getThreadAllocatedBytes(ioThread);
        readAll(consumer);
        long after = THREADS.getCurrentThreadAllocatedBytes() + THREADS.getThreadAllocatedBytes(ioThread);
        least = Math.min(least, (after - before) / RECORDS);
      }
    }
    assertThat(least).as("bytes per record").isLessThanOrEqualTo(BOUND);
  }

  private static void readAll(DecantConsumer<byte[], byte[]> consumer) {
    int count = 0;
    long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (count < RECORDS) {
      assertThat(deadline - System.nanoTime()).isPositive();
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(1))) {
        count += record.value().length == VALUE_BYTES ? 1 : 0;
      }
    }
  }
}
