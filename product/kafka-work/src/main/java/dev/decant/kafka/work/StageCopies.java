package dev.decant.kafka.work;

import dev.decant.kafka.Header;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.producer.Headers;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.work.bridge.CopySink;
import dev.decant.time.Clock;
import org.jspecify.annotations.Nullable;

/** Sends copies of records to retry topics. The loop only. */
final class StageCopies implements RetryStages.Sender {
  private final CopySink sink;
  private final RetryTopics topics;
  private final int[] partitions;
  private final String group;
  private final HeaderNames names;
  private final Clock clock;
  private final boolean isOrdered;
  private final SendOptions options = new SendOptions();

  /** {@code partitions} has the number of partitions of each stage, from the first. */
  StageCopies(CopySink sink, RetryTopics topics, int[] partitions, WorkSettings settings, Clock clock) {
    this.sink = sink;
    this.topics = topics;
    this.partitions = partitions.clone();
    this.group = settings.group();
    this.names = settings.headerNames();
    this.clock = clock;
    this.isOrdered = settings.isOrderedInRetryTopics();
  }

  @Override
  public boolean send(Slot<?, ?> slot, int stage, @Nullable Throwable error, long table, SendListener outcome) {
    ConsumerRecord<?, ?> record = slot.record();
    Origin from = slot.origin == null ? RetryHeaders.itself(record, slot.attempts) : slot.origin;
    long now = clock.epochMillis();
    long due = error == null ? now : now + topics.delayMillis(stage);
    options.clear();
    // With order, a copy goes to the partition number of its record, whatever headers say: its key is pending there.
    int partition = isOrdered ? record.partition() : from.partition() % partitions[stage - 1];
    // A copy has the time of its send: with the record's own, retention could delete the copy of an old record before
    // it is due.
    options.partition(partition);
    Headers headers = options.headers();
    for (Header header : record.headers()) {
      if (!RetryHeaders.isOwn(header.key(), names)) {
        headers.add(header.key(), header.value());
      }
    }
    RetryHeaders.add(headers, names, new Origin(from.topic(), from.partition(), from.offset(), from.timestamp(),
        from.timestampType(), slot.attempts, due, table), group);
    if (error == null) {
      RetryHeaders.keepError(headers, names, record);
    } else {
      RetryHeaders.addError(headers, names, error);
    }
    return sink.send(topics.name(stage), record.keyBytesCopy(), record.valueBytesCopy(), options, outcome);
  }
}
