package dev.decant.kafka.transaction;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.RetriableCall;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.message.EndTxnRequest;
import dev.decant.kafka.protocol.message.EndTxnResponse;

/** Commits or aborts a transaction. From version 5 on the response has the epoch of the next one (KIP-890). */
final class EndTransactionCall extends RetriableCall {
  private static final int LOWEST = 0;
  private static final int WITH_NEXT_EPOCH = 5;

  private final TransactionSession session;
  private final EndTxnRequest request;
  private EndTxnResponse response = new EndTxnResponse();
  private boolean hasNextEpoch;

  EndTransactionCall(TransactionSession session, EndTxnRequest request) {
    super(ApiKey.END_TXN, LOWEST, WITH_NEXT_EPOCH);
    this.session = session;
    this.request = request;
  }

  @Override
  protected int lowestVersion() {
    return session.endsWithNextEpoch() ? WITH_NEXT_EPOCH : LOWEST;
  }

  @Override
  protected int highestVersion() {
    return session.endsWithNextEpoch() ? WITH_NEXT_EPOCH : WITH_NEXT_EPOCH - 1;
  }

  @Override
  protected String name() {
    return request.committed() ? "EndTxn (commit)" : "EndTxn (abort)";
  }

  /**
   * Returns false for a transaction without records and offsets: the coordinator does not know it and would refuse the
   * end.
   */
  @Override
  protected boolean isWanted() {
    return session.hasStarted();
  }

  @Override
  protected void dropped() {
    session.ended(request.producerId(), request.producerEpoch());
  }

  @Override
  public void write(ProtocolWriter out, short version) {
    request.write(out, version);
  }

  @Override
  protected ErrorCode read(ProtocolReader in, short version) {
    response = EndTxnResponse.read(in, version);
    hasNextEpoch = version >= WITH_NEXT_EPOCH;
    ErrorCode code = ErrorCode.of(response.errorCode());
    if (hasNextEpoch && code == ErrorCode.NONE && (response.producerId() < 0 || response.producerEpoch() < 0)) {
      throw new IllegalStateException("producer id " + response.producerId() + " with epoch "
          + response.producerEpoch());
    }
    return code;
  }

  @Override
  protected void done() {
    if (hasNextEpoch) {
      session.ended(response.producerId(), response.producerEpoch());
    } else {
      session.ended(request.producerId(), request.producerEpoch());
    }
  }

  @Override
  protected void failed(KafkaException cause) {
    if (!session.endsOtherwise(cause, this)) {
      session.endRefused(cause, isUncertain());
    }
  }
}
