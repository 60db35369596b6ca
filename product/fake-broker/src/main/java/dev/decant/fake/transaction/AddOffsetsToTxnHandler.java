package dev.decant.fake.transaction;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Coordinators;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.AddOffsetsToTxnRequest;
import dev.decant.kafka.protocol.message.AddOffsetsToTxnResponse;
import java.util.List;

/** AddOffsetsToTxn: adds the partition of a group's offsets to the transaction. */
final class AddOffsetsToTxnHandler implements ApiHandler<AddOffsetsToTxnRequest, AddOffsetsToTxnResponse> {
  private final Cluster cluster;
  private final TransactionCoordinator coordinator;

  AddOffsetsToTxnHandler(Cluster cluster, TransactionCoordinator coordinator) {
    this.cluster = cluster;
    this.coordinator = coordinator;
  }

  @Override
  public void handle(AddOffsetsToTxnRequest request, RequestContext context, Reply<AddOffsetsToTxnResponse> reply) {
    ErrorCode error = coordinator.problemOf(request.transactionalId(), context);
    if (error == ErrorCode.NONE) {
      TransactionPartition offsets = TransactionPartition.of(
          cluster.coordinators().partition(Coordinators.Type.GROUP, request.groupId()));
      error = coordinator.add(request.transactionalId(),
          new ProducerIdentity(request.producerId(), request.producerEpoch()), List.of(offsets));
    }
    reply.complete(refuse(request, context, Fence.inVersion(context.version(), error)));
  }

  @Override
  public AddOffsetsToTxnResponse refuse(AddOffsetsToTxnRequest request, RequestContext context, ErrorCode error) {
    return new AddOffsetsToTxnResponse().errorCode(error.code());
  }
}
