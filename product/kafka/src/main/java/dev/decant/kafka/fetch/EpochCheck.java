package dev.decant.kafka.fetch;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.Call;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochRequest;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks with a leader that its log still has the records up to a position (OffsetForLeaderEpoch, KIP-320). Needed if
 * followers are read, and if the leader is older than Fetch v12. Newer leaders make the check with each fetch. Owner of
 * the loop only.
 */
final class EpochCheck {
  /** First version for users who may read the topic; earlier ones need a permission on the cluster. */
  private static final int MIN_VERSION = 3;
  /** First version of Fetch with which a leader makes the check. */
  private static final int FIRST_CHECKING_FETCH = 12;
  private static final int MAX_VERSION = 4;
  private static final int CONSUMER = -1;

  private final Fetcher fetcher;
  private final FetchResponseHandler handler;

  EpochCheck(Fetcher fetcher, FetchResponseHandler handler) {
    this.fetcher = fetcher;
    this.handler = handler;
  }

  /**
   * Returns true if a connected leader makes no check with fetches, and supports this request. Without support for it
   * (before 2.3), no check is made.
   */
  static boolean isNeededFor(@Nullable BrokerLink leader) {
    return leader != null && leader.isReady() && !leader.versions().offers(ApiKey.FETCH, FIRST_CHECKING_FETCH)
        && leader.versions().offers(ApiKey.OFFSET_FOR_LEADER_EPOCH, MIN_VERSION);
  }

  void start(PartitionFetchState p, BrokerLink link) {
    if (p.lookupInFlight) {
      return;
    }
    if (!link.isReady()) {
      link.ensureConnected();
      return;
    }
    p.lookupInFlight = true;
    OffsetForLeaderEpochRequest request = new OffsetForLeaderEpochRequest().replicaId(CONSUMER)
        .topics(List.of(new OffsetForLeaderEpochRequest.OffsetForLeaderTopic().topic(p.topic)
            .partitions(List.of(new OffsetForLeaderEpochRequest.OffsetForLeaderPartition().partition(p.partition)
                .currentLeaderEpoch(p.leaderEpoch).leaderEpoch(p.fetchedEpoch)))));
    link.send(new CheckCall(p, request));
  }

  /** The request for one partition. */
  private final class CheckCall extends Call {
    private final PartitionFetchState partition;
    private final OffsetForLeaderEpochRequest request;
    private final int seeks;
    private final int leaderEpoch;

    CheckCall(PartitionFetchState partition, OffsetForLeaderEpochRequest request) {
      super(ApiKey.OFFSET_FOR_LEADER_EPOCH, MIN_VERSION, MAX_VERSION);
      this.partition = partition;
      this.request = request;
      this.seeks = partition.seeks;
      this.leaderEpoch = partition.leaderEpoch;
    }

    private boolean isCurrent() {
      return seeks == partition.seeks && !partition.removed;
    }

    @Override
    public void write(ProtocolWriter out, short version) {
      request.write(out, version);
    }

    @Override
    protected void onResponse(ProtocolReader in, short version, @Nullable PooledBuffer lease) {
      OffsetForLeaderEpochResponse response = OffsetForLeaderEpochResponse.read(in, version);
      if (!isCurrent()) {
        return; // sought since the request
      }
      partition.lookupInFlight = false;
      for (OffsetForLeaderEpochResponse.OffsetForLeaderTopicResult topic : response.topics()) {
        for (OffsetForLeaderEpochResponse.EpochEndOffset end : topic.partitions()) {
          if (topic.topic().equals(partition.topic) && end.partition() == partition.partition) {
            take(end);
            return;
          }
        }
      }
      failed(ErrorCode.NONE, "did not name it in its response");
    }

    private void failed(ErrorCode code, String what) {
      fetcher.lookupFailed(partition,
          new KafkaException(code, "leader epoch of " + partition + ": broker " + brokerName() + " " + what),
          code == ErrorCode.NONE || code.isRetriable());
    }

    private void take(OffsetForLeaderEpochResponse.EpochEndOffset end) {
      ErrorCode code = ErrorCode.of(end.errorCode());
      if (code != ErrorCode.NONE) {
        failed(code, "answered " + code);
        return;
      }
      if (end.leaderEpoch() >= partition.fetchedEpoch && end.endOffset() >= partition.fetchOffset) {
        partition.checkedEpoch = leaderEpoch;
      } else {
        handler.truncated(partition, brokerName(), end.leaderEpoch(), end.endOffset());
      }
      fetcher.markDirty();
      fetcher.doWork();
    }

    @Override
    protected void onUnsupported(KafkaException cause) {
      partition.lookupInFlight = false;
      partition.checkedEpoch = leaderEpoch; // no check is possible with this broker
      fetcher.markDirty();
    }

    @Override
    protected void onFailure(KafkaException cause) {
      if (seeks == partition.seeks) {
        partition.lookupInFlight = false;
      }
      fetcher.lookupFailed(partition, cause, true);
    }
  }
}
