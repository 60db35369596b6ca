package dev.decant.fake.security;

import dev.decant.fake.api.Access;
import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.ApiTable;
import dev.decant.fake.api.Operations;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Topic;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.AddOffsetsToTxnRequest;
import dev.decant.kafka.protocol.message.AddOffsetsToTxnResponse;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnRequest;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnRequest.AddPartitionsToTxnTopic;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnResponse;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnResponse.AddPartitionsToTxnPartitionResult;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnResponse.AddPartitionsToTxnTopicResult;
import dev.decant.kafka.protocol.message.DescribeTransactionsRequest;
import dev.decant.kafka.protocol.message.DescribeTransactionsResponse;
import dev.decant.kafka.protocol.message.EndTxnRequest;
import dev.decant.kafka.protocol.message.EndTxnResponse;
import dev.decant.kafka.protocol.message.InitProducerIdRequest;
import dev.decant.kafka.protocol.message.InitProducerIdResponse;
import dev.decant.kafka.protocol.message.ListTransactionsRequest;
import dev.decant.kafka.protocol.message.ListTransactionsResponse;
import dev.decant.kafka.protocol.message.TxnOffsetCommitRequest;
import dev.decant.kafka.protocol.message.TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic;
import dev.decant.kafka.protocol.message.TxnOffsetCommitResponse;
import dev.decant.kafka.protocol.message.WriteTxnMarkersRequest;
import dev.decant.kafka.protocol.message.WriteTxnMarkersResponse;
import org.jspecify.annotations.Nullable;

/**
 * The rights that the APIs of transactions need on the transactional id, and on the topics and groups of the
 * transaction.
 */
final class TransactionGuards {
  private static final int LAST_OF_CLIENTS = 3;

  private TransactionGuards() {}

  static void addTo(ApiTable apis, Cluster cluster) {
    Guards.add(apis, ApiKey.INIT_PRODUCER_ID, Guard.<InitProducerIdRequest, InitProducerIdResponse>whole(
        (request, access) -> initialization(request.transactionalId(), access, cluster.release().isAtLeast(2, 8))));
    Guard<AddPartitionsToTxnRequest, AddPartitionsToTxnResponse> ofId = Guard.whole(
        (request, access) -> Refusals.transactionalId(Operations.WRITE, request.v3AndBelowTransactionalId(), access));
    Guard<AddPartitionsToTxnRequest, AddPartitionsToTxnResponse> ofBrokers = Guard.whole(
        (request, access) -> Refusals.cluster(Operations.CLUSTER_ACTION, access));
    Guard<AddPartitionsToTxnRequest, AddPartitionsToTxnResponse> ofTopics = (request, context, reply,
        next) -> addPartitions(cluster, request, context, reply, next);
    Guards.add(apis, ApiKey.ADD_PARTITIONS_TO_TXN, ofId.then(ofTopics).inVersions(0, LAST_OF_CLIENTS)
        .then(ofBrokers.inVersions(LAST_OF_CLIENTS + 1, Short.MAX_VALUE)));
    Guards.add(apis, ApiKey.ADD_OFFSETS_TO_TXN, Guard.<AddOffsetsToTxnRequest, AddOffsetsToTxnResponse>whole(
        (request, access) -> offsets(request.transactionalId(), request.groupId(), access)));
    Guards.add(apis, ApiKey.END_TXN, Guard.<EndTxnRequest, EndTxnResponse>whole(
        (request, access) -> Refusals.transactionalId(Operations.WRITE, request.transactionalId(), access)));
    Guard<TxnOffsetCommitRequest, TxnOffsetCommitResponse> commit = Guard.whole(
        (request, access) -> offsets(request.transactionalId(), request.groupId(), access));
    Guards.add(apis, ApiKey.TXN_OFFSET_COMMIT, commit.then(
        new Parts<TxnOffsetCommitRequest, TxnOffsetCommitResponse, TxnOffsetCommitRequestTopic>(
            TxnOffsetCommitRequest::topics, TxnOffsetCommitRequest::topics,
            parts -> new TxnOffsetCommitRequest().topics(parts),
            (request, part, access) -> Refusals.topic(Operations.READ, cluster, part.topicId(), part.name(), access),
            (to, from) -> to.topics(Parts.both(to.topics(), from.topics())))));
    Guards.add(apis, ApiKey.WRITE_TXN_MARKERS, Guard.<WriteTxnMarkersRequest, WriteTxnMarkersResponse>whole(
        (request, access) -> access.mayOnCluster(Operations.ALTER)
            ? ErrorCode.NONE
            : Refusals.cluster(Operations.CLUSTER_ACTION, access)));
    addDescriptions(apis);
  }

