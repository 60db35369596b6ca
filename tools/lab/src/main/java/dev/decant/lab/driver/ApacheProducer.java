package dev.decant.lab.driver;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/**
 * A producer by Apache's interface. One callback serves all records without a tag: one for each would be garbage that
 * the client did not make.
 */
final class ApacheProducer implements MeasuredProducer, Callback {
  private final Producer<byte[], byte[]> producer;
  private final String[] topics;
  /** The first topic, for the works that write to one only. */
  private final String topic;
  private final Outcomes outcomes;
  private final @Nullable Callback watcher;
  // Written by the producer's I/O thread, read by the caller after it has waited for the record.
  private volatile long resultNanos;

  ApacheProducer(WorkSpec spec, Outcomes outcomes, boolean watched) {
    this.outcomes = outcomes;
    topics = spec.topics().names().toArray(String[]::new);
    topic = topics[0];
    // runs on the producer's I/O thread just before the record's future completes
    watcher = watched ? (metadata, error) -> resultNanos = System.nanoTime() : null;
    Map<String, Object> settings = spec.clientSettings();
    settings.putAll(spec.producer());
    boolean transactional = spec.work().isTransactional();
    if (transactional) {
      settings.put("transactional.id", topic);
    }
    producer = ApacheClients.producer(spec, settings);
    if (transactional) {
      producer.initTransactions();
    }
    if (topics.length > 1) {
      awaitMetadata();
    }
  }

  /**
   * Fetches the partitions of all topics at once. A producer fetches metadata once in {@code retry.backoff.ms}, so the
   * first records to 1,000 topics, one after another, would take 100 s.
   */
  private void awaitMetadata() {
    List<Thread> asking = Arrays.stream(topics)
        .map(each -> Thread.startVirtualThread(() -> producer.partitionsFor(each))).toList();
    try {
      for (Thread thread : asking) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the producer was waiting for its topics", e);
    }
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // the callback takes failures
  public void send(int number, byte[] value, long tag) {
    producer.send(new ProducerRecord<>(topics[number], value), tag == 0 ? this : new Tagged(tag));
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // the callback takes failures
  public void sendTo(int partition, byte[] value) {
    producer.send(new ProducerRecord<>(topic, partition, null, value), this);
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // the callback takes failures
  public void sendWithKey(byte[] key, byte[] value) {
    producer.send(new ProducerRecord<>(topic, key, value), this);
  }

  @Override
  public void sendAndWait(byte[] value, long pollMillis) throws Exception {
    Future<RecordMetadata> result = producer.send(new ProducerRecord<>(topic, value), watcher);
    while (pollMillis > 0 && !result.isDone()) {
      Thread.sleep(pollMillis);
    }
    result.get();
  }

  @Override
  public void begin() {
    producer.beginTransaction();
  }

  @Override
  public void commit() {
    producer.commitTransaction();
  }

  private final class Tagged implements Callback {
    private final long tag;

    Tagged(long tag) {
      this.tag = tag;
    }

    @Override
    public void onCompletion(RecordMetadata metadata, @Nullable Exception error) {
      complete(tag, error);
    }
  }

  @Override
  public void onCompletion(RecordMetadata metadata, @Nullable Exception error) {
    complete(0, error);
  }

  private void complete(long tag, @Nullable Exception error) {
    if (error == null) {
      outcomes.onAcked(tag);
    } else {
      outcomes.onFailed(error);
    }
  }

  @Override
  public long resultNanos() {
    return resultNanos;
  }

  @Override
  public void flush() {
    producer.flush();
  }

  @Override
  public void close() {
    producer.close();
  }
}
