package dev.decant.kafka.fetch;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.ResponseHandler;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochRequest;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Asks a leader whether its log still has what was read up to a position (OffsetForLeaderEpoch, KIP-320). Needed only
 * where followers are read: a leader that hands out records checks that with each fetch. Owner of the loop only.
 */
final class EpochCheck {
  private static final int MIN_VERSION = 3;
  private static final int MAX_VERSION = 4;
  private static final int CONSUMER = -1;

  private final Fetcher fetcher;
  private final FetchResponseHandler answers;

  EpochCheck(Fetcher fetcher, FetchResponseHandler answers) {
    this.fetcher = fetcher;
    this.answers = answers;
  }

  void ask(PartitionFetchState p, BrokerLink link) {
    if (p.asking) {
      return;
    }
    if (!link.isReady()) {
      link.ensureConnected();
      return;
    }
    short version;
    try {
      version = link.versions().choose(OffsetForLeaderEpochRequest.API_KEY, MIN_VERSION, MAX_VERSION, link.name());
    } catch (KafkaException e) {
      p.checkedEpoch = p.leaderEpoch; // a broker that cannot be asked is believed
      return;
    }
    p.asking = true;
    OffsetForLeaderEpochRequest request = new OffsetForLeaderEpochRequest().replicaId(CONSUMER)
        .topics(List.of(new OffsetForLeaderEpochRequest.OffsetForLeaderTopic().topic(p.topic)
            .partitions(List.of(new OffsetForLeaderEpochRequest.OffsetForLeaderPartition().partition(p.partition)
                .currentLeaderEpoch(p.leaderEpoch).leaderEpoch(p.fetchedEpoch)))));
    link.send(OffsetForLeaderEpochRequest.API_KEY, version, true, request::write, new Answer(p, link.name()));
  }

  /** Takes the answer for one partition. */
  private final class Answer implements ResponseHandler {
    private final PartitionFetchState partition;
    private final String broker;
    private final int seeks;
    private final int leaderEpoch;

    Answer(PartitionFetchState partition, String broker) {
      this.partition = partition;
      this.broker = broker;
      this.seeks = partition.seeks;
      this.leaderEpoch = partition.leaderEpoch;
    }

    private boolean isCurrent() {
      return seeks == partition.seeks && !partition.removed;
    }

    @Override
    public void onResponse(ProtocolReader in, short version, @Nullable PooledBuffer lease) {
      OffsetForLeaderEpochResponse response = OffsetForLeaderEpochResponse.read(in, version);
      if (!isCurrent()) {
        return; // the application has gone elsewhere meanwhile
      }
      partition.asking = false;
      for (OffsetForLeaderEpochResponse.OffsetForLeaderTopicResult topic : response.topics()) {
        for (OffsetForLeaderEpochResponse.EpochEndOffset end : topic.partitions()) {
          if (topic.topic().equals(partition.topic) && end.partition() == partition.partition) {
            take(end);
            return;
          }
        }
      }
      failed(ErrorCode.NONE, "did not name it in its answer");
    }

    private void failed(ErrorCode code, String what) {
      fetcher.lookupFailed(partition,
          new KafkaException(code, "leader epoch of " + partition + ": broker " + broker + " " + what),
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
        answers.truncated(partition, broker, end.leaderEpoch(), end.endOffset());
      }
      fetcher.markDirty();
      fetcher.doWork();
    }

    @Override
    public void onFailure(KafkaException cause) {
      if (seeks == partition.seeks) {
        partition.asking = false;
      }
      fetcher.lookupFailed(partition, cause, true);
    }
  }
}
