package dev.decant.kafka.producer;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.cluster.ResponseHandler;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.message.InitProducerIdRequest;
import dev.decant.kafka.protocol.message.InitProducerIdResponse;
import dev.decant.kafka.telemetry.ErrorFunnel;
import org.jspecify.annotations.Nullable;

/**
 * The producer id and epoch under which idempotent producers number their batches (KIP-98). Owner of the loop only.
 */
final class ProducerIdentity implements ResponseHandler {
  private static final int MIN_VERSION = 4;
  private static final int MAX_VERSION = 5;
  private static final long RETRY_NANOS = 100_000_000L;

  private final Cluster cluster;
  private final ErrorFunnel errors;
  private final Runnable onChange;
  private long id = -1;
  private short epoch = -1;
  private boolean asking;
  private long retryAtNanos;
  private @Nullable KafkaException lastError;
  private long nowNanos;
  private String broker = "";

  ProducerIdentity(Cluster cluster, ErrorFunnel errors, Runnable onChange) {
    this.errors = errors;
    this.cluster = cluster;
    this.onChange = onChange;
  }

  boolean isKnown() {
    return id >= 0;
  }

  long id() {
    return id;
  }

  short epoch() {
    return epoch;
  }

  @Nullable
  KafkaException lastError() {
    return lastError;
  }

  long retryAtNanos() {
    return retryAtNanos;
  }

  /** Gives an identity up, if it is the present one: who asks next gets another. */
  void forget(long usedId) {
    if (usedId == id) {
      id = -1;
      epoch = -1;
    }
  }

  /** Asks a broker for an identity unless that is under way or failed just now. */
  void ask(long now) {
    nowNanos = now;
    if (asking || (lastError != null && retryAtNanos - now > 0)) {
      return;
    }
    BrokerLink link = cluster.anyLink();
    if (link == null) {
      return;
    }
    asking = true;
    broker = link.name();
    InitProducerIdRequest request = new InitProducerIdRequest().transactionalId(null)
        .transactionTimeoutMs(Integer.MAX_VALUE);
    short version;
    try {
      version = link.chooseVersion(InitProducerIdRequest.API_KEY, MIN_VERSION, MAX_VERSION);
    } catch (KafkaException e) {
      onFailure(e);
      return;
    }
    link.send(InitProducerIdRequest.API_KEY, version, true, request::write, this);
  }

  @Override
  public void onResponse(ProtocolReader in, short version, @Nullable PooledBuffer lease) {
    InitProducerIdResponse response = InitProducerIdResponse.read(in, version);
    if (response.errorCode() != 0) {
      ErrorCode code = ErrorCode.of(response.errorCode());
      onFailure(new KafkaException(code, "no producer id: broker " + broker + " answered " + code));
      return;
    }
    asking = false;
    lastError = null;
    id = response.producerId();
    epoch = response.producerEpoch();
    onChange.run();
  }

  @Override
  public void onFailure(KafkaException cause) {
    asking = false;
    lastError = cause;
    errors.report(ErrorKind.IDENTITY_FAILED, broker, cause);
    retryAtNanos = nowNanos + RETRY_NANOS;
    onChange.run();
  }
}
