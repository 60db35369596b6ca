package dev.decant.fake.differential;

import dev.decant.kafka.protocol.message.FetchRequest.FetchPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Scenarios of topics and records that are written by hand. Each begins with topics of its own. */
final class Scenarios {
  private static final int TOPIC = 2;
  private static final int BROKER = 4;
  /** A topic that is there, and one that may be. */
  private final String topic;
  private final String other;

  Scenarios(String prefix) {
    topic = prefix + "-orders";
    other = prefix + "-other";
  }

  private Step made() {
    return Steps.create(7, topic, 2, 1, Map.of());
  }

  Map<String, List<Step>> byHand() {
    Map<String, List<Step>> all = new TreeMap<>(
        Map.of("versions", versions(), "topics", topics(), "refused topics", refusedTopics(),
            "produce", produce(), "idempotence", idempotence(), "fetch", fetch(), "sessions", sessions(), "offsets",
            offsets(), "delete records", deleteRecords(), "configs", configs()));
    all.put("reassignments", reassignments());
    return all;
  }

  private List<Step> versions() {
    List<Step> steps = new ArrayList<>();
    for (int version = 0; version <= 4; version++) {
      steps.add(Steps.apiVersions(version, "decant"));
    }
    steps.add(Steps.apiVersions(3, "-bad name-"));
    return steps;
  }

  private List<Step> topics() {
    List<Step> steps = new ArrayList<>();
    for (int version = 2; version <= 7; version++) {
      steps.add(Steps.create(version, topic + version, 2, 1, Map.of("retention.ms", "5000")));
      steps.add(Steps.metadata(Math.max(0, version), topic + version));
    }
    for (int version = 0; version <= 13; version++) {
      steps.add(Steps.metadata(version, topic + "2"));
      steps.add(Steps.metadata(version, other));
    }
    steps.add(Steps.createAssigned(other, Map.of(0, List.of(1), 1, List.of(1))));
    for (int version = 0; version <= 3; version++) {
      steps.add(Steps.createPartitions(version, other, version + 3));
      steps.add(Steps.createPartitions(version, other, 2));
      steps.add(Steps.createPartitions(version, other, version + 3));
      steps.add(Steps.createPartitions(version, "absent", 2));
    }
    steps.add(Steps.metadata(12, other));
    for (int version = 1; version <= 6; version++) {
      steps.add(Steps.delete(version, topic + (version + 1)));
      steps.add(Steps.delete(version, topic + (version + 1)));
    }
    steps.add(Steps.deleteById(other));
    steps.add(Steps.deleteById(other));
    return steps;
  }

  private List<Step> refusedTopics() {
    return List.of(made(), made(), Steps.create(2, topic, 1, 1, Map.of()), Steps.create(7, "a b", 1, 1, Map.of()),
        Steps.create(7, "", 1, 1, Map.of()), Steps.create(7, "..", 1, 1, Map.of()),
        Steps.create(7, "x".repeat(250), 1, 1, Map.of()), Steps.create(7, other, 0, 1, Map.of()),
        Steps.create(7, other, -2, 1, Map.of()), Steps.create(7, other, 1, 0, Map.of()),
        Steps.create(7, other, 1, 2, Map.of()), Steps.create(7, other, 1, 1, Map.of("retention", "1")),
        Steps.create(7, other, 1, 1, Map.of("retention.ms", "soon")),
        Steps.create(7, other, 1, 1, Map.of("retention.ms", "-2")),
        Steps.create(7, other, 1, 1, Map.of("min.insync.replicas", "0")),
        Steps.create(7, other, 1, 1, Map.of("cleanup.policy", "none")),
        Steps.create(7, other, 1, 1, Map.of("compression.type", "zip")),
        Steps.create(7, other, 1, 1, Map.of("preallocate", "perhaps")),
        Steps.create(7, other, 1, 1, Map.of("min.cleanable.dirty.ratio", "2")),
        Steps.create(7, topic.replace('-', '.'), 1, 1, Map.of()),
        Steps.create(7, topic.replace('-', '_'), 1, 1, Map.of()),
        Steps.createAssigned(other, Map.of(1, List.of(1))), Steps.createAssigned(other, Map.of(0, List.of(9))),
        Steps.createAssigned(other, Map.of(0, List.of(1, 1))), Steps.createAssigned(other, Map.of(0, List.of())),
        Steps.create(7, other, -1, -1, Map.of()), Steps.metadata(12, other));
  }

