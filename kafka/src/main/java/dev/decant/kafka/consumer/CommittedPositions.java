package dev.decant.kafka.consumer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.group.OffsetQuery;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Where partitions go on: at the group's committed offset, or where {@link OffsetReset} says. Owner of the loop. */
final class CommittedPositions implements OffsetQuery {
  /** A partition as it was when the question was asked. */
  private record Asked(AssignedPartition partition, int seeks) {
    boolean isCurrent() {
      return !partition.removed && partition.fetchSeeks == seeks;
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
    asked.add(new Asked(p, seeks));
    fetcher.seek(p, seeks, AssignedPartition.UNKNOWN, 0);
    p.asksCommitted = true;
  }

  /** What poll says of a partition that nobody knows where to begin in. */
  static KafkaException withoutPosition(AssignedPartition p) {
    return new KafkaException(ErrorCode.NONE, "poll: " + p + " has no position, and offsetReset is NONE; seek first");
  }

  @Override
  public boolean isWanted() {
    return asked.stream().anyMatch(Asked::isCurrent);
  }

  @Override
  public void onFound(Map<TopicPartition, OffsetAndMetadata> offsets) {
    for (Asked a : asked) {
      if (a.isCurrent()) {
        AssignedPartition p = a.partition();
        OffsetAndMetadata committed = offsets.get(p.name());
        p.asksCommitted = false;
        if (committed != null) {
          p.moveTo(committed.offset(), committed.leaderEpoch());
          p.found = committed.offset();
          p.foundEpoch = committed.leaderEpoch();
          p.foundCommitted = true;
          p.foundSeeks = a.seeks();
          fetcher.positionFound(p);
        } else if (reset.equals(OffsetReset.NONE)) {
          p.asksCommitted = true; // a seek ends that
          p.withoutOffset = a.seeks();
          fetcher.fail(p.toString(), withoutPosition(p));
        } else {
          p.resetTimestamp = reset.timestamp();
        }
      }
    }
    fetcher.onChange();
    fetcher.doWork();
  }

  @Override
  public void onRefused(KafkaException cause) {
    fetcher.fail("committed offsets", cause);
  }
}