  private static ErrorCode initialization(@Nullable String transactionalId, Access access,
      boolean topicsWillDo) {
    if (transactionalId != null) {
      return Refusals.transactionalId(Operations.WRITE, transactionalId, access);
    }
    return topicsWillDo && access.mayOnAny(Operations.WRITE, Operations.TOPIC) // KIP-679
        ? ErrorCode.NONE
        : Refusals.cluster(Operations.IDEMPOTENT_WRITE, access);
  }

  private static ErrorCode offsets(String transactionalId, String groupId, Access access) {
    ErrorCode error = Refusals.transactionalId(Operations.WRITE, transactionalId, access);
    return error == ErrorCode.NONE ? Refusals.group(Operations.READ, groupId, access) : error;
  }

  /** Adds the partitions of a request; a refused topic means that no partition is added. */
  private static void addPartitions(Cluster cluster, AddPartitionsToTxnRequest request, RequestContext context,
      Reply<AddPartitionsToTxnResponse> reply,
      ApiHandler<AddPartitionsToTxnRequest, AddPartitionsToTxnResponse> next) {
    Access access = context.access();
    if (request.v3AndBelowTopics().stream().allMatch(t -> isWritable(t.name(), access))) {
      next.handle(request, context, reply);
      return;
    }
    reply.complete(new AddPartitionsToTxnResponse().resultsByTopicV3AndBelow(request.v3AndBelowTopics().stream()
        .map(topic -> new AddPartitionsToTxnTopicResult().name(topic.name()).resultsByPartition(topic.partitions()
            .stream().map(p -> new AddPartitionsToTxnPartitionResult().partitionIndex(p)
                .partitionErrorCode(refusal(cluster, topic, p, access).code()))
            .toList()))
        .toList()));
  }

  private static boolean isWritable(String topic, Access access) {
    return access.may(Operations.WRITE, Operations.TOPIC, topic);
  }

  private static ErrorCode refusal(Cluster cluster, AddPartitionsToTxnTopic topic, int partition, Access access) {
    if (!isWritable(topic.name(), access)) {
      return ErrorCode.TOPIC_AUTHORIZATION_FAILED;
    }
    Topic known = cluster.topics().named(topic.name());
    return known == null || known.partition(partition) == null
        ? ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        : ErrorCode.OPERATION_NOT_ATTEMPTED;
  }

  private static void addDescriptions(ApiTable apis) {
    var described = new Parts<DescribeTransactionsRequest, DescribeTransactionsResponse, String>(
        DescribeTransactionsRequest::transactionalIds, DescribeTransactionsRequest::transactionalIds,
        parts -> new DescribeTransactionsRequest().transactionalIds(parts),
        (request, part, access) -> Refusals.transactionalId(Operations.DESCRIBE, part, access),
        (to, from) -> to.transactionStates(Parts.both(to.transactionStates(), from.transactionStates())));
    Guard<DescribeTransactionsRequest, DescribeTransactionsResponse> ofTopics = Guard.after(
        (request, context, response) -> {
          response.transactionStates().forEach(state -> state.topics(state.topics().stream()
              .filter(t -> context.access().may(Operations.DESCRIBE, Operations.TOPIC, t.topic())).toList()));
          return response;
        });
    Guards.add(apis, ApiKey.DESCRIBE_TRANSACTIONS, ofTopics.then(described));
    Guards.add(apis, ApiKey.LIST_TRANSACTIONS,
        Guard.<ListTransactionsRequest, ListTransactionsResponse>after((request, context, response) -> response
            .transactionStates(response.transactionStates().stream().filter(state -> context.access()
                .may(Operations.DESCRIBE, Operations.TRANSACTIONAL_ID, state.transactionalId())).toList())));
  }
}