  private List<Step> reassignments() {
    List<Step> steps = new ArrayList<>(List.of(made()));
    for (int version = 0; version <= 1; version++) {
      steps.add(Steps.reassign(version, true, topic, 0, List.of(1)));
      steps.add(Steps.reassign(version, true, topic, 0, null));
      steps.add(Steps.reassign(version, true, topic, 0, List.of()));
      steps.add(Steps.reassign(version, true, topic, 0, List.of(1, 1)));
      steps.add(Steps.reassign(version, true, topic, 0, List.of(9)));
      steps.add(Steps.reassign(version, true, topic, 0, List.of(-1)));
      steps.add(Steps.reassign(version, true, topic, 7, List.of(1)));
      steps.add(Steps.reassign(version, true, other, 0, List.of(1)));
    }
    steps.add(Steps.reassign(1, false, topic, 0, List.of(1)));
    steps.add(Steps.reassign(1, false, topic, 0, List.of(1, 2)));
    steps.add(Steps.reassignments(null));
    steps.add(Steps.reassignments(topic));
    steps.add(Steps.reassignments(other));
    steps.add(Steps.metadata(12, topic));
    return steps;
  }

  private List<Step> produce() {
    List<Step> steps = new ArrayList<>(List.of(made()));
    for (int version = 3; version <= 13; version++) {
      steps.add(Steps.produce(version, topic, 0, -1, Batch.of(2, 1_000L * version)));
      steps.add(Steps.produce(version, topic, 1, 1, Batch.of(1, 5)));
      steps.add(Steps.produce(version, topic, 2, -1, Batch.of(1, 5)));
      steps.add(Steps.produce(version, other, 0, -1, Batch.of(1, 5)));
      steps.add(Steps.produce(version, topic, 0, 2, Batch.of(1, 5)));
    }
    steps.add(Steps.produce(11, topic, 0, -1, Batch.ofSize(2 << 20)));
    steps.add(Steps.produce(11, topic, 0, -1, Batch.damaged()));
    steps.add(Steps.produce(11, topic, 0, -1, Batch.of(1, Long.MAX_VALUE / 2)));
    steps.add(Steps.produce(11, topic, 0, 0, Batch.of(1, 5)));
    steps.add(Steps.listOffsets(7, topic, 0, -1, 0, -1));
    steps.add(Steps.produce(11, other, 0, 0, Batch.of(1, 5)));
    steps.add(Steps.metadata(12, topic));
    return steps;
  }

  private List<Step> idempotence() {
    List<Step> steps = new ArrayList<>(List.of(made(), Steps.initProducer("0"), Steps.initProducer("1")));
    for (Batch batch : List.of(Batch.from("0", 0, 0, 2), Batch.from("0", 0, 0, 2), Batch.from("0", 0, 3, 1),
        Batch.from("0", 0, 2, 1), Batch.from("0", 0, 1, 1), Batch.from("0", 0, 0, 1), Batch.from("0", 1, 1, 1),
        Batch.from("0", 1, 0, 1), Batch.from("0", 0, 3, 1), Batch.from("0", 1, 1, 3), Batch.from("0", 1, 0, 1),
        Batch.from("1", 0, 5, 1), Batch.from("1", 0, 6, 1), Batch.from("1", 0, 7, 1), Batch.from("1", 0, 8, 1),
        Batch.from("1", 0, 9, 1), Batch.from("1", 0, 10, 1), Batch.from("1", 0, 5, 1), Batch.from("1", 0, 6, 1),
        Batch.from("1", 0, 10, 1), Batch.from("1", 0, -1, 1))) {
      steps.add(Steps.produce(11, topic, 0, -1, batch));
    }
    steps.add(Steps.fetch(12, topic, 0, 0, 0));
    return steps;
  }

