package dev.decant.kafka.work;

import dev.decant.kafka.Header;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.producer.Headers;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The headers of records in retry topics, written under one of the {@link HeaderNames} and read under both. Any client
 * may have written the headers that are read, so a malformed header counts as missing.
 */
final class RetryHeaders {
  static final String TOPIC = "retry.topic";
  private static final String PARTITION = "retry.partition";
  private static final String OFFSET = "retry.offset";
  private static final String TIMESTAMP = "retry.timestamp";
  private static final String ATTEMPTS = "retry.attempts";
  private static final String DUE = "retry.due";
  private static final String ERROR = "retry.error";
  private static final String MESSAGE = "retry.message";
  /** Names the table of pending keys that has counted the record. Spring has no header for that. */
  private static final String TABLE = "retry.table";

  static final String SPRING_TOPIC = "kafka_original-topic";
  private static final String SPRING_PARTITION = "kafka_original-partition";
  private static final String SPRING_OFFSET = "kafka_original-offset";
  private static final String SPRING_TIMESTAMP = "kafka_original-timestamp";
  private static final String SPRING_TIMESTAMP_TYPE = "kafka_original-timestamp-type";
  private static final String SPRING_GROUP = "kafka_original-consumer-group";
  private static final String SPRING_ERROR = "kafka_exception-fqcn";
  private static final String SPRING_MESSAGE = "kafka_exception-message";
  private static final String SPRING_CAUSE = "kafka_exception-cause-fqcn";
  /** The number of the next attempt. */
  private static final String SPRING_ATTEMPTS = "retry_topic-attempts";
  private static final String SPRING_DUE = "retry_topic-backoff-timestamp";
  private static final String SPRING_FIRST_TIMESTAMP = "retry_topic-original-timestamp";

  private static final Set<String> OWN = Set.of(TOPIC, PARTITION, OFFSET, TIMESTAMP, ATTEMPTS, DUE, ERROR, MESSAGE,
      TABLE);
  private static final Set<String> SPRINGS = Set.of(SPRING_TOPIC, SPRING_PARTITION, SPRING_OFFSET, SPRING_TIMESTAMP,
      SPRING_TIMESTAMP_TYPE, SPRING_GROUP, SPRING_ERROR, SPRING_MESSAGE, SPRING_CAUSE, SPRING_ATTEMPTS, SPRING_DUE,
      SPRING_FIRST_TIMESTAMP, TABLE);

  /** The most attempts that a header may say; a higher number is malformed. */
  private static final int MOST_ATTEMPTS = 1_000_000;
  private static final String CREATE_TIME = "CreateTime";
  private static final int MOST_TEXT = 249;

  private RetryHeaders() {}

  /** Returns true if {@link #add} writes a header of this name. */
  static boolean isOwn(String key, HeaderNames names) {
    return (names == HeaderNames.DECANT ? OWN : SPRINGS).contains(key);
  }

  /** Adds where a record comes from, when it is due, and why it is there. */
  static void add(Headers to, HeaderNames names, Origin origin, String group) {
    if (names == HeaderNames.DECANT) {
      to.addText(TOPIC, origin.topic())
          .addText(PARTITION, Integer.toString(origin.partition()))
          .addText(OFFSET, Long.toString(origin.offset()))
          .addText(TIMESTAMP, Long.toString(origin.timestamp()))
          .addText(ATTEMPTS, Integer.toString(origin.attempts()))
          .addText(DUE, Long.toString(origin.dueMillis()));
    } else {
      to.addText(SPRING_TOPIC, origin.topic())
          .add(SPRING_PARTITION, bytes(origin.partition()))
          .add(SPRING_OFFSET, bytes(origin.offset()))
          .add(SPRING_TIMESTAMP, bytes(origin.timestamp()))
          .addText(SPRING_TIMESTAMP_TYPE, origin.timestampType())
          .addText(SPRING_GROUP, group)
          .add(SPRING_ATTEMPTS, bytes(origin.attempts() + 1))
          .add(SPRING_DUE, BigInteger.valueOf(origin.dueMillis()).toByteArray())
          .add(SPRING_FIRST_TIMESTAMP, BigInteger.valueOf(origin.timestamp()).toByteArray());
    }
    if (origin.table() != 0) {
      to.addText(TABLE, Long.toHexString(origin.table()));
    }
  }

  /** Adds the error of the last attempt. */
  static void addError(Headers to, HeaderNames names, Throwable error) {
    Throwable cause = DeadLetters.causeOf(error);
    if (names == HeaderNames.DECANT) {
      to.addText(ERROR, error.getClass().getName()).addText(MESSAGE, DeadLetters.message(error));
    } else {
      to.addText(SPRING_ERROR, error.getClass().getName()).addText(SPRING_MESSAGE, DeadLetters.message(error));
      if (cause != null) {
        to.addText(SPRING_CAUSE, cause.getClass().getName());
      }
    }
  }

