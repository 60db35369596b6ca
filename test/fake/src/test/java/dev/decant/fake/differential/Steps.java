package dev.decant.fake.differential;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.AlterPartitionReassignmentsRequest;
import dev.decant.kafka.protocol.message.AlterPartitionReassignmentsRequest.ReassignablePartition;
import dev.decant.kafka.protocol.message.AlterPartitionReassignmentsRequest.ReassignableTopic;
import dev.decant.kafka.protocol.message.ApiVersionsRequest;
import dev.decant.kafka.protocol.message.CreatePartitionsRequest;
import dev.decant.kafka.protocol.message.CreatePartitionsRequest.CreatePartitionsTopic;
import dev.decant.kafka.protocol.message.CreateTopicsRequest;
import dev.decant.kafka.protocol.message.CreateTopicsRequest.CreatableReplicaAssignment;
import dev.decant.kafka.protocol.message.CreateTopicsRequest.CreatableTopic;
import dev.decant.kafka.protocol.message.CreateTopicsRequest.CreatableTopicConfig;
import dev.decant.kafka.protocol.message.DeleteRecordsRequest;
import dev.decant.kafka.protocol.message.DeleteRecordsRequest.DeleteRecordsPartition;
import dev.decant.kafka.protocol.message.DeleteRecordsRequest.DeleteRecordsTopic;
import dev.decant.kafka.protocol.message.DeleteTopicsRequest;
import dev.decant.kafka.protocol.message.DeleteTopicsRequest.DeleteTopicState;
import dev.decant.kafka.protocol.message.DescribeConfigsRequest;
import dev.decant.kafka.protocol.message.DescribeConfigsRequest.DescribeConfigsResource;
import dev.decant.kafka.protocol.message.FetchRequest;
import dev.decant.kafka.protocol.message.FetchRequest.FetchPartition;
import dev.decant.kafka.protocol.message.FetchRequest.FetchTopic;
import dev.decant.kafka.protocol.message.IncrementalAlterConfigsRequest;
import dev.decant.kafka.protocol.message.IncrementalAlterConfigsRequest.AlterConfigsResource;
import dev.decant.kafka.protocol.message.IncrementalAlterConfigsRequest.AlterableConfig;
import dev.decant.kafka.protocol.message.InitProducerIdRequest;
import dev.decant.kafka.protocol.message.ListOffsetsRequest;
import dev.decant.kafka.protocol.message.ListOffsetsRequest.ListOffsetsPartition;
import dev.decant.kafka.protocol.message.ListOffsetsRequest.ListOffsetsTopic;
import dev.decant.kafka.protocol.message.ListPartitionReassignmentsRequest;
import dev.decant.kafka.protocol.message.ListPartitionReassignmentsRequest.ListPartitionReassignmentsTopics;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochRequest;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochRequest.OffsetForLeaderPartition;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochRequest.OffsetForLeaderTopic;
import dev.decant.kafka.protocol.message.ProduceRequest;
import dev.decant.kafka.protocol.message.ProduceRequest.PartitionProduceData;
import dev.decant.kafka.protocol.message.ProduceRequest.TopicProduceData;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The requests of scenarios. */
final class Steps {
  private static final int TIMEOUT_MILLIS = 20_000;

  private Steps() {}

  static Step apiVersions(int version, String software) {
    return new Step(software, ApiKey.API_VERSIONS, version,
        w -> new ApiVersionsRequest().clientSoftwareName(software).clientSoftwareVersion("1"));
  }

  static Step create(int version, String name, int partitions, int replication, Map<String, String> configs) {
    return new Step(name + " " + partitions + " x " + replication + " " + configs, ApiKey.CREATE_TOPICS,
        version, w -> new CreateTopicsRequest().timeoutMs(TIMEOUT_MILLIS).topics(List.of(new CreatableTopic()
            .name(name).numPartitions(partitions).replicationFactor((short) replication)
            .configs(configs.entrySet().stream()
                .map(c -> new CreatableTopicConfig().name(c.getKey()).value(c.getValue())).toList()))));
  }

