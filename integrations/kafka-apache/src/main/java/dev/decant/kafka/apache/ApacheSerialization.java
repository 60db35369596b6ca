package dev.decant.kafka.apache;

import dev.decant.kafka.serialization.Decoder;
import dev.decant.kafka.serialization.EncodeContext;
import dev.decant.kafka.serialization.Encoder;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;

/**
 * Adapts Apache's serializers, such as those of a schema registry, to Decant's interfaces for {@link
 * dev.decant.kafka.producer.Producer} and {@link dev.decant.kafka.consumer.Consumer}. The serializers see the record's
 * topic and headers. Each record costs the array that Apache's interface demands, and the serializer's own objects.
 *
 * <p>The owner of a serializer configures it before, and closes it after the clients that use it. It must be
 * thread-safe if several threads send or read with it.
 */
public final class ApacheSerialization {
  private ApacheSerialization() {}

  /**
   * Returns an encoder of keys or of values.
   *
   * @param serializer configured by its owner; headers that it adds are added to the record
   * @param <T> the type it writes
   * @return the encoder. It throws a {@link SerializationException} if the serializer returns null for a value,
   *     and an {@link UnsupportedOperationException} if it removes a header of the record
   */
  public static <T> Encoder<T> encoder(Serializer<? super T> serializer) {
    Objects.requireNonNull(serializer, "serializer");
    return Encoder.ofBytes((value, record) -> bytes(serializer, value, record));
  }

  private static <T> byte[] bytes(Serializer<? super T> serializer, T value, EncodeContext record) {
    List<dev.decant.kafka.Header> given = record.headers();
    Headers headers = apaches(given);
    byte[] bytes = serializer.serialize(record.topic(), headers, value);
    if (bytes == null) {
      throw new SerializationException(serializer.getClass().getName() + " made no bytes of a "
          + value.getClass().getName() + "; send null in its place for a record without a "
          + (record.isKey() ? "key" : "value"));
    }
    addNew(headers, given, record);
    return bytes;
  }

  /**
   * Returns a decoder of keys or of values.
   *
   * @param deserializer configured by its owner
   * @param <T> the type it reads
   * @return the decoder
   */
  public static <T> Decoder<T> decoder(Deserializer<? extends T> deserializer) {
    Objects.requireNonNull(deserializer, "deserializer");
    return Decoder.ofBytes(
        (bytes, record) -> deserializer.deserialize(record.topic(), apaches(record.headers()), bytes));
  }

  private static Headers apaches(List<dev.decant.kafka.Header> given) {
    RecordHeaders headers = new RecordHeaders();
    for (dev.decant.kafka.Header header : given) {
      headers.add(new RecordHeader(header.key(), header.value()));
    }
    return headers;
  }

  /** Adds headers that the serializer has added. A record cannot lose headers that it has. */
  private static void addNew(Headers headers, List<dev.decant.kafka.Header> given, EncodeContext record) {
    int at = 0;
    for (Header header : headers) {
      if (at >= given.size()) {
        record.addHeader(header.key(), header.value());
      } else if (!header.key().equals(given.get(at).key())) {
        break;
      }
      at++;
    }
    if (at < given.size()) {
      throw new UnsupportedOperationException("the serializer removed the header " + given.get(at).key()
          + " of the record; send the record without it");
    }
  }
}
