package dev.decant.kafka.work;

import dev.decant.kafka.Header;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.producer.Headers;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.producer.SendOptions;
import java.nio.ByteBuffer;
import java.time.Duration;

/** Sends copies of failed records to a topic, with their bytes as they came and why. The loop only. */
final class DeadLetters implements AutoCloseable {
  /** A message may contain the record itself. */
  private static final int MOST_MESSAGE = 1_000;
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);

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
   * @return false if the producer cannot take it now
   * @throws KafkaException if it will not take it
   */
  boolean send(ConsumerRecord<?, ?> record, int attempts, Throwable error, SendListener outcome) {
    options.clear();
    options.timestamp(record.timestamp());
    Headers headers = options.headers();
    for (Header header : record.headers()) {
      // of an earlier death
      if (!header.key().startsWith(names == HeaderNames.DECANT ? "dead-letter." : "kafka_dlt-")) {
        headers.add(header.key(), header.value());
      }
    }
    if (names == HeaderNames.DECANT) {
      addOwn(headers, record, attempts, error);
    } else {
      addSprings(headers, record, error);
    }
    return sink.send(topic, record.keyBytesCopy(), record.valueBytesCopy(), options, outcome);
  }

  private void addOwn(Headers headers, ConsumerRecord<?, ?> record, int attempts, Throwable error) {
    headers.addText("dead-letter.topic", record.topic())
        .addText("dead-letter.partition", Integer.toString(record.partition()))
        .addText("dead-letter.offset", Long.toString(record.offset()))
        .addText("dead-letter.timestamp", Long.toString(record.timestamp()))
        .addText("dead-letter.group", group)
        .addText("dead-letter.attempts", Integer.toString(attempts))
        .addText("dead-letter.error", error.getClass().getName())
        .addText("dead-letter.message", message(error));
  }

  private void addSprings(Headers headers, ConsumerRecord<?, ?> record, Throwable error) {
    headers.addText("kafka_dlt-original-topic", record.topic())
        .add("kafka_dlt-original-partition", ByteBuffer.allocate(Integer.BYTES).putInt(record.partition()).array())
        .add("kafka_dlt-original-offset", ByteBuffer.allocate(Long.BYTES).putLong(record.offset()).array())
        .add("kafka_dlt-original-timestamp", ByteBuffer.allocate(Long.BYTES).putLong(record.timestamp()).array())
        .addText("kafka_dlt-original-timestamp-type", switch (record.timestampType()) {
          case CREATE_TIME -> "CreateTime";
          case LOG_APPEND_TIME -> "LogAppendTime";
        })
        .addText("kafka_dlt-original-consumer-group", group)
        .addText("kafka_dlt-exception-fqcn", error.getClass().getName())
        .addText("kafka_dlt-exception-message", message(error));
    Throwable cause = error.getCause();
    if (cause != null) {
      headers.addText("kafka_dlt-exception-cause-fqcn", cause.getClass().getName());
    }
  }

  private static String message(Throwable error) {
    String text;
    try {
      text = String.valueOf(error.getMessage());
    } catch (RuntimeException | Error e) { // an exception of somebody's own
      text = "getMessage() has thrown " + e.getClass().getName();
    }
    return text.length() <= MOST_MESSAGE ? text : text.substring(0, MOST_MESSAGE) + "...";
  }

  /** Waits for what is on its way, for a time. */
  void close(Duration timeout) {
    sink.close(timeout);
  }

  @Override
  public void close() {
    sink.close(CLOSE_TIMEOUT);
  }
}