  private List<Step> fetch() {
    List<Step> steps = new ArrayList<>(List.of(made()));
    steps.add(Steps.produce(11, topic, 0, -1, Batch.of(3, 1_000)));
    steps.add(Steps.produce(11, topic, 0, -1, Batch.of(2, 2_000)));
    for (int version = 4; version <= 18; version++) {
      for (long offset : new long[] {0, 2, 5, 6, -1}) {
        steps.add(Steps.fetch(version, topic, 0, offset, version % 2));
      }
      steps.add(Steps.fetch(version, topic, 7, 0, 0));
      steps.add(Steps.fetch(version, other, 0, 0, 0));
    }
    for (int epoch = -1; epoch <= 1; epoch++) {
      steps.add(Steps.fetch(16, topic, new FetchPartition().currentLeaderEpoch(epoch), 0, -1));
      steps.add(Steps.fetch(16, topic, new FetchPartition().lastFetchedEpoch(epoch).fetchOffset(5), 0, -1));
    }
    steps.add(Steps.fetch(16, topic, new FetchPartition().partitionMaxBytes(80), 0, -1));
    steps.add(Steps.fetch(16, topic, new FetchPartition().partitionMaxBytes(100), 0, -1));
    return steps;
  }

  private List<Step> sessions() {
    List<Step> steps = new ArrayList<>(List.of(made()));
    steps.add(Steps.produce(11, topic, 0, -1, Batch.of(3, 1_000)));
    for (int version : new int[] {7, 12, 13, 18}) {
      steps.add(Steps.fetch(version, topic, new FetchPartition(), 0, 0));
      steps.add(Steps.fetch(version, topic, new FetchPartition().fetchOffset(3), 0, 1));
      steps.add(Steps.fetch(version, topic, new FetchPartition().partition(-1), 0, 2));
      steps.add(Steps.produce(11, topic, 0, -1, Batch.of(1, 1_000)));
      steps.add(Steps.fetch(version, topic, new FetchPartition().partition(-1), 0, 3));
      steps.add(Steps.fetch(version, topic, new FetchPartition().partition(-1), 0, 7));
      steps.add(Steps.deleteRecords(2, topic, 0, -1));
      steps.add(Steps.fetch(version, topic, new FetchPartition().partition(-1), 0, 4));
    }
    return steps;
  }

  private List<Step> offsets() {
    List<Step> steps = new ArrayList<>(List.of(made()));
    for (int round = 0; round < 2; round++) {
      for (int version = 1; version <= 11; version++) {
        for (long timestamp = -7; timestamp <= 0; timestamp++) {
          steps.add(Steps.listOffsets(version, topic, 0, timestamp, version % 2, -1));
        }
        steps.add(Steps.listOffsets(version, topic, 0, 1_500, 0, -1));
        steps.add(Steps.listOffsets(version, topic, 0, 9_000, 0, -1));
      }
      steps.add(Steps.produce(11, topic, 0, -1, Batch.of(3, 1_000)));
      steps.add(Steps.produce(11, topic, 0, -1, Batch.of(2, 2_000)));
    }
    for (int epoch = -1; epoch <= 1; epoch++) {
      steps.add(Steps.listOffsets(7, topic, 0, -1, 0, epoch));
      for (int version = 2; version <= 4; version++) {
        for (int current = -1; current <= 1; current++) {
          steps.add(Steps.endOfEpoch(version, topic, 0, epoch, current));
        }
      }
    }
    steps.add(Steps.listOffsets(7, topic, 5, -1, 0, -1));
    steps.add(Steps.listOffsets(7, other, 0, -1, 0, -1));
    steps.add(Steps.endOfEpoch(4, topic, 5, 0, -1));
    steps.add(Steps.endOfEpoch(4, other, 0, 0, -1));
    steps.add(Steps.endOfEpoch(4, topic, 1, 0, -1));
    return steps;
  }

