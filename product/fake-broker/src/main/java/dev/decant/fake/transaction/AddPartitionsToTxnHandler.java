package dev.decant.fake.transaction;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Cluster;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnRequest;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnRequest.AddPartitionsToTxnTopic;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnRequest.AddPartitionsToTxnTransaction;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnResponse;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnResponse.AddPartitionsToTxnPartitionResult;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnResponse.AddPartitionsToTxnResult;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnResponse.AddPartitionsToTxnTopicResult;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * AddPartitionsToTxn: adds partitions to a transaction before records are written to them. From version 4 on brokers
 * send it for several transactions at once, and may only verify that the partitions are in the transaction (KIP-890).
 */
final class AddPartitionsToTxnHandler implements ApiHandler<AddPartitionsToTxnRequest, AddPartitionsToTxnResponse> {
  private static final int FIRST_OF_BROKERS = 4;

  private final Cluster cluster;
  private final TransactionCoordinator coordinator;

  AddPartitionsToTxnHandler(Cluster cluster, TransactionCoordinator coordinator) {
    this.cluster = cluster;
    this.coordinator = coordinator;
  }

  @Override
  public void handle(AddPartitionsToTxnRequest request, RequestContext context,
      Reply<AddPartitionsToTxnResponse> reply) {
    List<AddPartitionsToTxnResult> results = new ArrayList<>();
    for (AddPartitionsToTxnTransaction transaction : transactionsOf(request, context)) {
      Map<TransactionPartition, ErrorCode> errors = errors(transaction, context);
      results.add(new AddPartitionsToTxnResult().transactionalId(transaction.transactionalId()).topicResults(
          results(transaction.topics(), partition -> errors.getOrDefault(partition, ErrorCode.UNKNOWN_SERVER_ERROR))));
    }
    reply.complete(response(results, context));
  }

  private static List<AddPartitionsToTxnTransaction> transactionsOf(AddPartitionsToTxnRequest request,
      RequestContext context) {
    if (context.version() >= FIRST_OF_BROKERS) {
      return request.transactions();
    }
    return List.of(new AddPartitionsToTxnTransaction().transactionalId(request.v3AndBelowTransactionalId())
        .producerId(request.v3AndBelowProducerId()).producerEpoch(request.v3AndBelowProducerEpoch())
        .topics(request.v3AndBelowTopics()));
  }

  private static AddPartitionsToTxnResponse response(List<AddPartitionsToTxnResult> results,
      RequestContext context) {
    return context.version() >= FIRST_OF_BROKERS
        ? new AddPartitionsToTxnResponse().resultsByTransaction(results)
        : new AddPartitionsToTxnResponse().resultsByTopicV3AndBelow(results.getFirst().topicResults());
  }

  /** Returns the error of each partition. If one does not exist, none is added. */
  private Map<TransactionPartition, ErrorCode> errors(AddPartitionsToTxnTransaction transaction,
      RequestContext context) {
    Map<TransactionPartition, ErrorCode> errors = new LinkedHashMap<>();
    for (AddPartitionsToTxnTopic topic : transaction.topics()) {
      topic.partitions().forEach(index -> errors.put(new TransactionPartition(topic.name(), index), ErrorCode.NONE));
    }
    if (errors.keySet().stream().anyMatch(partition -> partition.find(cluster) == null)) {
      errors.replaceAll((partition, error) -> partition.find(cluster) == null
          ? ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
          : ErrorCode.OPERATION_NOT_ATTEMPTED);
      return errors;
    }
    ErrorCode problem = coordinator.problemOf(transaction.transactionalId(), context);
    ProducerIdentity producer = new ProducerIdentity(transaction.producerId(), transaction.producerEpoch());
    if (problem == ErrorCode.NONE && transaction.verifyOnly()) {
      errors.replaceAll(
          (partition, none) -> coordinator.verify(transaction.transactionalId(), producer, partition));
    } else {
      ErrorCode error = problem == ErrorCode.NONE
          ? coordinator.add(transaction.transactionalId(), producer, errors.keySet())
          : problem;
      errors.replaceAll((partition, none) -> Fence.inVersion(context.version(), error));
    }
    return errors;
  }

  private static List<AddPartitionsToTxnTopicResult> results(List<AddPartitionsToTxnTopic> topics,
      Function<TransactionPartition, ErrorCode> errorOf) {
    return topics.stream().map(topic -> new AddPartitionsToTxnTopicResult().name(topic.name())
        .resultsByPartition(topic.partitions().stream().map(index -> new AddPartitionsToTxnPartitionResult()
            .partitionIndex(index)
            .partitionErrorCode(errorOf.apply(new TransactionPartition(topic.name(), index)).code())).toList()))
        .toList();
  }

  @Override
  public AddPartitionsToTxnResponse refuse(AddPartitionsToTxnRequest request, RequestContext context,
      ErrorCode error) {
    if (context.version() >= FIRST_OF_BROKERS) {
      return new AddPartitionsToTxnResponse().errorCode(error.code());
    }
    return new AddPartitionsToTxnResponse()
        .resultsByTopicV3AndBelow(results(request.v3AndBelowTopics(), partition -> error));
  }

  @Override
  public Collection<String> topics(AddPartitionsToTxnRequest request, Cluster ofTopics) {
    return Stream.concat(request.v3AndBelowTopics().stream(),
        request.transactions().stream().flatMap(t -> t.topics().stream())).map(AddPartitionsToTxnTopic::name).toList();
  }
}
