package dev.decant.kafka.consumer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.fetch.PositionPolicy;
import dev.decant.kafka.protocol.ErrorCode;

/** {@link OffsetReset} for the package that fetches. */
record ResetPolicy(OffsetReset reset) implements PositionPolicy {
  @Override
  public boolean isNone() {
    return reset.equals(OffsetReset.NONE);
  }

  @Override
  public long timestamp() {
    return reset.timestamp();
  }

  @Override
  public KafkaException truncated(TopicPartition partition, String broker, long position, int epoch, long divergedAt,
      int divergedEpoch) {
    return new LogTruncatedException(partition, broker, position, epoch, divergedAt, divergedEpoch);
  }

  @Override
  public KafkaException tooLarge(TopicPartition partition, long position, long next, String what) {
    return new UnreadableBatchException(ErrorCode.MESSAGE_TOO_LARGE, partition, position, next, what, null);
  }
}
