package dev.decant.kafka.work;

import dev.decant.kafka.Header;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.producer.Headers;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.work.bridge.CopySink;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Sends copies of failed records to a topic, with the bytes of the record and headers that say why it failed. The loop
 * only.
 */
final class DeadLetters {
  /** Prefix of the headers that say where a dead letter comes from. */
  static final String PREFIX = "dead-letter.";
  static final String SPRING_PREFIX = "kafka_dlt-";

  /** The length of a value that was left out. */
  static final String VALUE_LENGTH = PREFIX + "value-length";

  /** Bound of the characters of a message, which may contain the record itself. */
  private static final int MOST_MESSAGE = 1_000;

  private final CopySink sink;
  private final String topic;
  private final String group;
  private final HeaderNames names;
  private final SendOptions options = new SendOptions();

  DeadLetters(CopySink sink, String topic, String group, HeaderNames names) {
    this.sink = sink;
    this.topic = topic;
    this.group = group;
    this.names = names;
  }

  /**
   * Sends a copy without waiting.
   *
   * @return false if the copy cannot be taken now
   * @throws KafkaException if it will not be taken
   */
  boolean send(Slot<?, ?> slot, Throwable error, SendListener outcome) {
    ConsumerRecord<?, ?> record = slot.record();
    Origin origin = slot.origin;
    Origin from = origin == null ? RetryHeaders.itself(record, slot.attempts) : origin;
    options.clear();
    if (from.timestamp() >= 0) { // else the record has none
      options.timestamp(from.timestamp());
    }
    Headers headers = options.headers();
    for (Header header : record.headers()) {
      boolean isEarlier = header.key().startsWith(names == HeaderNames.DECANT ? PREFIX : SPRING_PREFIX);
      if (!isEarlier && (origin == null || !RetryHeaders.isOwn(header.key(), names))) {
        headers.add(header.key(), header.value());
      }
    }
    if (names == HeaderNames.DECANT) {
      addOwn(headers, from, slot.attempts, error);
    } else {
      addSprings(headers, from, error);
    }
    byte[] value = record.valueBytesCopy();
    if (slot.isWithoutValue && value != null) {
      headers.addText(VALUE_LENGTH, Integer.toString(value.length));
      value = null;
    }
    return sink.send(topic, record.keyBytesCopy(), value, options, outcome);
  }

  private void addOwn(Headers headers, Origin from, int attempts, Throwable error) {
    headers.addText(PREFIX + "topic", from.topic())
        .addText(PREFIX + "partition", Integer.toString(from.partition()))
        .addText(PREFIX + "offset", Long.toString(from.offset()))
        .addText(PREFIX + "timestamp", Long.toString(from.timestamp()))
        .addText(PREFIX + "group", group)
        .addText(PREFIX + "attempts", Integer.toString(attempts))
        .addText(PREFIX + "error", error.getClass().getName())
        .addText(PREFIX + "message", message(error));
  }

  private void addSprings(Headers headers, Origin from, Throwable error) {
    headers.addText("kafka_dlt-original-topic", from.topic())
        .add("kafka_dlt-original-partition", ByteBuffer.allocate(Integer.BYTES).putInt(from.partition()).array())
        .add("kafka_dlt-original-offset", ByteBuffer.allocate(Long.BYTES).putLong(from.offset()).array())
        .add("kafka_dlt-original-timestamp", ByteBuffer.allocate(Long.BYTES).putLong(from.timestamp()).array())
        .addText("kafka_dlt-original-timestamp-type", from.timestampType())
        .addText("kafka_dlt-original-consumer-group", group)
        .addText("kafka_dlt-exception-fqcn", error.getClass().getName())
        .addText("kafka_dlt-exception-message", message(error));
    Throwable cause = causeOf(error);
    if (cause != null) {
      headers.addText("kafka_dlt-exception-cause-fqcn", cause.getClass().getName());
    }
  }

  /** The topic that a dead letter comes from, under either of the names; null if it does not say. */
  static @Nullable String topicOf(ConsumerRecord<?, ?> letter) {
    String topic = RetryHeaders.text(letter, PREFIX + "topic");
    return topic != null ? topic : RetryHeaders.text(letter, SPRING_PREFIX + "original-topic");
  }

  /** The partition that a dead letter comes from; -1 if it does not say. */
  static int partitionOf(ConsumerRecord<?, ?> letter) {
    long partition = RetryHeaders.number(letter.headerText(PREFIX + "partition"));
    if (partition < 0) {
      partition = RetryHeaders.number(letter.header(SPRING_PREFIX + "original-partition"), Integer.BYTES);
    }
    return partition > Integer.MAX_VALUE ? -1 : (int) partition;
  }

  /** The cause of an error; null if it has none, or its class throws when asked. */
  static @Nullable Throwable causeOf(Throwable error) {
    try {
      return error.getCause();
    } catch (RuntimeException | Error e) { // an exception of somebody's own
      return null;
    }
  }

  static String message(Throwable error) {
    String text;
    try {
      text = String.valueOf(error.getMessage());
    } catch (RuntimeException | Error e) { // an exception of somebody's own
      text = "getMessage() has thrown " + e.getClass().getName();
    }
    return text.length() <= MOST_MESSAGE ? text : text.substring(0, MOST_MESSAGE) + "...";
  }
}
