package dev.decant.kafka.apache;

import static java.util.Objects.requireNonNull;

import dev.decant.buffer.BytesReader;
import dev.decant.kafka.consumer.ConsumerRecord;
import java.nio.ByteBuffer;
import java.util.Set;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.BooleanDeserializer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.DoubleDeserializer;
import org.apache.kafka.common.serialization.FloatDeserializer;
import org.apache.kafka.common.serialization.IntegerDeserializer;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.ShortDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.UUIDDeserializer;
import org.apache.kafka.common.serialization.VoidDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Decodes keys, or values, by one of Apache's deserializers, with as few copies as that allows:
 *
 * <pre>
 *  ByteArrayDeserializer                       the copy is the result
 *  Apache's others, which keep nothing         memory that is used again
 *  with a method for ByteBuffer of its own     a copy that it may keep
 *  all others                                  a copy that it may keep, as an array
 * </pre>
 *
 * <p>Not thread-safe.
 */
final class PartDecoder<T> {
  /** Exact classes that read a buffer and keep no reference to it. */
  private static final Set<Class<?>> KEEP_NOTHING = Set.of(StringDeserializer.class, LongDeserializer.class,
      IntegerDeserializer.class, ShortDeserializer.class, FloatDeserializer.class, DoubleDeserializer.class,
      BooleanDeserializer.class, UUIDDeserializer.class, VoidDeserializer.class);
  private static final int MOST_SCRATCH = 64 * 1024;

  /** The ways to pass the bytes to a deserializer. */
  private enum Manner {
    COPY, SCRATCH, OWN_BUFFER, OWN_ARRAY
  }

  private final Deserializer<T> deserializer;
  private final boolean isKey;
  private final Manner manner;
  private byte[] scratch = new byte[256];
  private ByteBuffer view = ByteBuffer.wrap(scratch);

  PartDecoder(Deserializer<T> deserializer, boolean isKey) {
    this.deserializer = deserializer;
    this.isKey = isKey;
    this.manner = manner(deserializer.getClass());
  }

  private static Manner manner(Class<?> type) {
    if (type == ByteArrayDeserializer.class) {
      return Manner.COPY;
    }
    if (KEEP_NOTHING.contains(type)) {
      return Manner.SCRATCH;
    }
    try {
      Class<?> declares = type.getMethod("deserialize", String.class, Headers.class, ByteBuffer.class)
          .getDeclaringClass();
      return declares == Deserializer.class ? Manner.OWN_ARRAY : Manner.OWN_BUFFER;
    } catch (NoSuchMethodException e) {
      return Manner.OWN_ARRAY;
    }
  }

  /** Returns the deserialized key or value; null if the record has none. */
  @SuppressWarnings("unchecked")
  @Nullable
  T decode(ConsumerRecord<byte[], byte[]> record, Headers headers) {
    if (manner == Manner.COPY) {
      return (T) copy(record);
    }
    int length = isKey ? record.keyLength() : record.valueLength();
    if (length < 0) {
      return null;
    }
    return switch (manner) {
      case SCRATCH -> deserializer.deserialize(record.topic(), headers, scratch(record, length));
      case OWN_BUFFER -> deserializer.deserialize(record.topic(), headers, bytesOf(record));
      case OWN_ARRAY, COPY -> deserializer.deserialize(record.topic(), headers, copy(record));
    };
  }

  private byte @Nullable [] copy(ConsumerRecord<byte[], byte[]> record) {
    return isKey ? record.keyBytesCopy() : record.valueBytesCopy();
  }

  private ByteBuffer scratch(ConsumerRecord<byte[], byte[]> record, int length) {
    if (length > MOST_SCRATCH) {
      return requireNonNull(bytesOf(record));
    }
    if (length > scratch.length) {
      scratch = new byte[Math.min(MOST_SCRATCH, Integer.highestOneBit(length) << 1)];
      view = ByteBuffer.wrap(scratch);
    }
    bytes(record).readBytes(scratch, 0, length);
    return view.clear().limit(length);
  }

  private BytesReader bytes(ConsumerRecord<byte[], byte[]> record) {
    return isKey ? record.keyBytes() : record.valueBytes();
  }

  /** Returns a copy of the bytes; null if the record has none. */
  @Nullable
  ByteBuffer bytesOf(ConsumerRecord<byte[], byte[]> record) {
    byte[] bytes = copy(record);
    return bytes == null ? null : ByteBuffer.wrap(bytes);
  }
}
