package dev.decant.fake.differential;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.CreateTopicsRequest;
import dev.decant.kafka.protocol.message.CreateTopicsRequest.CreatableTopic;
import dev.decant.kafka.protocol.message.DescribeGroupsRequest;
import dev.decant.kafka.protocol.message.DescribeGroupsResponse;
import dev.decant.kafka.protocol.message.DescribeProducersRequest;
import dev.decant.kafka.protocol.message.DescribeProducersRequest.TopicRequest;
import dev.decant.kafka.protocol.message.DescribeProducersResponse;
import dev.decant.kafka.protocol.message.DescribeTransactionsRequest;
import dev.decant.kafka.protocol.message.DescribeTransactionsResponse;
import dev.decant.kafka.protocol.message.DescribeTransactionsResponse.TransactionState;
import dev.decant.kafka.protocol.message.FindCoordinatorRequest;
import dev.decant.kafka.protocol.message.FindCoordinatorResponse;
import dev.decant.kafka.protocol.message.IncrementalAlterConfigsRequest;
import dev.decant.kafka.protocol.message.IncrementalAlterConfigsRequest.AlterConfigsResource;
import dev.decant.kafka.protocol.message.IncrementalAlterConfigsRequest.AlterableConfig;
import dev.decant.kafka.protocol.message.ListOffsetsRequest;
import dev.decant.kafka.protocol.message.ListOffsetsRequest.ListOffsetsPartition;
import dev.decant.kafka.protocol.message.ListOffsetsRequest.ListOffsetsTopic;
import dev.decant.kafka.protocol.message.ListOffsetsResponse;
import dev.decant.kafka.protocol.message.ProduceRequest;
import dev.decant.kafka.protocol.message.ProduceRequest.PartitionProduceData;
import dev.decant.kafka.protocol.message.ProduceRequest.TopicProduceData;
import dev.decant.kafka.protocol.message.ProduceResponse;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits until a real cluster has applied what it has answered already, so that the next response does not depend on
 * time. Every wait has a deadline.
 */
final class Settling {
  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(Integer.getInteger("decant.fake.deadline", 60));
  private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(500);
  private static final String BARRIER = "barrier";
  private static final int GROUP = 0;
  private static final int TRANSACTION = 1;
  private static final int TOPIC = 2;

  private final RawClient client;
  private final boolean isReal;

  Settling(RawClient client, boolean isReal) {
    this.client = client;
    this.isReal = isReal;
  }

  /** A condition that asks the cluster. */
  private interface Condition {
    boolean holds() throws IOException;
  }

