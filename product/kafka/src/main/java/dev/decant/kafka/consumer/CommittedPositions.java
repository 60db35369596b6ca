package dev.decant.kafka.consumer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.fetch.Fetcher;
import dev.decant.kafka.fetch.PartitionFetchState;
import dev.decant.kafka.group.OffsetFetchListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Where partitions go on: at the group's committed offset, or where {@link OffsetReset} says. Owner of the loop. */
final class CommittedPositions implements OffsetFetchListener {
  /** A partition as it was when the question was asked. */
  private record Asked(PartitionFetchState partition, int seeks) {
    boolean isCurrent() {
      return partition.isCurrent(seeks);
    }
  }

  private final Fetcher fetcher;
  private final OffsetReset reset;
  private final List<Asked> asked = new ArrayList<>();

  CommittedPositions(Fetcher fetcher, OffsetReset reset) {
    this.fetcher = fetcher;
    this.reset = reset;
  }

  void add(AssignedPartition p, int seeks) {
    asked.add(new Asked(p.fetch, seeks));
    fetcher.awaitCommitted(p.fetch, seeks);
  }

  @Override
  public boolean isWanted() {
    return asked.stream().anyMatch(Asked::isCurrent);
  }

  @Override
  public void onFound(Map<TopicPartition, OffsetAndMetadata> offsets) {
    for (Asked a : asked) {
      if (a.isCurrent()) {
        PartitionFetchState p = a.partition();
        OffsetAndMetadata committed = offsets.get(p.name());
        if (committed != null) {
          fetcher.committedFound(p, committed.offset(), committed.leaderEpoch());
        } else if (reset.equals(OffsetReset.NONE)) {
          fetcher.nothingCommitted(p, new NoPositionException(List.of(p.name())));
        } else {
          fetcher.nothingCommitted(p, reset.timestamp());
        }
      }
    }
    fetcher.onChange();
    fetcher.doWork();
  }

  @Override
  public void onRefused(KafkaException cause) {
    fetcher.refused(asked.stream().filter(Asked::isCurrent).map(Asked::partition).toList(), cause);
  }
}
