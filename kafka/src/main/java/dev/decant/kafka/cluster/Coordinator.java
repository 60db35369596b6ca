package dev.decant.kafka.cluster;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.message.FindCoordinatorRequest;
import dev.decant.kafka.protocol.message.FindCoordinatorResponse;
import dev.decant.kafka.telemetry.ClosedInGoodOrderException;
import dev.decant.loop.Timer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The broker that coordinates one group or one transactional id (FindCoordinator, KIP-699), and a connection to it that
 * nobody else uses: a broker answers the requests of a connection in order, and some answers take their time.
 *
 * <p>Owner of the loop only.
 */
public final class Coordinator implements ResponseHandler {
  private static final int MIN_VERSION = 4;
  private static final int MAX_VERSION = 6;
  private static final long RETRY_NANOS = 100_000_000L;

  /** What is coordinated. */
  public enum Kind {
    /** A consumer group, by its id. */
    GROUP(0),
    /** Transactions, by transactional id. */
    TRANSACTION(1);

    private final byte wire;

    Kind(int wire) {
      this.wire = (byte) wire;
    }

    private String label() {
      return this == GROUP ? "group" : "transactional id";
    }
  }

  private final Cluster cluster;
  private final Kind kind;
  private final String key;
  private final Runnable onChange;
  private final long answerNanos;
  private final Timer retryTimer;
  private @Nullable BrokerLink link;
  private boolean asking;
  private boolean closed;
  private long retryAtNanos;
  private String asked = "";
  /** Written by the owner of the loop, read by any thread. */
  private volatile @Nullable KafkaException lastError;

  /**
   * Does nothing yet.
   *
   * @param cluster whose brokers are asked
   * @param kind what is coordinated
   * @param key id of the group, or transactional id
   * @param onChange run when it is worth looking at {@link #readyLink} again
   */
  public Coordinator(Cluster cluster, Kind kind, String key, Runnable onChange) {
    this(cluster, kind, key, onChange, 0);
  }

  /**
   * Does nothing yet; for requests whose answers may take longer than others.
   *
   * @param cluster whose brokers are asked
   * @param kind what is coordinated
   * @param key id of the group, or transactional id
   * @param onChange run when it is worth looking at {@link #readyLink} again
   * @param answerNanos how long an answer may take; the usual time, if that is more
   */
  public Coordinator(Cluster cluster, Kind kind, String key, Runnable onChange, long answerNanos) {
    this.answerNanos = answerNanos;
    this.cluster = cluster;
    this.kind = kind;
    this.key = key;
    this.onChange = onChange;
    this.retryTimer = new Timer(onChange);
    this.retryAtNanos = cluster.nowNanos();
  }

  /**
   * The connection to the coordinator. Where there is none, it is looked up and opened, and {@code onChange} tells of
   * it; so it does when an attempt has failed and may be repeated.
   *
   * @return null for now
   */
  public @Nullable BrokerLink readyLink() {
    BrokerLink known = link;
    if (known == null) {
      look();
      return null;
    }
    if (known.isReady()) {
      return known;
    }
    known.ensureConnected();
    return null;
  }

  /**
   * What went wrong last, in looking the coordinator up or in connecting to it.
   *
   * @return null after a success; an error that is not retriable will not go away by itself
   */
  public @Nullable KafkaException lastError() {
    return lastError;
  }

  /**
   * Names the coordinator for messages.
   *
   * @return host and port, or that it is not known
   */
  public String name() {
    BrokerLink known = link;
    return known == null ? "unknown" : known.name();
  }

  /**
   * A broker has said that it does not coordinate this (any more), or does not answer: it is looked up again. What is
   * in flight to it fails.
   *
   * @param cause why
   */
  public void lost(KafkaException cause) {
    lastError = cause;
    retryAtNanos = cluster.nowNanos() + RETRY_NANOS;
    closeLink(cause);
  }

  private void closeLink(KafkaException cause) {
    BrokerLink known = link;
    link = null;
    if (known != null) {
      cluster.closeLink(known, cause);
    }
  }

  private void look() {
    if (asking || closed) {
      return;
    }
    if (retryAtNanos - cluster.nowNanos() > 0) {
      cluster.schedule(retryTimer, retryAtNanos);
      return;
    }
    BrokerLink any = cluster.anyLink();
    if (any == null) {
      retryAtNanos = cluster.nowNanos() + RETRY_NANOS;
      cluster.schedule(retryTimer, retryAtNanos);
      return;
    }
    asked = any.name();
    FindCoordinatorRequest request = new FindCoordinatorRequest().keyType(kind.wire)
        .coordinatorKeys(List.of(key));
    short version;
    try {
      version = any.chooseVersion(FindCoordinatorRequest.API_KEY, MIN_VERSION, MAX_VERSION);
    } catch (KafkaException e) {
      onFailure(e);
      return;
    }
    asking = true;
    any.send(FindCoordinatorRequest.API_KEY, version, true, request::write, this);
  }

  @Override
  public void onResponse(ProtocolReader in, short version, @Nullable PooledBuffer lease) {
    FindCoordinatorResponse response = FindCoordinatorResponse.read(in, version);
    for (FindCoordinatorResponse.Coordinator found : response.coordinators()) {
      if (found.key().equals(key)) {
        onFound(found);
        return;
      }
    }
    onFailure(new KafkaException(ErrorCode.COORDINATOR_NOT_AVAILABLE,
        "coordinator of " + kind.label() + " " + key + ": the answer of broker " + asked + " does not name it"));
  }

  private void onFound(FindCoordinatorResponse.Coordinator found) {
    if (found.errorCode() != 0) {
      ErrorCode code = ErrorCode.of(found.errorCode());
      String detail = found.errorMessage();
      onFailure(new KafkaException(code, "coordinator of " + kind.label() + " " + key + ": broker " + asked
          + " answered " + code + (detail == null || detail.isEmpty() ? "" : " (" + detail + ")")));
      return;
    }
    asking = false;
    if (closed) {
      return;
    }
    lastError = null;
    BrokerLink opened = cluster.openLink(new BrokerAddress(found.host(), found.port()), answerNanos,
        this::onLinkChange);
    link = opened;
    opened.ensureConnected();
  }

  private void onLinkChange() {
    BrokerLink known = link;
    if (known == null) {
      return; // this very link is being closed
    }
    Throwable ended = known.lastError();
    if (!known.isReady() && ended != null) { // another broker may coordinate by now
      lost(ended instanceof KafkaException k
          ? k
          : new KafkaException(ErrorCode.NETWORK_EXCEPTION, "coordinator " + known.name() + ": " + ended, ended));
    }
    onChange.run();
  }

  @Override
  public void onFailure(KafkaException cause) {
    asking = false;
    lastError = cause;
    retryAtNanos = cluster.nowNanos() + RETRY_NANOS;
    if (!closed) {
      onChange.run();
    }
  }

  /** Closes the connection; looks for nothing any more. */
  public void close() {
    closed = true;
    cluster.cancel(retryTimer);
    closeLink(new ClosedInGoodOrderException("the coordinator of " + kind.label() + " " + key + " is not needed"
        + " any more"));
  }
}
