package dev.decant.lab.driver;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Consumes a whole topic with Apache's client, again and again. */
final class ApacheConsume implements Work {
  private static final Duration POLL = Duration.ofMillis(500);

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final List<TopicPartition> partitions = new ArrayList<>();
  private final long topicRecords;
  private final Touched touched = new Touched();

  ApacheConsume(WorkSpec spec) {
    topicRecords = spec.topicRecords();
    Map<String, Object> settings = Map.of("bootstrap.servers", spec.bootstrap(), "auto.offset.reset", "earliest",
        "enable.auto.commit", false, "fetch.max.wait.ms", WorkSpec.FETCH_MAX_WAIT_MILLIS);
    consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    for (int i = 0; i < spec.partitions(); i++) {
      partitions.add(new TopicPartition(spec.topic(), i));
    }
    consumer.assign(partitions);
  }

  @Override
  public long run(long records, long deadlineNanos) {
    long first = touched.count;
    while (touched.count - first < records && System.nanoTime() - deadlineNanos < 0) {
      long end = touched.count + topicRecords;
      consumer.seekToBeginning(partitions);
      while (touched.count < end) {
        long started = System.nanoTime();
        ConsumerRecords<byte[], byte[]> polled = consumer.poll(POLL);
        for (ConsumerRecord<byte[], byte[]> record : polled) {
          byte[] value = record.value();
          touched.value(value.length, value[0], value[value.length - 1]);
        }
        if (!polled.isEmpty()) {
          touched.onPolled(started);
        }
      }
    }
    return touched.count - first;
  }

  @Override
  public long progress() {
    return touched.shown();
  }

  @Override
  public long checksum() {
    return touched.sum;
  }

  @Override
  public Histogram latency() {
    return touched.pollTimes;
  }

  @Override
  public void close() {
    consumer.close();
  }
}
