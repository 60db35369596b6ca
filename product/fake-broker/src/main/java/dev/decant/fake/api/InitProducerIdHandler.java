package dev.decant.fake.api;

import dev.decant.fake.cluster.Cluster;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.InitProducerIdRequest;
import dev.decant.kafka.protocol.message.InitProducerIdResponse;

/** InitProducerId of a producer without a transactional id: each receives a new id, with epoch 0 (KIP-98). */
final class InitProducerIdHandler implements ApiHandler<InitProducerIdRequest, InitProducerIdResponse> {
  private static final int NONE = -1;

  private final Cluster cluster;

  InitProducerIdHandler(Cluster cluster) {
    this.cluster = cluster;
  }

  @Override
  public void handle(InitProducerIdRequest request, RequestContext context, Reply<InitProducerIdResponse> reply) {
    boolean isHalfKnown = (request.producerId() == NONE) != (request.producerEpoch() == NONE);
    String transactionalId = request.transactionalId();
    if (isHalfKnown || (transactionalId != null && transactionalId.isEmpty())) {
      reply.complete(refuse(request, context, ErrorCode.INVALID_REQUEST));
    } else if (transactionalId != null) {
      reply.complete(refuse(request, context, ErrorCode.COORDINATOR_NOT_AVAILABLE));
    } else {
      reply.complete(new InitProducerIdResponse().producerId(cluster.newProducerId()).producerEpoch((short) 0));
    }
  }

  @Override
  public InitProducerIdResponse refuse(InitProducerIdRequest request, RequestContext context, ErrorCode error) {
    return new InitProducerIdResponse().errorCode(error.code()).producerId(NONE).producerEpoch((short) NONE);
  }
}
