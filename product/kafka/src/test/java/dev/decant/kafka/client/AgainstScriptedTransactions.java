package dev.decant.kafka.client;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.record.RecordBatchHeader;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/** The common parts of tests of transactions against a scripted broker. */
abstract class AgainstScriptedTransactions extends AgainstScriptedBroker {
  static final String ID = "payments";

  AgainstScriptedTransactions(Duration requestTimeout) {
    super(2, requestTimeout);
  }

  final Transactions open() throws InterruptedException {
    return client.transactions(ID).maxBlock(LATER).open();
  }

  /** Opens transactions with the coordinator of a cluster with this {@code transaction.version}. */
  final Transactions open(int version) throws InterruptedException {
    broker.state().transactionVersion(version);
    return open();
  }

  /** Opens a producer whose records with key "a" go to partition 0, and those with "b" to 1. */
  final Producer<String, String> producer(Transactions transactions) throws InterruptedException {
    return producer().partitioner((key, keyLength, partitions) -> key[0] - 'a').transactions(transactions)
        .retryBackoff(Duration.ofMillis(1), Duration.ofMillis(5)).open();
  }

  /** Returns the first batch of each Produce request. */
  final List<ByteBuffer> batches() {
    List<ByteBuffer> batches = new ArrayList<>();
    for (Request r : broker.requests(ApiKey.PRODUCE)) {
      batches.add(batch(r));
    }
    return batches;
  }

  /** Returns the first batch of a Produce request. */
  static ByteBuffer batch(Request produce) {
    return Objects.requireNonNull(produce.produce().topicData().getFirst().partitionData().getFirst().records());
  }

  static long producerId(ByteBuffer batch) {
    return batch.getLong(batch.position() + RecordBatchHeader.PRODUCER_ID);
  }

  static int sequence(ByteBuffer batch) {
    return batch.getInt(batch.position() + RecordBatchHeader.BASE_SEQUENCE);
  }

  /** Remembers failures. */
  static final class Failures implements SendListener {
    final List<KafkaException> all = new CopyOnWriteArrayList<>();

    @Override
    public void onAck(long tag, int partition, long offset, long timestamp) {}

    @Override
    public void onFailure(long tag, KafkaException error) {
      all.add(error);
    }
  }
}
