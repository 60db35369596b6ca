package dev.decant.fake.transaction;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.DescribeTransactionsRequest;
import dev.decant.kafka.protocol.message.DescribeTransactionsResponse;
import dev.decant.kafka.protocol.message.DescribeTransactionsResponse.TopicData;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** DescribeTransactions: returns the state of transactional ids (KIP-664). */
final class DescribeTransactionsHandler
    implements
      ApiHandler<DescribeTransactionsRequest, DescribeTransactionsResponse> {
  private final TransactionCoordinator coordinator;

  DescribeTransactionsHandler(TransactionCoordinator coordinator) {
    this.coordinator = coordinator;
  }

  @Override
  public void handle(DescribeTransactionsRequest request, RequestContext context,
      Reply<DescribeTransactionsResponse> reply) {
    reply.complete(new DescribeTransactionsResponse()
        .transactionStates(request.transactionalIds().stream().map(id -> describe(id, context)).toList()));
  }

  private DescribeTransactionsResponse.TransactionState describe(String id, RequestContext context) {
    ErrorCode problem = coordinator.problemOf(id, context);
    if (problem != ErrorCode.NONE) {
      return failed(id, problem);
    }
    Transaction transaction = coordinator.of(id);
    if (transaction == null) {
      return failed(id, ErrorCode.TRANSACTIONAL_ID_NOT_FOUND);
    }
    Map<String, List<Integer>> partitions = new LinkedHashMap<>();
    for (TransactionPartition partition : transaction.partitions()) {
      partitions.computeIfAbsent(partition.topic(), topic -> new ArrayList<>()).add(partition.index());
    }
    return new DescribeTransactionsResponse.TransactionState().transactionalId(id)
        .transactionState(transaction.state().label()).transactionTimeoutMs(transaction.timeoutMillis())
        .transactionStartTimeMs(transaction.startMillis()).producerId(transaction.producer().id())
        .producerEpoch(transaction.producer().epoch()).topics(partitions.entrySet().stream()
            .map(topic -> new TopicData().topic(topic.getKey()).partitions(topic.getValue())).toList());
  }

  private static DescribeTransactionsResponse.TransactionState failed(String id, ErrorCode error) {
    return new DescribeTransactionsResponse.TransactionState().transactionalId(id).errorCode(error.code());
  }

  @Override
  public DescribeTransactionsResponse refuse(DescribeTransactionsRequest request, RequestContext context,
      ErrorCode error) {
    return new DescribeTransactionsResponse()
        .transactionStates(request.transactionalIds().stream().map(id -> failed(id, error)).toList());
  }
}
