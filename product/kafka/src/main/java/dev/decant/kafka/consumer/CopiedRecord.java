package dev.decant.kafka.consumer;

import dev.decant.kafka.record.RecordBatchReader;
import dev.decant.kafka.serialization.Decoder;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A copy of a record's bytes in memory of the caller, with a view that outlives the poll. It is for applications that
 * work on records on other threads without an object per record. The view is one object for all records taken; key and
 * value are decoded when they are asked for.
 *
 * <p>One thread at a time. A thread that passes it to another one publishes it safely.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
public final class CopiedRecord<K, V> {
  private final RecordBatchReader reader = new RecordBatchReader();
  private final ConsumerRecord<K, V> view;

  /**
   * Creates an empty copy.
   *
   * @param keys decodes keys, on the thread that calls {@link ConsumerRecord#key}
   * @param values decodes values, on the thread that calls {@link ConsumerRecord#value}
   */
  public CopiedRecord(Decoder<? extends K> keys, Decoder<? extends V> values) {
    view = new ConsumerRecord<>(reader, Objects.requireNonNull(keys, "keys"),
        Objects.requireNonNull(values, "values"));
  }

  /**
   * Returns the memory that a copy takes.
   *
   * @param record a view, within the handler
   * @return bytes
   */
  public static int bytesOf(ConsumerRecord<?, ?> record) {
    return Objects.requireNonNull(record, "record").reader().copyBytes();
  }

  /**
   * Copies a record. The view shows it from now on.
   *
   * @param record a view, within the handler
   * @param memory a big-endian buffer, which must not change while the copy is read
   * @param at index of the copy in it, with room for {@link #bytesOf}
   */
  public void take(ConsumerRecord<K, V> record, ByteBuffer memory, int at) {
    reader.copyRecord(Objects.requireNonNull(record, "record").reader(), Objects.requireNonNull(memory, "memory"), at);
    view.in(record.assigned());
    view.current(true);
  }

  /** Expires the view, since its memory is used again: every method of it throws an {@link IllegalStateException}. */
  public void clear() {
    view.current(false);
  }

  /**
   * Returns the memory of the copy.
   *
   * @return the memory given to {@link #take}
   */
  public ByteBuffer memory() {
    return reader.buffer();
  }

  /**
   * Returns the beginning of the key in {@link #memory}.
   *
   * @return an index
   */
  public int keyOffset() {
    return reader.keyOffset();
  }

  /**
   * Returns the size of the key.
   *
   * @return bytes, -1 for a null key
   */
  public int keyLength() {
    return reader.keyLength();
  }

  /**
   * Returns the view of the record taken last.
   *
   * @return always the same object
   */
  public ConsumerRecord<K, V> record() {
    return view;
  }
}
