package dev.decant.fake.differential;

import dev.decant.fake.differential.GroupSteps.Who;
import dev.decant.fake.differential.OffsetSteps.Position;
import dev.decant.kafka.protocol.ApiKey;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Transactions of two producers, in the right order more often than not, with fences in between. */
final class TransactionGrammar implements Grammar {
  private final String topic;
  private final String group;
  private final List<String> ids;
  private final Random random;

  TransactionGrammar(String prefix, Random random) {
    this.topic = prefix + "-orders";
    this.group = prefix + "-group";
    this.ids = List.of(prefix + "-first", prefix + "-second");
    this.random = random;
  }

  @Override
  public List<Step> first() {
    return List.of(Steps.create(7, topic, 2, 1, Map.of()), TransactionSteps.init(5, ids.get(0)),
        TransactionSteps.init(5, ids.get(1)));
  }

  private int version(ApiKey api) {
    return Grammar.version(random, api);
  }

  @Override
  public List<Step> next() {
    String id = ids.get(random.nextInt(2));
    int later = random.nextInt(8) == 0 ? random.nextInt(3) - 1 : 0;
    int partition = random.nextInt(12) == 0 ? 2 : random.nextInt(2);
    return List.of(switch (random.nextInt(20)) {
      case 0 -> TransactionSteps.init(version(ApiKey.INIT_PRODUCER_ID), id);
      case 1 -> TransactionSteps.initAgain(version(ApiKey.INIT_PRODUCER_ID), id, later);
      case 2, 3, 4 -> TransactionSteps.addPartitions(version(ApiKey.ADD_PARTITIONS_TO_TXN), id, later, topic,
          List.of(partition));
      case 5, 6, 7, 8 -> write(id, later, partition);
      case 9 -> TransactionSteps.addOffsets(version(ApiKey.ADD_OFFSETS_TO_TXN), id, later, group);
      case 10, 11 -> TransactionSteps.commitOffsets(version(ApiKey.TXN_OFFSET_COMMIT), id, later,
          new Who(Step.MAIN, group, null), new Position(topic, partition, random.nextInt(50), "m"));
      case 12, 13, 14 -> TransactionSteps.end(version(ApiKey.END_TXN), id, later, random.nextInt(3) > 0);
      default -> sight(id, partition);
    });
  }

  private Step write(String id, int later, int partition) {
    boolean isTransactional = random.nextInt(10) > 0;
    int sequence = random.nextInt(8) == 0 ? random.nextInt(5) : Batch.NEXT;
    Batch batch = isTransactional
        ? Batch.transactional(id, later, sequence, 1 + random.nextInt(2))
        : Batch.from(id, later, sequence, 1).now();
    return Steps.produce(version(ApiKey.PRODUCE), topic, partition, -1, batch, random.nextInt(15) > 0 ? id : null);
  }

  private Step sight(String id, int partition) {
    return switch (random.nextInt(8)) {
      case 0 -> TransactionSteps.describe(id);
      case 1 -> TransactionSteps.list(version(ApiKey.LIST_TRANSACTIONS),
          random.nextBoolean() ? List.of() : List.of("Ongoing", "CompleteCommit"), random.nextBoolean() ? id : "");
      case 2 -> TransactionSteps.producers(topic, partition);
      case 3, 4 -> Steps.fetch(version(ApiKey.FETCH), topic, partition, random.nextInt(8), random.nextInt(2));
      case 5 -> Steps.listOffsets(7, topic, partition, -1, random.nextInt(2), -1);
      default -> OffsetSteps.fetch(version(ApiKey.OFFSET_FETCH), group, topic, random.nextBoolean());
    };
  }
}
