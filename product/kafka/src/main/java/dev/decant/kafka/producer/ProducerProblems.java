package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.telemetry.Problems;
import org.jspecify.annotations.Nullable;

/** Partitions whose records cannot be delivered at the moment. */
final class ProducerProblems {
  private final Problems problems;

  ProducerProblems(Problems problems) {
    this.problems = problems;
  }

  /** Notes that records of a partition wait for another attempt. */
  void begin(PartitionSendState sends, Throwable cause) {
    problems.begin(sends, "records for " + sends.topic() + "-" + sends.partition + " cannot be delivered", cause);
  }

  /** Notes a problem if there is a failure. Without one, the records only wait. */
  void beginIf(PartitionSendState sends, @Nullable Throwable cause) {
    if (cause != null) {
      begin(sends, cause);
    }
  }

  /** Notes that records wait for a connection to the leader, which may be missing. */
  void noConnection(PartitionSendState sends, @Nullable BrokerLink leader) {
    if (leader == null) {
      begin(sends, new KafkaException(ErrorCode.LEADER_NOT_AVAILABLE, "the partition has no leader"));
    } else {
      beginIf(sends, leader.lastError());
    }
  }

  /** Ends the problem of a partition: a batch was stored, or none is left. */
  void end(PartitionSendState sends) {
    problems.end(sends);
  }
}
