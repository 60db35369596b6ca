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

  /** Records wait for an attempt that follows. */
  void begin(PartitionQueue queue, Throwable cause) {
    problems.begin(queue, "records for " + queue.topic() + "-" + queue.partition + " cannot be delivered", cause);
  }

  /** The same, if something has failed; else it is only a matter of waiting. */
  void beginIf(PartitionQueue queue, @Nullable Throwable cause) {
    if (cause != null) {
      begin(queue, cause);
    }
  }

  /** Records wait for a connection to the leader, which may be missing. */
  void noConnection(PartitionQueue queue, @Nullable BrokerLink leader) {
    if (leader == null) {
      begin(queue, new KafkaException(ErrorCode.LEADER_NOT_AVAILABLE, "the partition has no leader"));
    } else {
      beginIf(queue, leader.lastError());
    }
  }

  /** A batch was stored, or none is left. */
  void end(PartitionQueue queue) {
    problems.end(queue);
  }
}
