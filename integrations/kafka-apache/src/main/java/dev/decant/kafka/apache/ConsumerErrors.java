package dev.decant.kafka.apache;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.PositionOutOfRangeException;
import dev.decant.kafka.TopicException;
import dev.decant.kafka.consumer.LogTruncatedException;
import dev.decant.kafka.consumer.NoPositionException;
import dev.decant.kafka.consumer.UnreadableBatchException;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicAuthorizationException;

/** Translates a consumer's failures to the exceptions of Apache's consumer. */
final class ConsumerErrors {
  private final String group;

  /** Takes the name of the member's group; empty for none. */
  ConsumerErrors(String group) {
    this.group = group;
  }

  /** Translates the failure of a call other than a commit. */
  RuntimeException of(Throwable failure) {
    RuntimeException same = switch (failure) {
      case NoPositionException e -> new NoOffsetForPartitionException(PartitionConversion.apache(e.partitions()));
      case PositionOutOfRangeException e ->
        new OffsetOutOfRangeException(Map.of(PartitionConversion.apache(e.partition()), e.position()));
      case LogTruncatedException e -> truncated(e);
      case UnreadableBatchException e when e.code() == ErrorCode.MESSAGE_TOO_LARGE ->
        new RecordTooLargeException(e.getMessage() + "; where decant.fetch.memory.bytes is not set, a larger"
            + " fetch.max.bytes allows larger batches, up to a quarter of the largest heap");
      case TopicException e when e.code() == ErrorCode.TOPIC_AUTHORIZATION_FAILED ->
        new TopicAuthorizationException(Set.of(e.topic()));
      case TopicException e when e.code() == ErrorCode.INVALID_TOPIC_EXCEPTION ->
        new InvalidTopicException(Set.of(e.topic()));
      case KafkaException e when e.code() == ErrorCode.GROUP_AUTHORIZATION_FAILED ->
        GroupAuthorizationException.forGroupId(group);
      default -> ApacheErrors.of(failure);
    };
    if (!same.equals(failure) && same.getCause() == null) {
      same.initCause(failure);
    }
    return same;
  }

  private static LogTruncationException truncated(LogTruncatedException e) {
    TopicPartition p = PartitionConversion.apache(e.partition());
    return new LogTruncationException(e.getMessage(), Map.of(p, e.position()),
        e.divergedAt() < 0 ? Map.of() : Map.of(p, new OffsetAndMetadata(e.divergedAt())));
  }

  /** Translates the failure of a commit that the application waits for. */
  RuntimeException ofCommit(Throwable failure) {
    if (!(failure instanceof KafkaException known) || failure instanceof KafkaTimeoutException) {
      return of(failure);
    }
    return switch (known.code()) {
      case NONE, CLIENT_CLOSED, POLL_INTERVAL_EXCEEDED, ASSIGNMENT_FAILED, UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION,
          STALE_MEMBER_EPOCH, FENCED_MEMBER_EPOCH ->
        (CommitFailedException) new CommitFailedException(known.getMessage()).initCause(known);
      case REBALANCE_IN_PROGRESS -> new RebalanceInProgressException(known.getMessage(), known);
      default -> of(known);
    };
  }

  /** Translates the failure of a commit that the application does not wait for. */
  Exception ofAsyncCommit(Throwable failure) {
    RuntimeException error = ofCommit(failure);
    return error instanceof RetriableException ? new RetriableCommitFailedException(error) : error;
  }
}
