package dev.decant.kafka.fetch;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.PositionOutOfRangeException;
import dev.decant.kafka.TopicException;
import dev.decant.kafka.cluster.PartitionMetadata;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import java.nio.ByteBuffer;
import java.util.List;

/** Handles the parts of a fetch response other than records. Owner of the loop only. */
final class FetchResponseHandler {
  /** How long a follower is read from: as long as metadata lasts (KIP-392). */
  private static final long REPLICA_LEASE_NANOS = 300_000_000_000L;
  /** How long a leader gets no rack after its follower had no use. */
  private static final long LEADER_ONLY_NANOS = 10_000_000_000L;

  private final ClientInternals client;
  private final FetchSettings settings;
  private final FetchFailures failures;
  private final Fetcher fetcher;

  FetchResponseHandler(ClientInternals client, FetchSettings settings, FetchFailures failures, Fetcher fetcher) {
    this.client = client;
    this.settings = settings;
    this.failures = failures;
    this.fetcher = fetcher;
  }

  /** Takes over the addresses of brokers to which partitions have moved (KIP-951). */
  void takeNodes(FetchResponseReader response) {
    List<FetchResponseReader.Node> nodes = response.nodes();
    for (int i = 0; i < nodes.size(); i++) {
      client.cluster().brokerAt(nodes.get(i).id(), nodes.get(i).address());
    }
  }

  /** Handles the partition that the reader is at, except for its records. Returns true if the records are wanted. */
  boolean take(String broker, PartitionFetchState p, FetchResponseReader data) {
    if (data.error() != 0) {
      failed(broker, p, data);
      return false;
    }
    if (data.divergingEpoch() >= 0 || data.divergingEnd() >= 0) {
      truncated(p, broker, data.divergingEpoch(), data.divergingEnd());
      return false;
    }
    p.log(data.logStart(), settings.readsCommitted() ? data.lastStableOffset() : data.highWatermark());
    if (data.preferredReplica() >= 0 && !settings.rack().isEmpty()) {
      readFrom(p, data.preferredReplica());
    }
    return true;
  }

  private void readFrom(PartitionFetchState p, int follower) {
    if (fetcher.links().to(follower) == null) {
      client.cluster().requestUpdate();
      leaderOnly(p);
    } else {
      p.readFrom(follower, client.loop().nowNanos() + REPLICA_LEASE_NANOS);
    }
  }

  /** Returns to the leader, and sends it no rack for a while. */
  void leaderOnly(PartitionFetchState p) {
    p.readLeaderOnly(client.loop().nowNanos() + LEADER_ONLY_NANOS);
    fetcher.markDirty();
  }

  private void failed(String broker, PartitionFetchState p, FetchResponseReader data) {
    ErrorCode code = ErrorCode.of(data.error());
    KafkaException cause = TopicException.of(code, p.topic, "fetch of " + p + ": broker " + broker + " answered "
        + code);
    if (p.readsFollower()) {
      failures.report(p.toString(), cause, true);
      leaderOnly(p); // the leader knows its log, and whether it leads
    } else if (code == ErrorCode.OFFSET_OUT_OF_RANGE) {
      outOfRange(broker, p);
    } else {
      failures.report(p.toString(), cause, code.isRetriable());
      fetcher.beginProblem(p, cause);
      if (!movedTo(p, data.leader(), data.leaderEpoch())) {
        client.cluster().requestUpdate();
        fetcher.retryLater(p);
      }
    }
  }

  /**
   * Takes over the leader that the response names. Returns false if there is none, so that metadata is needed
   * (KIP-951).
   */
  private boolean movedTo(PartitionFetchState p, int leader, int epoch) {
    return leader >= 0
        && client.cluster().leaderMoved(p.topic, p.partition, new PartitionMetadata(leader, epoch));
  }

  private void outOfRange(String broker, PartitionFetchState p) {
    if (settings.policy().isNone()) {
      fail(p, new PositionOutOfRangeException(p.name(), p.fetchOffset, "fetch of " + p + ": offset " + p.fetchOffset
          + " is out of range, said broker " + broker + ", and there is no offsetReset"));
    } else {
      reset(p);
    }
  }

  /**
   * Takes over the id of a topic. If it changes, the topic was deleted and created again, and the position belongs to a
   * log that is gone. Without this, the former position counted in the new log, and its first records were skipped.
   *
   * @return false if only the application can say where to continue
   */
  boolean acceptTopicId(Uuid topicId, PartitionFetchState p) {
    boolean isAnotherLog = !p.topicId.equals(Uuid.ZERO) && !topicId.equals(Uuid.ZERO) && p.fetchOffset >= 0;
    if (isAnotherLog) {
      String what = "fetch of " + p + ": the topic was made again, offset " + p.fetchOffset
          + " was one of the former topic, and ";
      if (settings.policy().isNone()) {
        fail(p, new PositionOutOfRangeException(p.name(), p.fetchOffset, what + "there is no offsetReset"));
        return false;
      }
      failures.report(p.toString(), new KafkaException(ErrorCode.OFFSET_OUT_OF_RANGE, what
          + "reading goes on where offsetReset says"), true);
      reset(p);
    }
    p.topicId = topicId;
    return true;
  }

  private void reset(PartitionFetchState p) {
    p.reset(settings.policy().timestamp());
    fetcher.markDirty();
  }

  /**
   * Continues at the offset where the log diverged, since it has lost records that were read (KIP-320). If that offset
   * is not known, {@link PositionPolicy} decides.
   */
  void truncated(PartitionFetchState p, String broker, int epoch, long end) {
    KafkaException cause = settings.policy().truncated(p.name(), broker, p.fetchOffset, p.fetchedEpoch, end, epoch);
    if (settings.policy().isNone()) {
      fail(p, cause);
      return;
    }
    client.telemetry().consumer().truncated(p.toString(), cause);
    if (end < 0) {
      reset(p);
    } else {
      p.moveTo(Math.min(end, p.fetchOffset), epoch);
      p.jumps = true;
      fetcher.positionFound(p);
    }
  }

  /**
   * Moves the fetch offset behind the records. If no whole batch reaches beyond the offset, the partition fails: the
   * offset would not move, and the same fetch would be repeated for ever.
   */
  boolean advance(PartitionFetchState p, ByteBuffer records, int from, int to, String broker) {
    if (BatchHeaders.isOld(records, from, to)) {
      fail(p, new KafkaException(ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT, "records of " + p + " at offset "
          + p.fetchOffset + " from broker " + broker + " are in a format from before Kafka 0.11, which this client does"
          + " not read; seek past them, or read them with Apache's consumer"));
      return false;
    }
    int last = BatchHeaders.last(records, from, to);
    if (last >= 0 && BatchHeaders.end(records, last) > p.fetchOffset) {
      p.fetchOffset = BatchHeaders.end(records, last);
      p.fetchedEpoch = BatchHeaders.leaderEpoch(records, last);
      return true;
    }
    fail(p, new KafkaException(ErrorCode.CORRUPT_MESSAGE, "records of " + p + " at offset " + p.fetchOffset
        + " from broker " + broker + " cannot be read: no whole batch reaches that offset"));
    return false;
  }

  private void fail(PartitionFetchState p, KafkaException cause) {
    failures.fail(p, cause);
    fetcher.retryLater(p);
    fetcher.beginProblem(p, cause);
  }
}
