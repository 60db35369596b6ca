package dev.decant.fake.differential;

import dev.decant.fake.differential.GroupSteps.Who;
import dev.decant.fake.differential.OffsetSteps.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Scenarios of transactions that are written by hand. */
final class TransactionScenarios {
  private final String topic;
  private final String group;
  private final String id;

  TransactionScenarios(String prefix) {
    topic = prefix + "-orders";
    group = prefix + "-group";
    id = prefix + "-id";
  }

  Map<String, List<Step>> byHand() {
    return new TreeMap<>(Map.of("transactions", transactions(), "fences", fences(), "offsets in transactions",
        offsets(), "refused transactions", refused(), "markers", markers(), "repeated markers", repeatedMarkers(),
        "numbers", numbers()));
  }

  private Step made() {
    return Steps.create(7, topic, 2, 1, Map.of());
  }

  private Step write(int version, int partition) {
    return Steps.produce(version, topic, partition, -1, Batch.transactional(id, 0, Batch.NEXT, 2), id);
  }

  private List<Step> sight() {
    return List.of(TransactionSteps.describe(id), TransactionSteps.list(2, List.of(), ""),
        TransactionSteps.producers(topic, 0), Steps.fetch(12, topic, 0, 0, 1), Steps.fetch(12, topic, 0, 0, 0),
        Steps.listOffsets(7, topic, 0, -1, 1, -1), Steps.listOffsets(7, topic, 0, -1, 0, -1));
  }

  private List<Step> transactions() {
    List<Step> steps = new ArrayList<>(List.of(made(), TransactionSteps.describe(id)));
    for (int version = 0; version <= 5; version++) {
      steps.add(TransactionSteps.init(version, id));
      for (boolean isCommit : new boolean[] {true, false}) {
        if (version < 5) {
          steps.add(TransactionSteps.addPartitions(version, id, 0, topic, List.of(0, 1)));
        }
        steps.add(write(version < 5 ? 11 : 13, 0));
        steps.add(write(version < 5 ? 11 : 12, 1));
        steps.addAll(sight());
        steps.add(TransactionSteps.end(version, id, 0, isCommit));
        steps.addAll(sight());
        steps.add(TransactionSteps.end(version, id, 0, isCommit));
        steps.add(TransactionSteps.end(version, id, 0, !isCommit));
      }
    }
    steps.add(TransactionSteps.end(5, id, -1, false));
    steps.add(TransactionSteps.end(5, id, -1, true));
    return steps;
  }

  private List<Step> fences() {
    return List.of(made(), TransactionSteps.init(4, id), TransactionSteps.initAgain(4, id, 0),
        TransactionSteps.initAgain(4, id, -1), TransactionSteps.initAgain(4, id, 1),
        TransactionSteps.addPartitions(3, id, 0, topic, List.of(0)), write(11, 0), TransactionSteps.initAgain(4, id, 0),
        TransactionSteps.initAgain(4, id, 0), TransactionSteps.addPartitions(3, id, -1, topic, List.of(0)),
        TransactionSteps.addPartitions(3, id, 0, topic, List.of(0)), write(11, 0), TransactionSteps.init(4, id),
        TransactionSteps.init(4, id), TransactionSteps.end(3, id, -1, true), TransactionSteps.end(4, id, -2, true),
        Steps.produce(11, topic, 0, -1, Batch.transactional(id, -2, 0, 1), id), write(12, 0),
        TransactionSteps.init(5, id), TransactionSteps.describe(id), TransactionSteps.init(5, id),
        TransactionSteps.describe(id), Steps.produce(12, topic, 0, -1, Batch.transactional(id, -1, 0, 1), id),
        write(12, 0), TransactionSteps.end(5, id, -1, true), TransactionSteps.end(5, id, 0, true),
        TransactionSteps.end(5, id, -1, true), TransactionSteps.producers(topic, 0));
  }

  private List<Step> offsets() {
    Who alone = new Who(Step.MAIN, group, null);
    Who a = new Who("a", group, null);
    List<Step> steps = new ArrayList<>(List.of(made(), TransactionSteps.init(5, id)));
    for (int version = 0; version <= 5; version++) {
      if (version < 5) {
        steps.add(TransactionSteps.addOffsets(Math.min(version, 4), id, 0, group));
      }
      steps.add(TransactionSteps.commitOffsets(version, id, 0, alone, new Position(topic, 0, 10 + version, "m")));
      steps.add(TransactionSteps.commitOffsets(version, id, 0, alone, new Position(topic, 7, 10 + version, "m")));
      steps.add(OffsetSteps.fetch(8, group, topic, false));
      steps.add(OffsetSteps.fetch(8, group, topic, true));
      steps.add(TransactionSteps.describe(id));
      steps.add(TransactionSteps.end(version, id, 0, version != 3));
      steps.add(OffsetSteps.fetch(8, group, topic, true));
    }
    steps.addAll(List.of(TransactionSteps.addOffsets(4, id, 0, ""), TransactionSteps.addOffsets(4, id, 1, group),
        TransactionSteps.commitOffsets(3, id, 0, alone, new Position(topic, 0, 1, "m")),
        TransactionSteps.commitOffsets(4, id, 0, alone, new Position(topic, 0, 1, "m")),
        TransactionSteps.commitOffsets(5, id, 3, alone, new Position(topic, 0, 1, "m")),
        TransactionSteps.commitOffsets(5, id, -1, alone, new Position(topic, 0, 1, "m")),
        GroupSteps.join(3, a, List.of("range=1")),
        TransactionSteps.commitOffsets(5, id, 0, a, new Position(topic, 0, 30, "m")),
        GroupSteps.sync(5, a, 0, List.of("a")),
        TransactionSteps.commitOffsets(5, id, 0, a, new Position(topic, 0, 31, "m")),
        TransactionSteps.commitOffsets(5, id, 0, alone, new Position(topic, 0, 32, "m")),
        TransactionSteps.commitOffsets(5, id, 0, new Who("b", group, "none"), new Position(topic, 0, 32, "m")),
        OffsetSteps.delete(group, topic, 0), GroupSteps.leave(5, a), GroupSteps.delete(2, group),
        OffsetSteps.fetch(8, group, topic, true), TransactionSteps.end(5, id, 0, true),
        OffsetSteps.fetch(8, group, topic, true)));
    return steps;
  }

