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
 * The broker that coordinates one group or one transactional id (FindCoordinator, KIP-699), with a connection of its
 * own. A broker responds to the requests of a connection in order. A coordinator may respond late, and other requests
 * would wait behind that response.
 *
 * <p>Owner of the loop only.
 */
public final class Coordinator implements Target {
  private static final int MIN_VERSION = 0;
  private static final int MAX_VERSION = 6;
  private static final int FIRST_WITH_KINDS = 1;
  /** The first version that asks for several coordinators; an older request names one key. */
  private static final int FIRST_WITH_LISTS = 4;

  /** The kind of coordinator. */
  public enum Kind {
    /** Coordinates a consumer group, by its id. */
    GROUP(0),
    /** Coordinates transactions, by transactional id. */
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
  /** True while a user has asked for the link since the last failure. */
  private boolean wanted;
  /** The earliest time of the next look-up after the coordinator has moved, or a connection or look-up has failed. */
  private long lookupAtNanos;
  /** Written by the owner of the loop, read by any thread. */
  private volatile @Nullable KafkaException lastError;

  /**
   * Makes a coordinator that is not looked up yet.
   *
   * @param key id of the group, or transactional id
   * @param onChange run when {@link #readyLink} should be tried again
   */
  public Coordinator(Cluster cluster, Kind kind, String key, Runnable onChange) {
    this(cluster, kind, key, onChange, 0);
  }

  /**
   * Makes a coordinator that is not looked up yet, for requests whose responses may take longer than others.
   *
   * @param key id of the group, or transactional id
   * @param onChange run when {@link #readyLink} should be tried again
   * @param responseNanos how long a response may take; {@code request.timeout.ms} if that is longer
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
   * Returns the connection to the coordinator; otherwise starts a look-up or connection and returns null. {@code
   * onChange} runs when there is one, and when a failed attempt may be repeated.
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
   * Returns the last error of look-up or connection; null after a success. An error that is not retriable stays until
   * an operator acts.
   */
  @Override
  public @Nullable KafkaException lastError() {
    return lastError;
  }

  /** Returns host and port of the coordinator for messages, or that it is not known. */
  @Override
  public String name() {
    BrokerLink known = link;
    return known == null ? "unknown" : known.name();
  }

  /**
   * Looks the coordinator up again: a broker has reported that it does not coordinate this key, or does not respond.
   * Requests in flight to it fail.
   *
   * @param cause the response or the timeout
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
      return; // this link is being closed by closeLink()
    }
    Throwable ended = known.lastError();
    if (!known.isReady() && ended != null) { // another broker may coordinate by now
      // An error of a wrong cluster is wrapped in a retriable one: another broker may name the right address.
      moved(ended instanceof KafkaException k && !(k instanceof WrongClusterException)
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
    onChange.run(); // a user that still needs the coordinator calls readyLink() again
  }

  /** FindCoordinator, repeated while a user needs the coordinator. */
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
      String text = detail;
      detail = null;
      return text == null || text.isEmpty()
          ? cause
          : new KafkaException(cause.code(), cause.getMessage() + " (" + Printable.of(text) + ")", cause);
    }
  }

  /** Closes the connection and ends the look-ups. */
  @Override
  public void close() {
    wanted = false;
    lookups.close();
    closeLink(new ClosedInGoodOrderException("the coordinator of " + subject() + " is not needed any more"));
  }
}
