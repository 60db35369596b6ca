package dev.decant.lab.driver;

import java.util.HashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Produces with Apache's client. One callback serves all records but the sampled ones, so that it costs no garbage. */
final class ApacheProduce implements Work, Callback {
  private final KafkaProducer<byte[], byte[]> producer;
  private final String topic;
  private final Payloads payloads;
  private final AckTimes times = new AckTimes();
  private long sent;

  ApacheProduce(WorkSpec spec) {
    topic = spec.topic();
    payloads = new Payloads(spec.recordSizeBytes(), spec.seed());
    Map<String, Object> settings = new HashMap<>();
    settings.put("bootstrap.servers", spec.bootstrap());
    settings.put("acks", spec.acks());
    settings.put("enable.idempotence", spec.acks().equals("all"));
    settings.put("linger.ms", spec.lingerMillis());
    settings.put("batch.size", spec.batchSizeBytes());
    producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // the callback hears of failures
  public long run(long records, long deadlineNanos) {
    long first = sent;
    for (long end = first + records; sent < end; sent++) {
      Callback callback = this;
      if (times.isSampled(sent)) {
        if (System.nanoTime() - deadlineNanos >= 0) {
          break;
        }
        times.onSent(sent);
        callback = new Sampled(sent);
      }
      producer.send(new ProducerRecord<>(topic, payloads.at(sent)), callback);
    }
    producer.flush();
    times.check();
    return sent - first;
  }

  private final class Sampled implements Callback {
    private final long record;

    Sampled(long record) {
      this.record = record;
    }

    @Override
    public void onCompletion(RecordMetadata metadata, @Nullable Exception error) {
      acked(record, error);
    }
  }

  @Override
  public void onCompletion(RecordMetadata metadata, @Nullable Exception error) {
    acked(1, error); // any number that is not sampled
  }

  private void acked(long record, @Nullable Exception error) {
    if (error == null) {
      times.onAcked(record);
    } else {
      times.onFailed(error);
    }
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
  }
}