  static Step createAssigned(String name, Map<Integer, List<Integer>> replicas) {
    return new Step(name + " " + replicas, ApiKey.CREATE_TOPICS, 7,
        w -> new CreateTopicsRequest().timeoutMs(TIMEOUT_MILLIS).topics(List.of(new CreatableTopic().name(name)
            .numPartitions(-1).replicationFactor((short) -1).assignments(replicas.entrySet().stream()
                .map(r -> new CreatableReplicaAssignment().partitionIndex(r.getKey()).brokerIds(r.getValue()))
                .toList()))));
  }

  static Step delete(int version, String name) {
    return new Step(name, ApiKey.DELETE_TOPICS, version, w -> version < 6
        ? new DeleteTopicsRequest().timeoutMs(TIMEOUT_MILLIS).topicNames(List.of(name))
        : new DeleteTopicsRequest().timeoutMs(TIMEOUT_MILLIS).topics(List.of(new DeleteTopicState().name(name))));
  }

  static Step deleteById(String name) {
    return new Step(name + " by id", ApiKey.DELETE_TOPICS, 6, w -> new DeleteTopicsRequest()
        .timeoutMs(TIMEOUT_MILLIS).topics(List.of(new DeleteTopicState().name(null).topicId(idOf(w, name)))));
  }

  /** An id that no topic has stands for that of a topic which never was. */
  static Uuid idOf(World world, String topic) {
    Uuid id = world.id(topic);
    return id.equals(Uuid.ZERO) ? new Uuid(1, 2) : id;
  }

  static Step createPartitions(int version, String name, int count) {
    return new Step(name + " to " + count, ApiKey.CREATE_PARTITIONS, version,
        w -> new CreatePartitionsRequest().timeoutMs(TIMEOUT_MILLIS)
            .topics(List.of(new CreatePartitionsTopic().name(name).count(count).assignments(null))));
  }

  /** With no brokers a reassignment is cancelled. */
  static Step reassign(int version, boolean mayResize, String name, int partition, @Nullable List<Integer> brokers) {
    return new Step(name + "-" + partition + " to " + brokers, ApiKey.ALTER_PARTITION_REASSIGNMENTS, version,
        w -> new AlterPartitionReassignmentsRequest().timeoutMs(TIMEOUT_MILLIS)
            .allowReplicationFactorChange(mayResize).topics(List.of(new ReassignableTopic().name(name).partitions(
                List.of(new ReassignablePartition().partitionIndex(partition).replicas(brokers))))));
  }

  static Step reassignments(@Nullable String name) {
    return new Step(String.valueOf(name), ApiKey.LIST_PARTITION_REASSIGNMENTS, 0,
        w -> new ListPartitionReassignmentsRequest().timeoutMs(TIMEOUT_MILLIS).topics(name == null
            ? null
            : List.of(new ListPartitionReassignmentsTopics().name(name).partitionIndexes(List.of(0, 7)))));
  }

  static Step metadata(int version, String name) {
    return new Step(name, ApiKey.METADATA, version,
        w -> World.metadataOf(name).allowAutoTopicCreation(version < 4));
  }

  static Step initProducer(String name) {
    return new Step(name, ApiKey.INIT_PRODUCER_ID, 4, w -> new InitProducerIdRequest().transactionalId(null)
        .transactionTimeoutMs(1000));
  }

  static Step produce(int version, String name, int partition, int acks, Batch batch) {
    return produce(version, name, partition, acks, batch, null);
  }

  static Step produce(int version, String name, int partition, int acks, Batch batch, @Nullable String transaction) {
    String at = name + "-" + partition;
    return new Step(at + " acks " + acks + " " + batch, ApiKey.PRODUCE, version,
        w -> new ProduceRequest().acks((short) acks).transactionalId(transaction).timeoutMs(TIMEOUT_MILLIS)
            .topicData(List.of(
                (version < 13 ? new TopicProduceData().name(name) : new TopicProduceData().topicId(idOf(w, name)))
                    .partitionData(List.of(
                        new PartitionProduceData().index(partition).records(batch.bytes(w, at)))))));
  }

