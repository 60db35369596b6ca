package dev.decant.fake.differential;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.FetchRequest.FetchPartition;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Operations on topics, records and configs in any order. */
final class RecordGrammar implements Grammar {
  private static final int TOPIC = 2;
  private static final List<String> CONFIGS = List.of("retention.ms=700000", "retention.ms=-5",
      "cleanup.policy=compact",
      "max.message.bytes=75", "max.message.bytes=1000", "message.timestamp.before.max.ms=1000", "nothing=1",
      "min.insync.replicas=2", "min.insync.replicas=1", "compression.type=zip");
  private final String topic;
  private final String other;
  private final Random random;

  RecordGrammar(String prefix, Random random) {
    this.topic = prefix + "-orders";
    this.other = prefix + "-other";
    this.random = random;
  }

  @Override
  public List<Step> first() {
    return List.of(Steps.create(7, topic, 2, 1, Map.of()), Steps.initProducer("0"), Steps.initProducer("1"));
  }

  @Override
  public List<Step> next() {
    int choice = random.nextInt(20);
    return List.of(choice < 6 ? admin(choice) : choice < 12 ? produce() : read(choice));
  }

  private String name() {
    return random.nextInt(6) == 0 ? other : topic;
  }

  private Step admin(int choice) {
    return switch (choice) {
      case 0 -> Steps.create(Grammar.version(random, ApiKey.CREATE_TOPICS), other, 1 + random.nextInt(3), 1, Map.of());
      case 1 -> random.nextBoolean()
          ? Steps.deleteById(other)
          : Steps.delete(Grammar.version(random, ApiKey.DELETE_TOPICS), other);
      case 2 -> Steps.createPartitions(Grammar.version(random, ApiKey.CREATE_PARTITIONS), name(),
          1 + random.nextInt(4));
      case 3 -> Steps.metadata(Grammar.version(random, ApiKey.METADATA), name());
      case 4 -> {
        String[] config = CONFIGS.get(random.nextInt(CONFIGS.size())).split("=", -1);
        yield Steps.alterConfigs(Grammar.version(random, ApiKey.INCREMENTAL_ALTER_CONFIGS), TOPIC, name(),
            random.nextInt(4), config[0], config[1]);
      }
      default -> Steps.describeConfigs(Grammar.version(random, ApiKey.DESCRIBE_CONFIGS), TOPIC, name(),
          random.nextBoolean());
    };
  }

  private Step produce() {
    int acks = random.nextInt(12) == 0 ? 2 : random.nextInt(12) == 0 ? 0 : random.nextBoolean() ? 1 : -1;
    Batch batch = switch (random.nextInt(10)) {
      case 0 -> Batch.damaged();
      case 1 -> Batch.ofSize(random.nextInt(2_000));
      case 2, 3, 4 -> Batch.of(1 + random.nextInt(3), random.nextInt(5_000));
      default -> Batch.from(String.valueOf(random.nextInt(2)), random.nextInt(8) == 0 ? 1 : 0,
          random.nextInt(3) == 0 ? random.nextInt(6) : Batch.NEXT, 1 + random.nextInt(2));
    };
    return Steps.produce(Grammar.version(random, ApiKey.PRODUCE), name(), random.nextInt(3), acks, batch);
  }

  private Step read(int choice) {
    int partition = random.nextInt(3);
    long offset = random.nextInt(12) - 1L;
    int epoch = random.nextInt(4) == 0 ? random.nextInt(3) - 1 : -1;
    int isolation = random.nextInt(2);
    int version = Grammar.version(random, ApiKey.FETCH);
    return switch (choice) {
      case 12, 13 -> Steps.fetch(version, name(), partition, offset, isolation);
      case 14 -> Steps.fetch(version, name(), new FetchPartition().partition(partition).fetchOffset(offset)
          .currentLeaderEpoch(epoch).lastFetchedEpoch(random.nextInt(3) - 1), isolation, -1);
      case 15 -> version < 7
          ? Steps.fetch(version, name(), partition, offset, isolation)
          : Steps.fetch(version, name(), new FetchPartition().partition(partition - 1).fetchOffset(offset), isolation,
              random.nextInt(4));
      case 16, 17 -> Steps.listOffsets(Grammar.version(random, ApiKey.LIST_OFFSETS), name(), partition,
          random.nextBoolean() ? random.nextInt(8) - 7 : random.nextInt(5_000), isolation, epoch);
      case 18 -> Steps.endOfEpoch(Grammar.version(random, ApiKey.OFFSET_FOR_LEADER_EPOCH), name(), partition,
          random.nextInt(4) - 1, epoch);
      default -> Steps.deleteRecords(Grammar.version(random, ApiKey.DELETE_RECORDS), name(), partition, offset);
    };
  }
}
