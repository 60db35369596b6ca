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
 * Asks for a producer id and epoch: without those of before it fences whoever had the transactional id (KIP-98), with
 * them it is only the next epoch (KIP-360). Either way a transaction that is open is aborted first.
 */
final class InitProducerIdCall extends RetriableCall {
  private static final int HIGHEST = 5;
  /** The first one that asks for the next epoch (KIP-360). */
  private static final int FIRST_WITH_EPOCH = 3;

  private final TransactionSession session;
  private final InitProducerIdRequest request;
  private InitProducerIdResponse response = new InitProducerIdResponse();

  InitProducerIdCall(TransactionSession session, TransactionContext context, long producerId, short epoch) {
    super(ApiKey.INIT_PRODUCER_ID, producerId < 0 ? 0 : FIRST_WITH_EPOCH, HIGHEST);
    this.session = session;
    this.request = new InitProducerIdRequest().transactionalId(context.transactionalId())
        .transactionTimeoutMs(context.timeoutMillis()).producerId(producerId).producerEpoch(epoch);
  }

  /** Without an epoch of before, the call would fence a newer producer that has fenced this one. */
  @Override
  protected String remedy() {
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
    session.identified(response.producerId(), response.producerEpoch());
  }

  @Override
  protected void failed(KafkaException cause) {
    if (cause.code() == ErrorCode.UNSUPPORTED_VERSION && request.producerId() >= 0 && !session.hasLostNumbers()) {
      session.identified(request.producerId(), request.producerEpoch()); // no batch was sent: the epoch has no gap
      return;
    }
    session.fail(true, cause);
  }
}
