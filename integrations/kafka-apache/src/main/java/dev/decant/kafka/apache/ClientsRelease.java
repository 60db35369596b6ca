package dev.decant.kafka.apache;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.errors.RecordDeserializationException.DeserializationExceptionOrigin;
import org.apache.kafka.common.errors.TransactionAbortableException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * Makes objects of kafka-clients whose constructors differ between releases, from 3.7 on. The JVM links a constructor
 * at its first call, so a branch that is never taken may name one that the release does not have.
 *
 * <p>Any thread.
 */
final class ClientsRelease {
  private static final String ERRORS = "org.apache.kafka.common.errors.";
  /** True from 4.0 on (KIP-1094): the records of a poll come with the positions behind them. */
  private static final boolean HAS_NEXT_OFFSETS = has("org.apache.kafka.clients.consumer.ConsumerRecords", Map.class,
      Map.class);
  /** True from 3.8 on (KIP-1036): the exception has the bytes of the record. */
  private static final boolean HAS_BYTES = exists(ERRORS
      + "RecordDeserializationException$DeserializationExceptionOrigin");
  /** True from 3.8 on (KIP-890). */
  private static final boolean HAS_ABORTABLE = exists(ERRORS + "TransactionAbortableException");
  private static final boolean HAS_ABORTABLE_WITH_CAUSE = HAS_ABORTABLE
      && has(ERRORS + "TransactionAbortableException", String.class, Throwable.class);

  /** True before 4.0: some metrics have a second name for the same number. */
  static final boolean HAS_OLD_TIMES = !HAS_NEXT_OFFSETS;
  /** True from 4.1 on (KIP-1109): tags of metrics have topics unchanged; before, dots are replaced. */
  static final boolean TAGS_HAVE_DOTS = exists("org.apache.kafka.clients.consumer.CloseOptions");

  private ClientsRelease() {}

  private static boolean exists(String name) {
    return find(name) != null;
  }

  private static boolean has(String name, Class<?>... parameters) {
    Class<?> found = find(name);
    return found != null
        && Arrays.stream(found.getConstructors()).anyMatch(c -> Arrays.equals(c.getParameterTypes(), parameters));
  }

  private static @Nullable Class<?> find(String name) {
    try {
      return Class.forName(name, false, ConsumerRecords.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      return null;
    }
  }

  /** Returns the records of one poll. Releases before 4.0 have no positions behind them. */
  static <K, V> ConsumerRecords<K, V> records(Map<TopicPartition, List<ConsumerRecord<K, V>>> records,
      Map<TopicPartition, OffsetAndMetadata> nextOffsets) {
    return HAS_NEXT_OFFSETS ? new ConsumerRecords<>(records, nextOffsets) : withoutNextOffsets(records);
  }

  @SuppressWarnings("deprecation") // the only constructor before 4.0
  private static <K, V> ConsumerRecords<K, V> withoutNextOffsets(
      Map<TopicPartition, List<ConsumerRecord<K, V>>> records) {
    return new ConsumerRecords<>(records);
  }

  /**
   * Returns the exception for a record that a deserializer refuses. Before 3.8 it has only the record's partition and
   * offset.
   */
  static RecordDeserializationException undecodable(Undecodable record, String message, Throwable cause) {
    return HAS_BYTES ? withBytes(record, message, cause) : withoutBytes(record, message, cause);
  }

  private static RecordDeserializationException withBytes(Undecodable record, String message, Throwable cause) {
    return new RecordDeserializationException(
        record.isKey() ? DeserializationExceptionOrigin.KEY : DeserializationExceptionOrigin.VALUE, record.partition(),
        record.offset(), record.timestamp(), record.timestampType(), record.key(), record.value(), record.headers(),
        message, cause);
  }

  @SuppressWarnings("deprecation") // the only constructor before 3.8
  private static RecordDeserializationException withoutBytes(Undecodable record, String message, Throwable cause) {
    return new RecordDeserializationException(record.partition(), record.offset(), message, cause);
  }

  /**
   * A record that a deserializer refuses.
   *
   * @param isKey true if the key is refused, false if the value is
   * @param key its bytes, or null
   * @param value its bytes, or null
   */
  record Undecodable(boolean isKey, TopicPartition partition, long offset, long timestamp,
      TimestampType timestampType, @Nullable ByteBuffer key,
      @Nullable ByteBuffer value, Headers headers) {}

  /**
   * Returns the exception for a transaction that can only be aborted. Before 3.8 there is no class of its own for that.
   */
  static KafkaException abortable(String message, Throwable cause) {
    return HAS_ABORTABLE ? Abortable.of(message, cause) : new KafkaException(message, cause);
  }

  /** Names the class in a class of its own: verifying a method that returns it as its superclass would load it. */
  private static final class Abortable {
    static KafkaException of(String message, Throwable cause) {
      if (HAS_ABORTABLE_WITH_CAUSE) {
        return new TransactionAbortableException(message, cause);
      }
      TransactionAbortableException made = new TransactionAbortableException(message);
      made.initCause(cause);
      return made;
    }
  }
}
