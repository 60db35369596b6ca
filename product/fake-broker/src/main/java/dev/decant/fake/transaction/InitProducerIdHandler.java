package dev.decant.fake.transaction;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Cluster;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.InitProducerIdRequest;
import dev.decant.kafka.protocol.message.InitProducerIdResponse;

/** InitProducerId: returns an id and an epoch for a producer, with a transactional id or without (KIP-98, KIP-360). */
final class InitProducerIdHandler implements ApiHandler<InitProducerIdRequest, InitProducerIdResponse> {
  private static final int FIRST_FENCED = 4;

  private final Cluster cluster;
  private final TransactionCoordinator coordinator;

  InitProducerIdHandler(Cluster cluster, TransactionCoordinator coordinator) {
    this.cluster = cluster;
    this.coordinator = coordinator;
  }

  @Override
  public void handle(InitProducerIdRequest request, RequestContext context, Reply<InitProducerIdResponse> reply) {
    Outcome outcome = outcome(request, context);
    boolean isOldFence = outcome.error() == ErrorCode.PRODUCER_FENCED && context.version() < FIRST_FENCED;
    ErrorCode error = isOldFence ? ErrorCode.INVALID_PRODUCER_EPOCH : outcome.error();
    reply.complete(new InitProducerIdResponse().errorCode(error.code()).producerId(outcome.producer().id())
        .producerEpoch(outcome.producer().epoch()));
  }

  private Outcome outcome(InitProducerIdRequest request, RequestContext context) {
    ProducerIdentity expected = new ProducerIdentity(request.producerId(), request.producerEpoch());
    boolean isHalfKnown = (expected.id() == ProducerIdentity.NONE.id()) != (expected.epoch() == ProducerIdentity.NONE
        .epoch());
    String transactionalId = request.transactionalId();
    if (isHalfKnown || (transactionalId != null && transactionalId.isEmpty())) {
      return Outcome.failed(ErrorCode.INVALID_REQUEST);
    }
    if (transactionalId == null) {
      return Outcome.of(new ProducerIdentity(cluster.newProducerId(), (short) 0));
    }
    int timeout = request.transactionTimeoutMs();
    if (timeout <= 0 || timeout > cluster.settings().getInt("transaction.max.timeout.ms")) {
      return Outcome.failed(ErrorCode.INVALID_TRANSACTION_TIMEOUT);
    }
    ErrorCode problem = coordinator.problemOf(transactionalId, context);
    return problem == ErrorCode.NONE
        ? coordinator.initialize(transactionalId, timeout, expected)
        : Outcome.failed(problem);
  }

  @Override
  public InitProducerIdResponse refuse(InitProducerIdRequest request, RequestContext context, ErrorCode error) {
    return new InitProducerIdResponse().errorCode(error.code()).producerId(ProducerIdentity.NONE.id())
        .producerEpoch(ProducerIdentity.NONE.epoch());
  }
}
