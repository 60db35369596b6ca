package dev.decant.kafka.consumer;

import dev.decant.kafka.record.RecordBatchReader;
import dev.decant.kafka.serialization.Decoder;
import dev.decant.kafka.serialization.Serde;
import dev.decant.kafka.serialization.Serdes;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Makes the views that a {@link RecordHandler} takes, from records of the application: for unit tests of handlers
 * without a broker, and for handling a copy again. Keys and values are encoded in the format of a broker, so all
 * methods of a view work.
 *
 * <pre>
 * ConsumerRecordFactory&lt;String, String&gt; records = ConsumerRecordFactory.of(Serdes.string(), Serdes.string());
 * handler.onRecord(records.create(OwnedRecord.of("orders", "key", "value").at(2, 17)));
 * </pre>
 *
 * <p>Thread-safe. A view belongs to one thread at a time. Each call allocates.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
public final class ConsumerRecordFactory<K, V> {
  private final Serde<K> keys;
  private final Serde<V> values;

  private ConsumerRecordFactory(Serde<K> keys, Serde<V> values) {
    this.keys = Objects.requireNonNull(keys, "keys");
    this.values = Objects.requireNonNull(values, "values");
  }

  /**
   * Creates a factory.
   *
   * @param <K> type of keys
   * @param <V> type of values
   * @param keys encodes keys, and decodes them in {@link ConsumerRecord#key}
   * @param values encodes values, and decodes them in {@link ConsumerRecord#value}
   * @return the factory
   */
  public static <K, V> ConsumerRecordFactory<K, V> of(Serde<K> keys, Serde<V> values) {
    return new ConsumerRecordFactory<>(keys, values);
  }

  /**
   * Makes a view of one record. Without a poll it does not expire; {@link #deliver} makes views that do.
   *
   * @param record has the topic, partition, offset, timestamp, key, value and headers of the view
   * @return the view
   */
  public ConsumerRecord<K, V> create(OwnedRecord<K, V> record) {
    return new View<>(keys, values).show(record, keys, values);
  }

  /**
   * Makes a view of bytes that this factory's serdes have not written, such as those of a record that cannot be
   * decoded: {@link ConsumerRecord#key} and {@link ConsumerRecord#value} then throw a {@link BadRecordException}.
   *
   * @param record with the bytes of key and value
   * @return the view, which does not expire
   */
  public ConsumerRecord<K, V> createFromBytes(OwnedRecord<byte[], byte[]> record) {
    return new View<>(keys, values).show(record, Serdes.bytes(), Serdes.bytes());
  }

  /**
   * Delivers records to a handler as one poll does. All records use the same view, which expires at the end. A test
   * therefore finds a handler that keeps the view instead of a {@link ConsumerRecord#copy}: reading it fails with an
   * {@link IllegalStateException}.
   *
   * @param records in their order
   * @param handler called for each record on this thread; its exceptions pass through
   * @throws InterruptedException if the handler throws it
   */
  public void deliver(Iterable<OwnedRecord<K, V>> records, RecordHandler<K, V> handler) throws InterruptedException {
    Objects.requireNonNull(handler, "handler");
    View<K, V> view = new View<>(keys, values);
    try {
      for (OwnedRecord<K, V> record : records) {
        handler.onRecord(view.show(record, keys, values));
      }
    } finally {
      view.record.current(false);
    }
  }

  /** A view with the reader below it. */
  private static final class View<K, V> {
    final ConsumerRecord<K, V> record;
    private final RecordBatchReader reader = new RecordBatchReader();

    View(Decoder<K> keys, Decoder<V> values) {
      record = new ConsumerRecord<>(reader, keys, values);
    }

    <A, B> ConsumerRecord<K, V> show(OwnedRecord<A, B> shown, Serde<A> keyEncoder, Serde<B> valueEncoder) {
      ByteBuffer batch = SingleRecordBatch.encode(shown, keyEncoder, valueEncoder);
      reader.wrap(batch, 0, batch.capacity());
      if (!reader.nextBatch() || !reader.nextRecord()) {
        throw new IllegalStateException("a batch without its record");
      }
      record.in(new AssignedPartition(shown.topic(), shown.partition()));
      record.current(true);
      return record;
    }
  }
}