  private static void await(String what, Condition condition) throws IOException {
    long start = System.nanoTime();
    while (!condition.holds()) {
      if (System.nanoTime() - start > DEADLINE_NANOS) {
        throw new IOException("waited " + TimeUnit.NANOSECONDS.toSeconds(DEADLINE_NANOS) + " s in vain until " + what);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** Between two tries of a step. */
  void pause(Step step) throws IOException {
    long[] tries = {0};
    await("the broker can answer " + step, () -> tries[0]++ > 0);
  }

  /** Makes what scenarios need: the barrier's topic, and the coordinators' topics. */
  void prepare() throws IOException {
    Object unused = client.exchange(ApiKey.CREATE_TOPICS, (short) 7, new CreateTopicsRequest().timeoutMs(20_000)
        .topics(List.of(new CreatableTopic().name(BARRIER).numPartitions(1).replicationFactor((short) 1))));
    await("the topic of the barrier has a leader", () -> isLed(BARRIER));
    await("there is a coordinator of groups", () -> hasCoordinator(GROUP));
    await("there is a coordinator of transactions", () -> hasCoordinator(TRANSACTION));
    await("the coordinator of groups has loaded its groups", () -> !stateOf("none").isEmpty());
  }

  private boolean hasCoordinator(int type) throws IOException {
    return client.exchange(ApiKey.FIND_COORDINATOR, (short) 4, new FindCoordinatorRequest().keyType((byte) type)
        .coordinatorKeys(List.of("a", "b", "c", "d", "e", "f", "g"))) instanceof FindCoordinatorResponse found
        && found.coordinators().stream().allMatch(c -> c.errorCode() == 0);
  }

  private boolean isLed(String topic) throws IOException {
    ListOffsetsRequest request = new ListOffsetsRequest().replicaId(-1).topics(List.of(new ListOffsetsTopic()
        .name(topic).partitions(List.of(new ListOffsetsPartition().timestamp(-1)))));
    return client.exchange(ApiKey.LIST_OFFSETS, (short) 7, request) instanceof ListOffsetsResponse response
        && response.topics().getFirst().partitions().getFirst().errorCode() == 0;
  }

  /** After the response of a step. */
  void after(Step step, Object request) throws IOException {
    if (!isReal) {
      return;
    }
    if (step.changesMetadata()) {
      awaitMetadata();
    }
    switch (step.api()) {
      case INIT_PRODUCER_ID, END_TXN -> {
        String id = String.valueOf(Dump.field(request, "transactionalId"));
        await("the transaction of " + id + " has ended", () -> hasEnded(id));
      }
      default -> {
      }
    }
  }

  /**
   * A change of a topic's config is in force when everything is that the controller has done before: a broker publishes
   * topics first, and then configs. It may publish both changes at once, so a second one tells that it is through.
   */
  private void awaitMetadata() throws IOException {
    alter(100);
    await("the broker's logs refuse large batches", () -> isTooLarge());
    alter(1 << 20);
    await("the broker's logs take large batches again", () -> !isTooLarge());
  }

  private void alter(int bytes) throws IOException {
    Object unused = client.exchange(ApiKey.INCREMENTAL_ALTER_CONFIGS, (short) 1, new IncrementalAlterConfigsRequest()
        .resources(List.of(new AlterConfigsResource().resourceType((byte) TOPIC).resourceName(BARRIER)
            .configs(List.of(new AlterableConfig().name("max.message.bytes").value(String.valueOf(bytes)))))));
  }

  private boolean isTooLarge() throws IOException {
    ProduceRequest request = new ProduceRequest().acks((short) 1).timeoutMs(20_000).topicData(List.of(
        new TopicProduceData().name(BARRIER).partitionData(List.of(new PartitionProduceData()
            .records(Batch.ofSize(200).bytes())))));
    ProduceResponse response = (ProduceResponse) Objects.requireNonNull(
        client.exchange(ApiKey.PRODUCE, (short) 11, request));
    return response.responses().getFirst().partitionResponses().getFirst().errorCode() != 0;
  }

  /**
   * A coordinator answers before the markers are written. It never writes one into a log that has a batch of a later
   * epoch, and the transaction stays prepared.
   */
  private boolean hasEnded(String id) throws IOException {
    if (!(client.exchange(ApiKey.DESCRIBE_TRANSACTIONS, (short) 0,
        new DescribeTransactionsRequest().transactionalIds(List.of(id))) instanceof DescribeTransactionsResponse of)) {
      return true;
    }
    TransactionState state = of.transactionStates().getFirst();
    return !state.transactionState().startsWith("Prepare") || isFenced(state);
  }

  private boolean isFenced(TransactionState state) throws IOException {
    DescribeProducersRequest request = new DescribeProducersRequest().topics(state.topics().stream()
        .map(topic -> new TopicRequest().name(topic.topic()).partitionIndexes(topic.partitions())).toList());
    return client.exchange(ApiKey.DESCRIBE_PRODUCERS, (short) 0, request) instanceof DescribeProducersResponse of
        && of.topics().stream().flatMap(topic -> topic.partitions().stream())
            .flatMap(partition -> partition.activeProducers().stream())
            .anyMatch(producer -> producer.producerId() == state.producerId()
                && producer.producerEpoch() > state.producerEpoch());
  }

  /** After a request whose response waits for others. */
  void afterRequest(Step step, RawClient of, Object request) throws IOException {
    if (step.api() == ApiKey.JOIN_GROUP) {
      String group = String.valueOf(Dump.field(request, "groupId"));
      await("group " + group + " prepares a rebalance", () -> of.isAnswered()
          || stateOf(group).equals("PreparingRebalance"));
    }
  }

  /** After a request that has no response: its connection's next one comes after it. */
  void afterUnanswered() throws IOException {
    boolean unused = isLed(BARRIER);
  }

  private String stateOf(String group) throws IOException {
    return client.exchange(ApiKey.DESCRIBE_GROUPS, (short) 5,
        new DescribeGroupsRequest().groups(List.of(group))) instanceof DescribeGroupsResponse response
        && response.groups().getFirst().errorCode() == 0 ? response.groups().getFirst().groupState() : "";
  }
}
