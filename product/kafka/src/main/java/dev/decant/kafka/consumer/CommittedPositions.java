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

/** Starts partitions at their committed offsets, or where {@link OffsetReset} says. Owner of the loop only. */
final class CommittedPositions implements OffsetFetchListener {
  /** A partition and its number of seeks when the lookup began. */
  private record Lookup(PartitionFetchState partition, int seeks) {
    boolean isCurrent() {
      return partition.isCurrent(seeks);
    }
  }

  private final Fetcher fetcher;
  private final OffsetReset reset;
  private final List<Lookup> lookups = new ArrayList<>();

  CommittedPositions(Fetcher fetcher, OffsetReset reset) {
    this.fetcher = fetcher;
    this.reset = reset;
  }

  void add(AssignedPartition p, int seeks) {
    lookups.add(new Lookup(p.fetch, seeks));
    fetcher.awaitCommitted(p.fetch, seeks);
  }

  @Override
  public boolean isWanted() {
    return lookups.stream().anyMatch(Lookup::isCurrent);
  }

  @Override
  public void onFound(Map<TopicPartition, OffsetAndMetadata> offsets) {
    for (Lookup a : lookups) {
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
    fetcher.refused(lookups.stream().filter(Lookup::isCurrent).map(Lookup::partition).toList(), cause);
  }
}
