package dev.decant.lab.driver;

import dev.decant.kafka.KafkaClient;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.producer.Acks;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import org.HdrHistogram.Histogram;

/** Produces with Decant. */
final class DecantProduce implements Work, SendListener {
  private static final Duration FLUSH_TIMEOUT = Duration.ofSeconds(60);

  private final KafkaClient client;
  private final Producer<byte[], byte[]> producer;
  private final Payloads payloads;
  private final AckTimes times = new AckTimes();
  private long sent;

  DecantProduce(WorkSpec spec) throws InterruptedException {
    payloads = new Payloads(spec.recordSizeBytes(), spec.seed());
    client = KafkaClient.connect(spec.bootstrap());
    producer = client.producer(Serdes.bytes(), Serdes.bytes()).topic(spec.topic()).acks(acks(spec.acks()))
        .idempotence(spec.acks().equals("all")).linger(Duration.ofMillis(spec.lingerMillis()))
        .batchSize(spec.batchSizeBytes()).open();
  }

  private static Acks acks(String name) {
    return switch (name) {
      case "0" -> Acks.NONE;
      case "1" -> Acks.LEADER;
      default -> Acks.ALL;
    };
  }

  @Override
  public long run(long records, long deadlineNanos) throws InterruptedException {
    long first = sent;
    for (long end = first + records; sent < end; sent++) {
      if (times.isSampled(sent)) {
        if (System.nanoTime() - deadlineNanos >= 0) {
          break;
        }
        times.onSent(sent);
      }
      producer.send(null, payloads.at(sent), sent, this);
    }
    if (!producer.flush(FLUSH_TIMEOUT)) {
      throw new IllegalStateException("the producer could not be flushed within " + FLUSH_TIMEOUT);
    }
    times.check();
    return sent - first;
  }

  @Override
  public void onAck(long tag, int partition, long offset, long timestamp) {
    times.onAcked(tag);
  }

  @Override
  public void onFailure(long tag, KafkaException error) {
    times.onFailed(error);
  }

  @Override
  public long progress() {
    return times.count();
  }

  @Override
  public long checksum() {
    return sent;
  }

  @Override
  public Histogram latency() {
    return times.histogram;
  }

  @Override
  public void close() {
    producer.close();
    client.close();
  }
}
