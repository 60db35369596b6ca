package dev.decant.kafka.cluster;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.WrongClusterException;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.message.FindCoordinatorRequest;
import dev.decant.kafka.protocol.message.FindCoordinatorResponse;
import dev.decant.kafka.telemetry.ClosedInGoodOrderException;
import dev.decant.net.Printable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The broker that coordinates one group or one transactional id (FindCoordinator, KIP-699), and a connection to it that
 * nobody else uses: a broker responds to the requests of a connection in order, and some responses take their time.
 *
 * <p>Owner of the loop only.
 */
public final class Coordinator implements Target {
  private static final int MIN_VERSION = 0;
  private static final int MAX_VERSION = 6;
  private static final int FIRST_WITH_KINDS = 1;
  /** Below it a request asks for one coordinator. */
  private static final int FIRST_WITH_LISTS = 4;

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
  private final long responseNanos;
  private final CallQueue lookups;
  private final Lookup lookup = new Lookup();
  private @Nullable BrokerLink link;
  /** Somebody has asked for the link since the last failure. */
  private boolean wanted;
  /** When it may be looked up again after it has moved, ended a connection or been refused. */
  private long lookupAtNanos;
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
   * Does nothing yet; for requests whose responses may take longer than others.
   *
   * @param cluster whose brokers are asked
   * @param kind what is coordinated
   * @param key id of the group, or transactional id
   * @param onChange run when it is worth looking at {@link #readyLink} again
   * @param responseNanos how long a response may take; {@code request.timeout.ms}, if that is more
   */
  public Coordinator(Cluster cluster, Kind kind, String key, Runnable onChange, long responseNanos) {
    this.responseNanos = responseNanos;
    this.cluster = cluster;
    this.kind = kind;
    this.key = key;
    this.onChange = onChange;
    this.lookups = new CallQueue(cluster.loop(), subject(), RetryBackoff.DEFAULT,
        pump -> Target.anyBroker(cluster, pump), cause -> {});
    this.lookupAtNanos = cluster.loop().clock().nanoTime();
  }

  private String subject() {
    return kind.label() + " " + key;
  }

  /**
   * The connection to the coordinator. Where there is none, it is looked up and opened, and {@code onChange} tells of
   * it; so it does when an attempt has failed and may be repeated.
   *
   * @return null for now
   */
  @Override
  public @Nullable BrokerLink readyLink() {
    BrokerLink known = link;
    if (known == null) {
      wanted = true;
      lookup.begin();
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
  @Override
  public @Nullable KafkaException lastError() {
    return lastError;
  }

  /**
   * Names the coordinator for messages.
   *
   * @return host and port, or that it is not known
   */
  @Override
  public String name() {
    BrokerLink known = link;
    return known == null ? "unknown" : known.name();
  }

  /**
   * A broker has said that it does not coordinate this (any more), or does not respond: it is looked up again. What is
   * in flight to it fails.
   *
   * @param cause why
   */
  @Override
  public void moved(KafkaException cause) {
    lastError = cause;
    pauseLookups();
    closeLink(cause);
  }

  private void closeLink(KafkaException cause) {
    BrokerLink known = link;
    link = null;
    if (known != null) {
      cluster.closeLink(known, cause);
    }
  }

  private void onFound(BrokerAddress found) {
    lastError = null;
    BrokerLink opened = cluster.openLink(found, responseNanos, this::onLinkChange);
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
      moved(ended instanceof KafkaException k && !(k instanceof WrongClusterException) // another broker may name it
          ? k
          : new KafkaException(ErrorCode.NETWORK_EXCEPTION, "coordinator " + known.name() + ": " + ended, ended));
    }
    onChange.run();
  }

  private void pauseLookups() {
    long now = cluster.nowNanos();
    lookupAtNanos = now + RetryBackoff.DEFAULT.nanos(1, now);
  }

  private void onLookupFailed(KafkaException cause) {
    wanted = false;
    lastError = cause;
    onChange.run(); // whoever still needs the coordinator asks for the link again
  }

  /** FindCoordinator, repeated while somebody needs the coordinator. */
  private final class Lookup extends RetriableCall {
    private BrokerAddress found = new BrokerAddress("", 0);
    private @Nullable String detail;
    private boolean submitted;

    Lookup() {
      super(ApiKey.FIND_COORDINATOR, MIN_VERSION, MAX_VERSION);
    }

    void begin() {
      if (!submitted) {
        submitted = true;
        lookups.submit(this);
      }
    }

    @Override
    protected boolean isWanted() {
      return wanted && link == null;
    }

    @Override
    protected long turn(long nowNanos) {
      return lookupAtNanos;
    }

    @Override
    protected int lowestVersion() {
      return kind == Kind.GROUP ? MIN_VERSION : FIRST_WITH_KINDS;
    }

    @Override
    public void write(ProtocolWriter out, short version) {
      FindCoordinatorRequest request = new FindCoordinatorRequest().keyType(kind.wire);
      if (version < FIRST_WITH_LISTS) {
        request.key(key);
      } else {
        request.coordinatorKeys(List.of(key));
      }
      request.write(out, version);
    }

    @Override
    protected ErrorCode read(ProtocolReader in, short version) {
      FindCoordinatorResponse response = FindCoordinatorResponse.read(in, version);
      throttle(response.throttleTimeMs());
      if (version < FIRST_WITH_LISTS) {
        found = new BrokerAddress(response.host(), response.port());
        detail = response.errorMessage();
        return ErrorCode.of(response.errorCode());
      }
      for (FindCoordinatorResponse.Coordinator each : response.coordinators()) {
        if (each.key().equals(key)) {
          found = new BrokerAddress(each.host(), each.port());
          detail = each.errorMessage();
          return ErrorCode.of(each.errorCode());
        }
      }
      detail = "the response does not name it";
      return ErrorCode.COORDINATOR_NOT_AVAILABLE;
    }

    @Override
    protected void done() {
      submitted = false;
      onFound(found);
    }

    @Override
    protected void paused(KafkaException cause) {
      onLookupFailed(named(cause));
    }

    @Override
    protected void failed(KafkaException cause) {
      submitted = false;
      pauseLookups();
      onLookupFailed(named(cause));
    }

    @Override
    protected void dropped() {
      submitted = false;
    }

    private KafkaException named(KafkaException cause) {
      String words = detail;
      detail = null;
      return words == null || words.isEmpty()
          ? cause
          : new KafkaException(cause.code(), cause.getMessage() + " (" + Printable.of(words) + ")", cause);
    }
  }

  /** Closes the connection; looks for nothing any more. */
  @Override
  public void close() {
    wanted = false;
    lookups.close();
    closeLink(new ClosedInGoodOrderException("the coordinator of " + subject() + " is not needed any more"));
  }
}
