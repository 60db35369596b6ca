package dev.decant.fake.transaction;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Partition;
import dev.decant.fake.log.ProducerEntry;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.DescribeProducersRequest;
import dev.decant.kafka.protocol.message.DescribeProducersRequest.TopicRequest;
import dev.decant.kafka.protocol.message.DescribeProducersResponse;
import dev.decant.kafka.protocol.message.DescribeProducersResponse.PartitionResponse;
import dev.decant.kafka.protocol.message.DescribeProducersResponse.ProducerState;
import dev.decant.kafka.protocol.message.DescribeProducersResponse.TopicResponse;
import java.util.Collection;
import java.util.function.Function;

/** DescribeProducers: returns the producers that logs know (KIP-664). */
final class DescribeProducersHandler implements ApiHandler<DescribeProducersRequest, DescribeProducersResponse> {
  private final Cluster cluster;

  DescribeProducersHandler(Cluster cluster) {
    this.cluster = cluster;
  }

  @Override
  public void handle(DescribeProducersRequest request, RequestContext context,
      Reply<DescribeProducersResponse> reply) {
    reply.complete(response(request, partition -> describe(partition, context)));
  }

  private PartitionResponse describe(TransactionPartition named, RequestContext context) {
    Partition partition = named.find(cluster);
    if (partition == null) {
      PartitionResponse failed = failed(named, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
      return cluster.topics().named(named.topic()) == null
          ? failed.errorMessage("This server does not host this topic-partition.")
          : failed;
    }
    if (partition.leader() != context.broker().id()) {
      return failed(named, ErrorCode.NOT_LEADER_OR_FOLLOWER);
    }
    return new PartitionResponse().partitionIndex(named.index()).activeProducers(
        partition.log().producers().entries().stream().map(DescribeProducersHandler::stateOf).toList());
  }

  private static ProducerState stateOf(ProducerEntry entry) {
    return new ProducerState().producerId(entry.producerId()).producerEpoch(entry.epoch())
        .lastSequence(entry.lastSequence()).lastTimestamp(entry.lastTimestamp())
        .coordinatorEpoch(entry.coordinatorEpoch()).currentTxnStartOffset(entry.transactionFirstOffset());
  }

  private static PartitionResponse failed(TransactionPartition partition, ErrorCode error) {
    return new PartitionResponse().partitionIndex(partition.index()).errorCode(error.code());
  }

  private static DescribeProducersResponse response(DescribeProducersRequest request,
      Function<TransactionPartition, PartitionResponse> describe) {
    return new DescribeProducersResponse().topics(request.topics().stream()
        .map(topic -> new TopicResponse().name(topic.name()).partitions(topic.partitionIndexes().stream()
            .map(index -> describe.apply(new TransactionPartition(topic.name(), index))).toList()))
        .toList());
  }

  @Override
  public DescribeProducersResponse refuse(DescribeProducersRequest request, RequestContext context,
      ErrorCode error) {
    return response(request, partition -> failed(partition, error));
  }

  @Override
  public Collection<String> topics(DescribeProducersRequest request, Cluster ofTopics) {
    return request.topics().stream().map(TopicRequest::name).toList();
  }
}
