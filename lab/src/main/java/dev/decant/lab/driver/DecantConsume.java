package dev.decant.lab.driver;

import dev.decant.kafka.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.consumer.RecordHandler;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/** Consumes a whole topic with Decant, again and again. */
final class DecantConsume implements Work {
  private static final Duration POLL = Duration.ofMillis(500);

  private final KafkaClient client;
  private final Consumer<byte[], byte[]> consumer;
  private final long topicRecords;
  private final Touched touched = new Touched();
  private final RecordHandler<byte[], byte[]> handler;

  DecantConsume(WorkSpec spec) throws InterruptedException {
    topicRecords = spec.topicRecords();
    client = KafkaClient.connect(spec.bootstrap());
    consumer = client.consumer(Serdes.bytes(), Serdes.bytes()).offsetReset(OffsetReset.EARLIEST)
        .fetchMaxWait(Duration.ofMillis(WorkSpec.FETCH_MAX_WAIT_MILLIS)).open();
    consumer.assign(spec.topic(), IntStream.range(0, spec.partitions()).toArray());
    handler = record -> {
      int length = record.valueLength();
      touched.value(length, record.valueByte(0), record.valueByte(length - 1));
    };
  }

  @Override
  public long run(long records, long deadlineNanos) throws InterruptedException {
    long first = touched.count;
    while (touched.count - first < records && System.nanoTime() - deadlineNanos < 0) {
      long end = touched.count + topicRecords;
      consumer.seekToBeginning();
      while (touched.count < end) {
        long started = System.nanoTime();
        if (consumer.poll(POLL, handler) > 0) {
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
    client.close();
  }
}