  private List<Step> deleteRecords() {
    List<Step> steps = new ArrayList<>(List.of(made()));
    steps.add(Steps.produce(11, topic, 0, -1, Batch.of(5, 1_000)));
    for (long offset : new long[] {2, 1, 6, -2, -1}) {
      for (int version = 0; version <= 2; version++) {
        steps.add(Steps.deleteRecords(version, topic, 0, offset));
      }
      steps.add(Steps.fetch(12, topic, 0, 1, 0));
      steps.add(Steps.listOffsets(7, topic, 0, -2, 0, -1));
      steps.add(Steps.listOffsets(7, topic, 0, -3, 0, -1));
      steps.add(Steps.listOffsets(7, topic, 0, 0, 0, -1));
      steps.add(Steps.endOfEpoch(4, topic, 0, 0, -1));
    }
    steps.add(Steps.deleteRecords(2, topic, 5, 0));
    steps.add(Steps.deleteRecords(2, other, 0, 0));
    steps.add(Steps.create(7, other, 1, 1, Map.of("cleanup.policy", "compact")));
    steps.add(Steps.deleteRecords(2, other, 0, 0));
    return steps;
  }

  private List<Step> configs() {
    List<Step> steps = new ArrayList<>(List.of(made()));
    for (int version = 1; version <= 4; version++) {
      steps.add(Steps.describeConfigs(version, TOPIC, topic, version % 2 == 0));
      steps.add(Steps.describeConfigs(version, TOPIC, other, true));
    }
    steps.add(Steps.describeConfigs(4, TOPIC, "a b", true));
    steps.add(Steps.describeConfigs(4, BROKER, "9", true));
    steps.add(Steps.describeConfigs(4, BROKER, "x", true));
    for (int version = 0; version <= 1; version++) {
      steps.add(Steps.alterConfigs(version, TOPIC, topic, 0, "retention.ms", "7"));
      steps.add(Steps.alterConfigs(version, TOPIC, topic, 0, "retention.ms", "-7"));
      steps.add(Steps.alterConfigs(version, TOPIC, topic, 0, "retention.ms", "x"));
      steps.add(Steps.alterConfigs(version, TOPIC, topic, 0, "nothing", "x"));
      steps.add(Steps.alterConfigs(version, TOPIC, topic, 2, "retention.ms", "7"));
      steps.add(Steps.alterConfigs(version, TOPIC, topic, 2, "cleanup.policy", "compact"));
      steps.add(Steps.alterConfigs(version, TOPIC, topic, 3, "cleanup.policy", "delete"));
      steps.add(Steps.alterConfigs(version, TOPIC, other, 0, "retention.ms", "7"));
      steps.add(Steps.alterConfigs(version, TOPIC, "a b", 0, "retention.ms", "7"));
      steps.add(Steps.alterConfigs(version, BROKER, "9", 0, "log.retention.ms", "7"));
      steps.add(Steps.alterConfigs(version, 77, "1", 0, "log.retention.ms", "7"));
      steps.add(Steps.describeConfigs(4, TOPIC, topic, true));
      steps.add(Steps.alterConfigs(version, TOPIC, topic, 1, "retention.ms", null));
      steps.add(Steps.alterConfigs(version, TOPIC, topic, 1, "cleanup.policy", null));
    }
    steps.add(Steps.alterConfigs(1, TOPIC, topic, 0, "max.message.bytes", "75"));
    steps.add(Steps.produce(11, topic, 0, -1, Batch.ofSize(50)));
    steps.add(Steps.produce(11, topic, 0, -1, Batch.of(1, 1)));
    steps.add(Steps.alterConfigs(1, TOPIC, topic, 0, "message.timestamp.before.max.ms", "1000"));
    steps.add(Steps.produce(11, topic, 0, -1, Batch.of(1, 1)));
    return steps;
  }
}
