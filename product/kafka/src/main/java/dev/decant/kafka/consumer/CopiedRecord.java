package dev.decant.kafka.consumer;

import dev.decant.kafka.record.RecordBatchReader;
import dev.decant.kafka.serialization.Decoder;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A copy of a record's bytes in memory of the caller's, and a view of it that outlives the poll: for who works on
 * records on other threads and does not want an object for each. The view is the same object for every record that is
 * taken, and is decoded where it is asked for its key or value.
 *
 * <p>One thread at a time; whoever hands it to another thread publishes it safely.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
public final class CopiedRecord<K, V> {
  private final RecordBatchReader reader = new RecordBatchReader();
  private final ConsumerRecord<K, V> view;

  /**
   * Creates a copy of nothing yet.
   *
   * @param keys reads keys, on the thread that asks for one
   * @param values the same for values
   */
  public CopiedRecord(Decoder<? extends K> keys, Decoder<? extends V> values) {
    view = new ConsumerRecord<>(reader, Objects.requireNonNull(keys, "keys"),
        Objects.requireNonNull(values, "values"));
  }

  /**
   * The memory that a copy takes.
   *
   * @param record the view in the handler that it was given to
   * @return bytes
   */
  public static int bytesOf(ConsumerRecord<?, ?> record) {
    return Objects.requireNonNull(record, "record").reader().copyBytes();
  }

  /**
   * Copies a record. The view shows this one from now on.
   *
   * @param record the view in the handler that it was given to
   * @param memory a big-endian buffer, which must not change as long as the copy is read
   * @param at index in it of the copy, with room for {@link #bytesOf}
   */
  public void take(ConsumerRecord<K, V> record, ByteBuffer memory, int at) {
    reader.copyRecord(Objects.requireNonNull(record, "record").reader(), Objects.requireNonNull(memory, "memory"), at);
    view.in(record.assigned());
    view.current(true);
  }

  /** The memory goes elsewhere: from now on every method of the view throws an {@link IllegalStateException}. */
  public void clear() {
    view.current(false);
  }

  /**
   * Where the copy lies.
   *
   * @return the memory given to {@link #take}
   */
  public ByteBuffer memory() {
    return reader.buffer();
  }

  /**
   * Where the key begins in {@link #memory}.
   *
   * @return an index
   */
  public int keyOffset() {
    return reader.keyOffset();
  }

  /**
   * The size of the key.
   *
   * @return bytes, -1 for a null key
   */
  public int keyLength() {
    return reader.keyLength();
  }

  /**
   * The view of what was taken last.
   *
   * @return always the same object
   */
  public ConsumerRecord<K, V> record() {
    return view;
  }
}
