package dev.decant.kafka.transaction;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.RetriableCall;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.message.InitProducerIdRequest;
import dev.decant.kafka.protocol.message.InitProducerIdResponse;

/**
 * Requests a producer id and epoch. Without the present ones it fences the former user of the transactional id
 * (KIP-98); with them it only brings the next epoch (KIP-360). Either way an open transaction is aborted first.
 */
final class InitProducerIdCall extends RetriableCall {
  private static final int HIGHEST = 5;
  /** The first version that can request the next epoch (KIP-360). */
  private static final int FIRST_WITH_EPOCH = 3;
  /** The version with two-phase commits (KIP-939). Brokers speak it if they enable unstable versions of APIs. */
  private static final int WITH_TWO_PHASES = 6;

  private final TransactionSession session;
  private final InitProducerIdRequest request;
  private InitProducerIdResponse response = new InitProducerIdResponse();

  InitProducerIdCall(TransactionSession session, TransactionContext context, long producerId, short epoch) {
    super(ApiKey.INIT_PRODUCER_ID, lowest(context, producerId),
        hasTwoPhases(context) ? WITH_TWO_PHASES : HIGHEST);
    this.session = session;
    this.request = new InitProducerIdRequest().transactionalId(context.transactionalId())
        .transactionTimeoutMs(context.timeoutMillis()).producerId(producerId).producerEpoch(epoch)
        .enable2Pc(context.twoPhase()).keepPreparedTxn(context.keepsPrepared() && producerId < 0);
  }

  private static boolean hasTwoPhases(TransactionContext context) {
    return context.twoPhase() || context.keepsPrepared();
  }

  private static int lowest(TransactionContext context, long producerId) {
    if (hasTwoPhases(context)) {
      return WITH_TWO_PHASES;
    }
    return producerId < 0 ? 0 : FIRST_WITH_EPOCH;
  }

  /**
   * Returns the way out for the error. A request without the present epoch is no way out: it would fence a newer
   * producer that has fenced this one.
   */
  @Override
  protected String remedy() {
    if (request.enable2Pc() || request.keepPreparedTxn()) {
      return "; two-phase commits (KIP-939) need brokers with unstable.api.versions.enable=true and"
          + " transaction.two.phase.commit.enable=true; without them, do not ask for two-phase commits, and end a"
          + " prepared transaction with resume";
    }
    return request.producerId() < 0
        ? ""
        : "; after a failed batch that was sent, a coordinator before Kafka 2.5 has no next epoch for this producer";
  }

  @Override
  public void write(ProtocolWriter out, short version) {
    request.write(out, version);
  }

  @Override
  protected ErrorCode read(ProtocolReader in, short version) {
    response = InitProducerIdResponse.read(in, version);
    ErrorCode code = ErrorCode.of(response.errorCode());
    if (code == ErrorCode.NONE && (response.producerId() < 0 || response.producerEpoch() < 0)) {
      throw new IllegalStateException("producer id " + response.producerId() + " with epoch "
          + response.producerEpoch());
    }
    return code;
  }

  @Override
  protected void done() {
    if (response.ongoingTxnProducerId() >= 0 && response.ongoingTxnProducerEpoch() >= 0) {
      session.keptPrepared(response);
    } else {
      session.identified(response.producerId(), response.producerEpoch());
    }
  }

  @Override
  protected void failed(KafkaException cause) {
    boolean lacksNextEpoch = cause.code() == ErrorCode.UNSUPPORTED_VERSION && request.producerId() >= 0;
    if (lacksNextEpoch && session.startsOver()) {
      return;
    }
    if (lacksNextEpoch && !session.hasLostNumbers()) {
      session.identified(request.producerId(), request.producerEpoch()); // no batch was sent: the epoch has no gap
      return;
    }
    session.fail(true, cause);
  }
}
