package dev.decant.lab.driver;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.event.ProducerListener;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.ProducerBuilder;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Decant's producers: one for each topic, on one client. */
final class DecantProducer implements MeasuredProducer, SendListener, ProducerListener {
  private static final Duration FLUSH_TIMEOUT = Duration.ofSeconds(60);

  private final KafkaClient client;
  private final List<Producer<byte[], byte[]>> producers;
  /** The first topic's producer, for the works that write to one topic only. */
  private final Producer<byte[], byte[]> producer;
  private final @Nullable Transactions transactions;
  private final Outcomes outcomes;
  private final SendOptions options = new SendOptions();
  // Written by the owner of the loop, read by the caller after it has waited for the record.
  private volatile long resultNanos;

  DecantProducer(WorkSpec spec, Outcomes outcomes, boolean watched) throws InterruptedException {
    this.outcomes = outcomes;
    client = DecantClients.builder(spec).clientId("producer").build();
    try {
      if (watched) {
        client.events().watchProducers(this);
      }
      transactions = spec.work().isTransactional() ? client.transactions(spec.topic()).open() : null;
      List<Producer<byte[], byte[]>> opened = new ArrayList<>();
      for (String topic : spec.topics().names()) {
        ProducerBuilder<byte[], byte[]> opening = client.producer(Serdes.bytes(), Serdes.bytes()).topic(topic)
            .properties(spec.producer());
        opened.add(transactions == null ? opening.open() : opening.transactions(transactions).open());
      }
      producers = opened;
      producer = opened.getFirst();
    } catch (RuntimeException e) {
      client.close();
      throw e;
    }
  }

  @Override
  public void send(int topic, byte[] value, long tag) {
    producers.get(topic).send(null, value, tag, this);
  }

  @Override
  public void sendTo(int partition, byte[] value) {
    producer.send(null, value, options.partition(partition), 0, this);
  }

  @Override
  public void sendWithKey(byte[] key, byte[] value) {
    producer.send(key, value, 0, this);
  }

  @Override
  public void sendAndWait(byte[] value, long pollMillis) throws InterruptedException {
    producer.sendAndWait(null, value);
  }

  private Transactions transactions() {
    return Objects.requireNonNull(transactions, "opened for another work");
  }

  @Override
  public void begin() {
    transactions().begin();
  }

  @Override
  public void commit() throws InterruptedException {
    transactions().commit(FLUSH_TIMEOUT);
  }

  @Override
  public void onAck(long tag, int partition, long offset, long timestamp) {
    outcomes.onAcked(tag);
  }

  @Override
  public void onFailure(long tag, KafkaException error) {
    outcomes.onFailed(error);
  }

  @Override
  public void onBatchAcknowledged(String topic, int partition, long baseOffset, int records, int bytes, long nanos) {
    resultNanos = System.nanoTime();
  }

  @Override
  public long resultNanos() {
    return resultNanos;
  }

  @Override
  public void flush() throws InterruptedException {
    for (int i = 0; i < producers.size(); i++) { // an iterator would count among the bytes that the client allocates
      if (!producers.get(i).flush(FLUSH_TIMEOUT)) {
        throw new IllegalStateException("the producer could not be flushed within " + FLUSH_TIMEOUT);
      }
    }
  }

  @Override
  public void close() {
    producers.forEach(Producer::close);
    if (transactions != null) {
      transactions.close();
    }
    client.close();
  }
}