  private List<Step> refused() {
    return List.of(made(), TransactionSteps.addPartitions(3, id, 0, topic, List.of(0)),
        TransactionSteps.addOffsets(3, id, 0, group), TransactionSteps.end(3, id, 0, true),
        TransactionSteps.end(5, id, 0, true), write(11, 0), write(12, 0), TransactionSteps.init(4, ""),
        TransactionSteps.init(4, id, 0), TransactionSteps.init(4, id, Integer.MAX_VALUE),
        TransactionSteps.init(4, id), write(11, 0), TransactionSteps.end(3, id, 0, true),
        TransactionSteps.end(3, id, 0, false), TransactionSteps.end(5, id, 0, true),
        TransactionSteps.end(5, id, 0, false), TransactionSteps.addPartitions(3, id, 0, topic, List.of(0, 9)),
        TransactionSteps.addPartitions(3, id, 0, topic + "-absent", List.of(0)),
        TransactionSteps.addPartitions(3, id, 3, topic, List.of(0)),
        TransactionSteps.addPartitions(5, id, 0, topic, List.of(0)),
        Steps.produce(11, topic, 0, -1, Batch.transactional(id, 0, Batch.NEXT, 1)),
        Steps.produce(11, topic, 0, -1, Batch.from(id, 0, Batch.NEXT, 1).now()), write(11, 1),
        Steps.produce(11, topic, 0, -1, Batch.of(1, 5).now(), id),
        TransactionSteps.list(1, List.of("Ongoing", "Odd"), ""),
        TransactionSteps.list(1, List.of("Empty"), id), TransactionSteps.list(0, List.of(), id));
  }

  private List<Step> markers() {
    return List.of(made(), TransactionSteps.init(4, id), TransactionSteps.addPartitions(3, id, 0, topic, List.of(0)),
        write(11, 0), TransactionSteps.markers(1, id, 0, false, topic, 0), TransactionSteps.producers(topic, 0),
        Steps.fetch(12, topic, 0, 0, 1),
        TransactionSteps.markers(1, id, 0, true, topic, 5), TransactionSteps.markers(1, id, 0, true, topic, 1),
        TransactionSteps.markers(2, id, 1, true, topic + "-absent", 0), TransactionSteps.end(4, id, 0, true),
        TransactionSteps.producers(topic, 0), Steps.fetch(12, topic, 0, 0, 1),
        TransactionSteps.markers(1, id, 2, true, topic, 0), TransactionSteps.markers(1, id, 0, true, topic, 0),
        TransactionSteps.producers(topic, 0), TransactionSteps.producers(topic, 5),
        TransactionSteps.producers(topic + "-absent", 0));
  }

  private List<Step> repeatedMarkers() {
    List<Step> steps = new ArrayList<>(List.of(made(), TransactionSteps.init(4, id),
        TransactionSteps.addPartitions(3, id, 0, topic, List.of(0)), write(11, 0)));
    for (int[] marker : new int[][] {{2, 0}, {2, 1}, {2, 1}, {2, 1}, {0, 1}, {0, 1}, {2, 0}, {2, 2}, {2, 2}}) {
      steps.add(TransactionSteps.versionedMarker(marker[0], id, marker[1], true, topic));
      steps.add(Steps.listOffsets(7, topic, 0, -1, 0, -1));
      steps.add(TransactionSteps.producers(topic, 0));
    }
    return steps;
  }

  /** Numbers of batches whose transaction did not have the partition when its coordinator was asked. */
  private List<Step> numbers() {
    return List.of(made(), TransactionSteps.init(4, id),
        Steps.produce(11, topic, 0, -1, Batch.transactional(id, 0, 0, 1), id),
        Steps.produce(11, topic, 0, -1, Batch.from(id, 0, 3, 1).now()),
        TransactionSteps.addPartitions(3, id, 0, topic, List.of(0)),
        Steps.produce(8, topic, 0, -1, Batch.transactional(id, 0, 4, 1), id),
        Steps.produce(8, topic, 0, -1, Batch.transactional(id, 0, 0, 1), id),
        Steps.produce(8, topic, 0, -1, Batch.transactional(id, 0, 1, 1), id),
        Steps.produce(11, topic, 1, -1, Batch.transactional(id, 0, 1, 1), id),
        Steps.produce(12, topic, 1, -1, Batch.transactional(id, 0, 1, 1), id),
        TransactionSteps.markers(1, id, 1, true, topic, 0),
        Steps.produce(9, topic, 0, -1, Batch.transactional(id, 0, 0, 1), id));
  }
}
