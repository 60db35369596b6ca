package dev.decant.fake.transaction;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.EndTxnRequest;
import dev.decant.kafka.protocol.message.EndTxnResponse;

/** EndTxn: commits or aborts; from version 5 on the response has the producer's next epoch (KIP-890). */
final class EndTxnHandler implements ApiHandler<EndTxnRequest, EndTxnResponse> {
  private static final int FIRST_THAT_BUMPS = 5;

  private final TransactionCoordinator coordinator;

  EndTxnHandler(TransactionCoordinator coordinator) {
    this.coordinator = coordinator;
  }

  @Override
  public void handle(EndTxnRequest request, RequestContext context, Reply<EndTxnResponse> reply) {
    ErrorCode problem = coordinator.problemOf(request.transactionalId(), context);
    Outcome outcome = problem == ErrorCode.NONE
        ? coordinator.end(request.transactionalId(),
            new ProducerIdentity(request.producerId(), request.producerEpoch()), request.committed(),
            context.version() >= FIRST_THAT_BUMPS)
        : Outcome.failed(problem);
    reply.complete(new EndTxnResponse().errorCode(Fence.inVersion(context.version(), outcome.error()).code())
        .producerId(outcome.producer().id()).producerEpoch(outcome.producer().epoch()));
  }

  @Override
  public EndTxnResponse refuse(EndTxnRequest request, RequestContext context, ErrorCode error) {
    return new EndTxnResponse().errorCode(error.code()).producerId(ProducerIdentity.NONE.id())
        .producerEpoch(ProducerIdentity.NONE.epoch());
  }
}
