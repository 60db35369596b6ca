package dev.decant.kafka.broker;

import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.AddOffsetsToTxnRequest;
import dev.decant.kafka.protocol.message.AddOffsetsToTxnResponse;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnRequest;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnResponse;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnResponse.AddPartitionsToTxnPartitionResult;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnResponse.AddPartitionsToTxnTopicResult;
import dev.decant.kafka.protocol.message.DescribeTransactionsRequest;
import dev.decant.kafka.protocol.message.DescribeTransactionsResponse;
import dev.decant.kafka.protocol.message.EndTxnRequest;
import dev.decant.kafka.protocol.message.EndTxnResponse;
import dev.decant.kafka.protocol.message.FindCoordinatorRequest;
import dev.decant.kafka.protocol.message.FindCoordinatorResponse;
import dev.decant.kafka.protocol.message.InitProducerIdRequest;
import dev.decant.kafka.protocol.message.InitProducerIdResponse;
import dev.decant.kafka.protocol.message.TxnOffsetCommitRequest;
import dev.decant.kafka.protocol.message.TxnOffsetCommitResponse;
import dev.decant.kafka.protocol.message.TxnOffsetCommitResponse.TxnOffsetCommitResponsePartition;
import dev.decant.kafka.protocol.message.TxnOffsetCommitResponse.TxnOffsetCommitResponseTopic;
import java.util.List;

/** Responses about transactions. */
public final class TransactionResponses {
  private TransactionResponses() {}

  /** Refuses a request about a transaction as a whole. */
  public static Script refusal(ErrorCode code) {
    return exchange -> exchange.answer(to(exchange.request().body(), code));
  }

  /** Reports this state of a transaction. */
  public static Script state(String name) {
    return exchange -> exchange.answer(
        described((DescribeTransactionsRequest) exchange.request().body(), ErrorCode.NONE, name)::write);
  }

  private static DescribeTransactionsResponse described(DescribeTransactionsRequest request, ErrorCode code,
      String state) {
    return new DescribeTransactionsResponse().transactionStates(request.transactionalIds().stream()
        .map(id -> new DescribeTransactionsResponse.TransactionState().transactionalId(id).transactionState(state)
            .errorCode(code.code()))
        .toList());
  }

  /** Returns the response with an error, or without one if the request is enough for that. */
  static Body to(Object request, ErrorCode code) {
    return switch (request) {
      case FindCoordinatorRequest r when r.coordinatorKeys().isEmpty() -> new FindCoordinatorResponse().nodeId(-1)
          .port(-1).errorCode(code.code()).errorMessage("scripted")::write;
      case FindCoordinatorRequest r -> new FindCoordinatorResponse().coordinators(r.coordinatorKeys().stream()
          .map(key -> new FindCoordinatorResponse.Coordinator().key(key).nodeId(-1).host("").port(-1)
              .errorCode(code.code()).errorMessage("scripted"))
          .toList())::write;
      case InitProducerIdRequest unused -> new InitProducerIdResponse().errorCode(code.code())::write;
      case AddPartitionsToTxnRequest r -> new AddPartitionsToTxnResponse()
          .resultsByTopicV3AndBelow(r.v3AndBelowTopics().stream().map(t -> new AddPartitionsToTxnTopicResult()
              .name(t.name()).resultsByPartition(t.partitions().stream()
                  .map(p -> new AddPartitionsToTxnPartitionResult().partitionIndex(p).partitionErrorCode(code.code()))
                  .toList()))
              .toList())::write;
      case AddOffsetsToTxnRequest unused -> new AddOffsetsToTxnResponse().errorCode(code.code())::write;
      case TxnOffsetCommitRequest r -> new TxnOffsetCommitResponse().topics(r.topics().stream()
          .map(t -> new TxnOffsetCommitResponseTopic().name(t.name()).partitions(t.partitions().stream()
              .map(p -> new TxnOffsetCommitResponsePartition().partitionIndex(p.partitionIndex())
                  .errorCode(code.code()))
              .toList()))
          .toList())::write;
      case DescribeTransactionsRequest r -> described(r, code, "CompleteCommit")::write;
      case EndTxnRequest unused -> new EndTxnResponse().errorCode(code.code())::write;
      default -> throw new IllegalArgumentException("not about a transaction: " + request);
    };
  }

  /** Names one broker as the coordinator of everything. */
  static FindCoordinatorResponse coordinators(FindCoordinatorRequest request, int node, String host, int port) {
    if (request.coordinatorKeys().isEmpty()) { // versions below 4 request one coordinator
      return new FindCoordinatorResponse().nodeId(node).host(host).port(port);
    }
    List<FindCoordinatorResponse.Coordinator> found = request.coordinatorKeys().stream()
        .map(key -> new FindCoordinatorResponse.Coordinator().key(key).nodeId(node).host(host).port(port)).toList();
    return new FindCoordinatorResponse().coordinators(found);
  }
}
