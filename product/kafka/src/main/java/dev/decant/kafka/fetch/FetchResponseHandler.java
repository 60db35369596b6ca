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

/** What a fetch response says of a partition beside its records, and what follows from that. Owner of the loop only. */
final class FetchResponseHandler {
  /** As long as metadata lasts (KIP-392). */
  private static final long REPLICA_LEASE_NANOS = 300_000_000_000L;
  /** How long a leader is not told of our rack after the follower that it named was of no use. */
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

  /** Where brokers are that partitions of the response have moved to (KIP-951). */
  void takeNodes(FetchResponseReader response) {
    List<FetchResponseReader.Node> nodes = response.nodes();
    for (int i = 0; i < nodes.size(); i++) {
      client.cluster().brokerAt(nodes.get(i).id(), nodes.get(i).address());
    }
  }

  /** Takes all of the partition that the response is at but the records; says whether these are to be looked at. */
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

  /** Back to the leader, for a while without telling it our rack. */
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
      leaderOnly(p); // the leader knows better what is in its log, and whether it leads
    } else if (code == ErrorCode.OFFSET_OUT_OF_RANGE) {
      outOfRange(broker, p);
    } else {
      failures.report(p.toString(), cause, code.isRetriable());
      fetcher.note(p, cause);
      if (!movedTo(p, data.leader(), data.leaderEpoch())) {
        client.cluster().requestUpdate();
        fetcher.retryLater(p);
      }
    }
  }

  /** Whether the broker has told who leads now; then nobody has to be asked (KIP-951). */
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
   * Takes over the id of a topic. If that was another one, the topic was deleted and made again, and the position is
   * that of a log which is gone: its number may be one in the new log, too, but of another record.
   *
   * @return false if the application has to say where reading goes on
   */
  boolean goesOnIn(Uuid topicId, PartitionFetchState p) {
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
   * The log has lost records that were read: reading goes on where it diverged, or if nobody knows that, where
   * {@link PositionPolicy} says.
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

  /** Moves the fetch offset behind the records; without a whole batch it would stay, and be asked for for ever. */
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
    fetcher.note(p, cause);
  }
}
