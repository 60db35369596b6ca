package dev.decant.fake.api;

import dev.decant.fake.cluster.Broker;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Partition;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Checks that a broker leads a partition and that the client knows this (KIP-320). */
final class Leadership {
  private static final int NO_EPOCH = -1;
  private static final int FIRST_FROM_FOLLOWERS = 11;

  private Leadership() {}

  /**
   * Checks the broker and the epoch that a client knows.
   *
   * @param partition the partition, null if it does not exist
   * @param currentEpoch the leader epoch that the client knows, -1 for none
   */
  static ErrorCode check(@Nullable Partition partition, int currentEpoch, RequestContext context) {
    if (partition == null) {
      return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
    }
    if (context.broker().isLogDirOffline() && partition.replicas().contains(context.broker().id())) {
      return ErrorCode.KAFKA_STORAGE_ERROR;
    }
    if (!partition.replicas().contains(context.broker().id())) {
      return ErrorCode.NOT_LEADER_OR_FOLLOWER;
    }
    if (currentEpoch != NO_EPOCH && currentEpoch != partition.leaderEpoch()) {
      return currentEpoch < partition.leaderEpoch() ? ErrorCode.FENCED_LEADER_EPOCH : ErrorCode.UNKNOWN_LEADER_EPOCH;
    }
    return partition.leader() == context.broker().id() ? ErrorCode.NONE : ErrorCode.NOT_LEADER_OR_FOLLOWER;
  }

  /**
   * Checks a fetch, which followers serve, too, if the client supports it (KIP-392).
   *
   * @param partition the partition, null if it does not exist
   * @param currentEpoch the leader epoch that the client knows, -1 for none
   */
  static ErrorCode checkFetch(@Nullable Partition partition, int currentEpoch, RequestContext context) {
    ErrorCode error = check(partition, currentEpoch, context);
    boolean isFollower = error == ErrorCode.NOT_LEADER_OR_FOLLOWER && partition != null
        && partition.replicas().contains(context.broker().id());
    return isFollower && context.version() >= FIRST_FROM_FOLLOWERS ? ErrorCode.NONE : error;
  }

  /** Returns the endpoints of leaders, each once (KIP-951). */
  static <N> List<N> endpoints(Cluster cluster, IntStream leaders, Function<Broker, N> endpoint) {
    List<N> endpoints = new ArrayList<>();
    for (int id : leaders.distinct().toArray()) {
      Broker leader = cluster.broker(id);
      if (leader != null) {
        endpoints.add(endpoint.apply(leader));
      }
    }
    return endpoints;
  }

  /** Returns true if a response names the present leader beside the error (KIP-951). */
  static boolean namesLeader(ErrorCode error) {
    return List.of(ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH).contains(error);
  }
}
