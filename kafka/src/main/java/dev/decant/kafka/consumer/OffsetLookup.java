package dev.decant.kafka.consumer;

import dev.decant.buffer.BytesReader;
import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.ResponseHandler;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ListOffsetsRequest;
import dev.decant.kafka.protocol.message.ListOffsetsResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Asks leaders for the offsets at which partitions begin or end (ListOffsets). Owner of the loop only. */
final class OffsetLookup {
  private static final int MIN_VERSION = 7;
  private static final int MAX_VERSION = 10;
  private static final int CONSUMER = -1;

  private final Fetcher fetcher;

  OffsetLookup(Fetcher fetcher) {
    this.fetcher = fetcher;
  }

  void ask(AssignedPartition p, BrokerLink link) {
    if (p.asking) {
      return;
    }
    if (!link.isReady()) {
      link.ensureConnected();
      return;
    }
    short version;
    try {
      version = link.versions().choose(ListOffsetsRequest.API_KEY, MIN_VERSION, MAX_VERSION, link.name());
    } catch (KafkaException e) {
      fetcher.lookupFailed(p, e, false);
      return;
    }
    p.asking = true;
    ListOffsetsRequest request = new ListOffsetsRequest().replicaId(CONSUMER)
        .isolationLevel(fetcher.isolation().wire())
        .topics(List.of(new ListOffsetsRequest.ListOffsetsTopic().name(p.topic)
            .partitions(List.of(new ListOffsetsRequest.ListOffsetsPartition().partitionIndex(p.partition)
                .currentLeaderEpoch(p.leaderEpoch).timestamp(p.resetTimestamp)))));
    link.send(ListOffsetsRequest.API_KEY, version, true, request::write, new Answer(p, p.fetchSeeks, link));
  }

  /** Takes the answer for one partition. */
  private final class Answer implements ResponseHandler {
    private final AssignedPartition partition;
    private final int seeks;
    private final BrokerLink link;

    Answer(AssignedPartition partition, int seeks, BrokerLink link) {
      this.partition = partition;
      this.seeks = seeks;
      this.link = link;
    }

    @Override
    public void onResponse(BytesReader in, short version, @Nullable PooledBuffer lease) {
      ListOffsetsResponse response = ListOffsetsResponse.read(in, version);
      if (seeks != partition.fetchSeeks || partition.removed) {
        return; // the application has gone elsewhere meanwhile
      }
      partition.asking = false;
      for (ListOffsetsResponse.ListOffsetsTopicResponse topic : response.topics()) {
        for (ListOffsetsResponse.ListOffsetsPartitionResponse p : topic.partitions()) {
          if (topic.name().equals(partition.topic) && p.partitionIndex() == partition.partition) {
            take(p);
            return;
          }
        }
      }
      failed(ErrorCode.NONE, "did not name it in its answer");
    }

    private void failed(ErrorCode code, String what) {
      fetcher.lookupFailed(partition,
          new KafkaException(code, "offset of " + partition + ": broker " + link.name() + " " + what),
          code == ErrorCode.NONE || code.isRetriable());
    }

    private void take(ListOffsetsResponse.ListOffsetsPartitionResponse p) {
      ErrorCode code = ErrorCode.of(p.errorCode());
      if (code == ErrorCode.NONE && p.offset() >= 0) {
        partition.moveTo(p.offset(), AssignedPartition.NO_EPOCH);
        partition.found = p.offset();
        partition.foundEpoch = AssignedPartition.NO_EPOCH;
        partition.foundSeeks = seeks;
        fetcher.positionFound(partition);
        fetcher.doWork();
      } else if (code == ErrorCode.NONE && partition.resetTimestamp >= 0) { // all records are older than that
        partition.resetTimestamp = OffsetReset.LATEST.timestamp();
        fetcher.goOn();
        fetcher.doWork();
      } else {
        failed(code, "answered " + code);
      }
    }

    @Override
    public void onFailure(KafkaException cause) {
      if (seeks == partition.fetchSeeks) {
        partition.asking = false;
      }
      fetcher.lookupFailed(partition, cause, true);
    }
  }
}
