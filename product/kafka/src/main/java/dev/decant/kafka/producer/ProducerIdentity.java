package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.CallQueue;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.cluster.RetriableCall;
import dev.decant.kafka.cluster.RetryBackoff;
import dev.decant.kafka.cluster.Target;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.message.InitProducerIdRequest;
import dev.decant.kafka.protocol.message.InitProducerIdResponse;
import dev.decant.kafka.telemetry.ErrorFunnel;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import org.jspecify.annotations.Nullable;

/** The producer id and epoch under which idempotent producers number their batches (KIP-98). Owner of the loop only. */
final class ProducerIdentity {
  private static final int MIN_VERSION = 0;
  private static final int MAX_VERSION = 5;
  private static final long RETRY_NANOS = 100_000_000L;

  /** Gets each outcome. */
  interface Listener {
    /** There is an identity, or an attempt has failed and another one follows. */
    void onChange();

    /** A broker refuses to give an identity. Only {@link ProducerIdentity#ask} makes another attempt. */
    void onRefused(ProducerIdentity identity, KafkaException cause);
  }

  private final EventLoop loop;
  private final ErrorFunnel errors;
  private final Listener listener;
  private final Timer retry;
  private final CallQueue calls;
  private final InitCall call = new InitCall();
  private long id = -1;
  private short epoch = -1;
  /** {@link Cluster#moves()} of the cluster that gave the identity. */
  private int moves;
  private boolean asking;
  /** True if a partition has asked since the last failure. */
  private boolean wanted;
  private @Nullable KafkaException lastError;

  ProducerIdentity(EventLoop loop, CallQueue calls, ErrorFunnel errors, Listener listener) {
    this.loop = loop;
    this.errors = errors;
    this.listener = listener;
    this.retry = new Timer(listener::onChange);
    this.calls = calls;
  }

  /** Makes the queue by which the identities of a client ask, one after another. */
  static CallQueue calls(EventLoop loop, Cluster cluster) {
    return new CallQueue(loop, "a producer id", RetryBackoff.DEFAULT, pump -> Target.anyBroker(cluster, pump),
        cause -> {});
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

  /** Forgets an identity if it is the present one: the next {@link #ask} gets another. */
  void forget(long usedId) {
    if (usedId == id) {
      id = -1;
      epoch = -1;
    }
  }

  /**
   * Forgets an identity of a cluster that the client has left: another cluster may have given it to another producer.
   */
  void leaveOtherCluster(int clusterMoves) {
    if (moves != clusterMoves) {
      moves = clusterMoves;
      forget(id);
    }
  }

  /** Asks a broker for an identity, unless a request is under way. */
  void ask() {
    wanted = true;
    if (!asking) {
      asking = true;
      calls.submit(call);
    }
  }

  private void failed(KafkaException cause) {
    wanted = false;
    lastError = cause;
    errors.report(ErrorKind.IDENTITY_FAILED, call.broker(), cause);
  }

  /** InitProducerId without a transactional id: any broker has ids to give. */
  private final class InitCall extends RetriableCall {
    private InitProducerIdResponse response = new InitProducerIdResponse();

    InitCall() {
      super(ApiKey.INIT_PRODUCER_ID, MIN_VERSION, MAX_VERSION);
    }

    String broker() {
      return brokerName();
    }

    @Override
    protected boolean isWanted() {
      return wanted;
    }

    @Override
    public void write(ProtocolWriter out, short version) {
      new InitProducerIdRequest().transactionalId(null).transactionTimeoutMs(Integer.MAX_VALUE).write(out, version);
    }

    @Override
    protected ErrorCode read(ProtocolReader in, short version) {
      response = InitProducerIdResponse.read(in, version);
      throttle(response.throttleTimeMs());
      ErrorCode code = ErrorCode.of(response.errorCode());
      if (code == ErrorCode.NONE && (response.producerId() < 0 || response.producerEpoch() < 0)) {
        throw new IllegalStateException("producer id " + response.producerId() + " with epoch "
            + response.producerEpoch());
      }
      return code;
    }

    @Override
    protected void done() {
      asking = false;
      lastError = null;
      id = response.producerId();
      epoch = response.producerEpoch();
      listener.onChange();
    }

    @Override
    protected void paused(KafkaException cause) {
      ProducerIdentity.this.failed(cause);
      listener.onChange();
    }

    @Override
    protected void failed(KafkaException cause) {
      asking = false;
      ProducerIdentity.this.failed(cause);
      if (cause.code() == ErrorCode.UNKNOWN_SERVER_ERROR) { // gives no reason: another broker may have an id
        loop.schedule(retry, loop.nowNanos() + RETRY_NANOS);
      } else {
        listener.onRefused(ProducerIdentity.this, cause);
      }
    }

    @Override
    protected void dropped() {
      asking = false;
    }
  }
}