  /** Copies the error that a record has in its headers already. */
  static void keepError(Headers to, HeaderNames names, ConsumerRecord<?, ?> record) {
    for (Header header : record.headers()) {
      boolean isError = names == HeaderNames.DECANT
          ? header.key().equals(ERROR) || header.key().equals(MESSAGE)
          : header.key().equals(SPRING_ERROR) || header.key().equals(SPRING_MESSAGE)
              || header.key().equals(SPRING_CAUSE);
      if (isError) {
        to.add(header.key(), header.value());
      }
    }
  }

  /** Returns an origin that names the record itself. */
  static Origin itself(ConsumerRecord<?, ?> record, int attempts) {
    return new Origin(record.topic(), record.partition(), record.offset(), record.timestamp(), type(record), attempts,
        0, 0);
  }

  private static String type(ConsumerRecord<?, ?> record) {
    return switch (record.timestampType()) {
      case CREATE_TIME -> CREATE_TIME;
      case LOG_APPEND_TIME -> "LogAppendTime";
    };
  }

  /** Reads the headers that {@link #add} or Spring Kafka has written. A record without them is its own origin. */
  static Origin read(ConsumerRecord<?, ?> record) {
    if (record.headerCount() > 0) {
      Origin found = record.header(TOPIC) != null ? readOwn(record) : readSprings(record);
      if (found != null) {
        return found;
      }
    }
    return itself(record, 0);
  }

  private static @Nullable Origin readOwn(ConsumerRecord<?, ?> record) {
    String topic = text(record, TOPIC);
    long partition = number(record.headerText(PARTITION));
    long offset = number(record.headerText(OFFSET));
    if (topic == null || partition < 0 || partition > Integer.MAX_VALUE || offset < 0) {
      return null;
    }
    long timestamp = number(record.headerText(TIMESTAMP));
    return new Origin(topic, (int) partition, offset, timestamp < 0 ? record.timestamp() : timestamp, CREATE_TIME,
        attempts(number(record.headerText(ATTEMPTS))), Math.max(0, number(record.headerText(DUE))), table(record));
  }

  private static @Nullable Origin readSprings(ConsumerRecord<?, ?> record) {
    String topic = text(record, SPRING_TOPIC);
    long partition = number(record.header(SPRING_PARTITION), Integer.BYTES);
    long offset = number(record.header(SPRING_OFFSET), Long.BYTES);
    if (topic == null || partition < 0 || offset < 0) {
      return null;
    }
    long timestamp = number(record.header(SPRING_TIMESTAMP), Long.BYTES);
    String type = text(record, SPRING_TIMESTAMP_TYPE);
    long next = number(record.header(SPRING_ATTEMPTS), Integer.BYTES);
    byte[] due = record.header(SPRING_DUE);
    return new Origin(topic, (int) partition, offset, timestamp < 0 ? record.timestamp() : timestamp,
        type == null ? CREATE_TIME : type, attempts(next - 1),
        Math.max(0, number(due, due == null ? 0 : Math.min(due.length, Long.BYTES))), table(record));
  }

  private static int attempts(long number) {
    return number < 0 || number > MOST_ATTEMPTS ? 0 : (int) number;
  }

  /** Returns the text of a header if a topic can have this name; else null. */
  static @Nullable String text(ConsumerRecord<?, ?> record, String key) {
    byte[] bytes = record.header(key);
    return bytes == null || bytes.length == 0 || bytes.length > MOST_TEXT
        ? null
        : new String(bytes, StandardCharsets.UTF_8);
  }

  private static long table(ConsumerRecord<?, ?> record) {
    String text = record.headerText(TABLE);
    if (text == null || text.length() > 2 * Long.BYTES) {
      return 0;
    }
    try {
      return Long.parseUnsignedLong(text, 16);
    } catch (NumberFormatException e) {
      return 0; // written by somebody else
    }
  }

  /** Parses decimal digits. Returns -1 if the text is no number. */
  static long number(@Nullable String text) {
    if (text == null || text.isEmpty() || text.length() > 19) {
      return -1;
    }
    try {
      return Math.max(-1, Long.parseLong(text));
    } catch (NumberFormatException e) {
      return -1; // written by somebody else
    }
  }

  /** Reads a big-endian number of {@code length} bytes. Returns -1 if there are more or fewer. */
  static long number(byte @Nullable [] bytes, int length) {
    if (bytes == null || length == 0 || bytes.length != length) {
      return -1;
    }
    return Math.max(-1, new BigInteger(bytes).longValue());
  }

  private static byte[] bytes(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }

  private static byte[] bytes(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }
}