  static Step fetch(int version, String name, int partition, long offset, int isolation) {
    return fetch(version, name, new FetchPartition().partition(partition).fetchOffset(offset), isolation, -1);
  }

  static Step fetch(int version, String name, FetchPartition partition, int isolation, int sessionEpoch) {
    if (partition.partitionMaxBytes() == 0) {
      partition.partitionMaxBytes(1 << 20);
    }
    if (version < 12) {
      partition.lastFetchedEpoch(-1);
    }
    if (version < 9) {
      partition.currentLeaderEpoch(-1);
    }
    return new Step(name + "-" + partition + " isolation " + isolation + " session " + sessionEpoch, ApiKey.FETCH,
        version, w -> new FetchRequest().replicaId(-1).maxWaitMs(0).minBytes(0).maxBytes(1 << 20)
            .isolationLevel((byte) isolation).sessionId(sessionEpoch > 0 ? w.sessionId() : 0)
            .sessionEpoch(sessionEpoch).topics(partition.partition() < 0
                ? List.of()
                : List.of(
                    (version < 13 ? new FetchTopic().topic(name) : new FetchTopic().topicId(idOf(w, name)))
                        .partitions(List.of(partition)))));
  }

  static Step listOffsets(int version, String name, int partition, long timestamp, int isolation, int epoch) {
    return new Step(name + "-" + partition + " at " + timestamp + " isolation " + isolation + " epoch " + epoch,
        ApiKey.LIST_OFFSETS, version, w -> new ListOffsetsRequest().replicaId(-1)
            .isolationLevel((byte) (version < 2 ? 0 : isolation)).topics(List.of(new ListOffsetsTopic().name(name)
                .partitions(List.of(new ListOffsetsPartition().partitionIndex(partition).timestamp(timestamp)
                    .currentLeaderEpoch(version < 4 ? -1 : epoch))))));
  }

  static Step endOfEpoch(int version, String name, int partition, int epoch, int current) {
    return new Step(name + "-" + partition + " epoch " + epoch + " current " + current,
        ApiKey.OFFSET_FOR_LEADER_EPOCH, version, w -> new OffsetForLeaderEpochRequest().replicaId(-1)
            .topics(List.of(new OffsetForLeaderTopic().topic(name).partitions(List.of(new OffsetForLeaderPartition()
                .partition(partition).leaderEpoch(epoch).currentLeaderEpoch(current))))));
  }

  static Step deleteRecords(int version, String name, int partition, long offset) {
    return new Step(name + "-" + partition + " below " + offset, ApiKey.DELETE_RECORDS, version,
        w -> new DeleteRecordsRequest().timeoutMs(TIMEOUT_MILLIS).topics(List.of(new DeleteRecordsTopic().name(name)
            .partitions(List.of(new DeleteRecordsPartition().partitionIndex(partition).offset(offset))))));
  }

  static Step describeConfigs(int version, int type, String name, boolean synonyms) {
    return new Step(name, ApiKey.DESCRIBE_CONFIGS, version, w -> new DescribeConfigsRequest()
        .includeSynonyms(synonyms).resources(List.of(new DescribeConfigsResource().resourceType((byte) type)
            .resourceName(name).configurationKeys(null))));
  }

  static Step alterConfigs(int version, int type, String name, int operation, String config, @Nullable String value) {
    return new Step(name + " " + operation + " " + config + "=" + value, ApiKey.INCREMENTAL_ALTER_CONFIGS,
        version, w -> new IncrementalAlterConfigsRequest().resources(List.of(new AlterConfigsResource()
            .resourceType((byte) type).resourceName(name).configs(List.of(new AlterableConfig().name(config)
                .configOperation((byte) operation).value(value))))));
  }
}
