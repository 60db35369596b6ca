package dev.decant.kafka.cluster;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.ConnectionStatus;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.WrongClusterException;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.security.AuthenticationException;
import dev.decant.kafka.security.SslAuthenticationException;
import dev.decant.kafka.telemetry.ClosedInGoodOrderException;
import dev.decant.kafka.telemetry.ConnectionEvents;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import dev.decant.net.Connection;
import dev.decant.net.FrameMemory;
import dev.decant.net.Transport;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The client's link to one broker, which stays while connections come and go. It tries the addresses of the host in
 * turn, with backoff. It numbers requests, and finds the request of each response.
 *
 * <p>Requests in flight fail when their connection ends, and their senders decide about a retry. A connection that is
 * idle for {@code connections.max.idle.ms} is closed. A connection whose session ends is replaced in time (KIP-368).
 * The link sets up a second one, sends no new request until the last response is here, and then changes over.
 *
 * <p>Owner of the loop only.
 */
public final class BrokerLink implements BrokerConnection.User {
  /** The shortest pause after a broker has refused the client's credentials; it doubles up to the longest one. */
  private static final long REFUSED_MIN_NANOS = 1_000_000_000L;
  private static final long REFUSED_MAX_NANOS = 10_000_000_000L;
  /** The share of the broker's session time (KIP-368) after which a connection is replaced. */
  private static final double SESSION_PART = 0.85;
  /** A broker that closes a connection on which no request was sent for this time has closed an idle one. */
  private static final long QUIET_NANOS = 1_000_000_000L;

  /** The state of the link, whatever number of connections it has had. */
  enum State {
    IDLE, RESOLVING, SETTING_UP, READY, CLOSED
  }

  private final EventLoop loop;
  private final ConnectionEvents events;
  private final LinkSettings settings;
  private final BrokerAddress address;
  private final String name;
  private final Runnable onStateChange;

  private final InFlightRequests inFlight = new InFlightRequests();
  private final ProtocolReader reader = new ProtocolReader();
  private final RequestHeader header;
  private final BrokerConnection.Environment environment;
  private final Timer requestTimer = new Timer(this::onRequestDeadline);
  private final Timer connectTimer = new Timer(this::onConnectDeadline);
  private final Timer idleTimer = new Timer(this::onIdleDeadline);
  private final Timer retryTimer;
  private final Timer renewTimer = new Timer(this::renew);
  private final Runnable endIfLeft = this::endIfLeft;

  /** Written by the owner of the loop; read by any thread for its status, as is {@link #lastError}. */
  private volatile State state = State.IDLE;
  /**
   * True once the cluster has left the address: the link takes no request, does not connect, and ends with the last
   * response.
   */
  private volatile boolean leaving;
  private String leavingBecause = "";
  private @Nullable BrokerConnection connection;
  /** The connection that is being set up to replace {@link #connection}; null if there is none. */
  private volatile @Nullable BrokerConnection successor;
  /**
   * The connection for whose successor the host is being looked up; null or an earlier connection if no look-up runs.
   */
  private @Nullable BrokerConnection renewing;
  private ApiVersionTable versions = ApiVersionTable.EMPTY;
  /** The version table that first lacked an API, by API. A second connection must agree before a call fails. */
  private final Map<ApiKey, ApiVersionTable> lacking = new EnumMap<>(ApiKey.class);
  /** The addresses of the host, as resolved for this attempt. */
  private List<InetSocketAddress> addresses = List.of();
  private int addressesTried;
  private int correlationId;
  private int failures;
  /** Number of times that two connections have lacked a version; it sets the pause before a third is opened. */
  private int doubts;
  private boolean doubted;
  private long attemptNanos;
  private long retryAtNanos;
  private long lastRequestNanos;
  private long throttledUntilNanos;
  private volatile @Nullable Throwable lastError;

  /**
   * Makes a link without a connection.
   *
   * @param memory for responses that do not fit into the receive buffer
   * @param onStateChange run when the link becomes ready or ends
   */
  public BrokerLink(EventLoop loop, FrameMemory memory, ConnectionEvents events, LinkSettings settings,
      BrokerAddress address, Runnable onStateChange) {
    this.events = events;
    this.loop = loop;
    this.settings = settings;
    this.address = address;
    this.name = address.toString();
    this.onStateChange = onStateChange;
    this.header = new RequestHeader(settings.clientId());
    this.environment = new BrokerConnection.Environment(loop, memory, events, settings, address, header);
    this.retryTimer = new Timer(onStateChange);
    this.throttledUntilNanos = loop.clock().nanoTime();
  }

  /** Returns host and port, for messages. */
  public String name() {
    return name;
  }

  /**
   * Returns true if the link takes requests. That begins when a connection is set up, and pauses while another takes
   * over.
   */
  public boolean isReady() {
    return state == State.READY && !leaving && !isHandingOver();
  }

  /**
   * Returns true once the link has ended for good: the cluster has left its address, or its user has closed it.
   * Anything that is kept for the link may be forgotten then.
   */
  public boolean isClosed() {
    return state == State.CLOSED;
  }

  private boolean isHandingOver() {
    BrokerConnection next = successor;
    return next != null && next.isEstablished();
  }

  /** Returns the number of requests that have no response yet. */
  public int inFlight() {
    return inFlight.size();
  }

  /** Returns the error that ended the last connection or attempt; null if none has failed since the link was ready. */
  public @Nullable Throwable lastError() {
    return lastError;
  }

  /** Returns the versions that were negotiated on the present connection. */
  public ApiVersionTable versions() {
    return versions;
  }

  /**
   * Returns the highest version of a call's API that client and broker have in common. A version table may be damaged
   * on its way, so the link opens a second connection when a version is missing. The second table is final.
   *
   * @throws KafkaException if there is no common version; retriable until a second connection has confirmed it
   */
  private short chooseVersion(Call call) {
    ApiKey api = call.api();
    short version = versions.choose(api, call.lowestVersion(), call.highestVersion());
    if (version != ApiVersionTable.NONE) {
      if (!lacking.isEmpty()) {
        lacking.remove(api);
      }
      return version;
    }
    KafkaException unsupported = versions.unsupported(api, call.lowestVersion(), call.highestVersion(), name,
        call.remedy());
    ApiVersionTable first = lacking.putIfAbsent(api, versions);
    if (first != null && first != versions) {
      doubtVersions();
      throw unsupported;
    }
    if (state == State.READY && successor == null) {
      loop.schedule(renewTimer, loop.nowNanos()); // in a later round: the caller is still sending on this connection
    }
    throw new KafkaException(ErrorCode.NETWORK_EXCEPTION, unsupported.getMessage()
        + "; that may be damage on the way: another connection is asked", unsupported);
  }

  /** Returns the state of the link. Any thread; the number of requests may be a moment old. */
  ConnectionStatus status() {
    Throwable error = lastError;
    return new ConnectionStatus(name, isReady(), inFlight(), error == null ? null : error.getMessage());
  }

  /** Connects if the link is idle and its backoff is over. During the backoff a timer has the user call again. */
  public void ensureConnected() {
    if (state != State.IDLE || leaving) {
      return;
    }
    if (failures > 0 && retryAtNanos - loop.nowNanos() > 0) {
      if (!retryTimer.isScheduled()) {
        loop.schedule(retryTimer, retryAtNanos);
      }
      return;
    }
    state = State.RESOLVING;
    attemptNanos = loop.nowNanos();
    loop.schedule(connectTimer, loop.nowNanos() + settings.connectTimeoutNanos());
    lookUp(this::beginConnecting, this::failAttempt);
  }

  /** Looks up the host, and passes its addresses or the failure to the owner of the loop. */
  private void lookUp(Consumer<List<InetSocketAddress>> then, Consumer<Throwable> otherwise) {
    if (settings.resolver().blocks(address.host())) { // a slow name server would stop all connections of this loop
      Thread.ofVirtual().name("decant-resolve-" + address.host()).start(() -> resolve(then, otherwise));
    } else {
      resolve(then, otherwise);
    }
  }

  private void resolve(Consumer<List<InetSocketAddress>> then, Consumer<Throwable> otherwise) {
    try {
      List<InetSocketAddress> found = settings.resolver().addresses(address);
      loop.execute(() -> then.accept(found));
    } catch (Throwable e) {
      // Any error ends the attempt. If it escaped, the link would wait for its deadline and not know the cause.
      loop.execute(() -> otherwise.accept(e));
    }
  }

  private void beginConnecting(List<InetSocketAddress> found) {
    if (state == State.RESOLVING) {
      addresses = found;
      addressesTried = 0;
      connectNext();
    }
  }

  private void failAttempt(Throwable cause) {
    if (state == State.RESOLVING) {
      ended(cause);
    }
  }

  private void connectNext() {
    state = State.SETTING_UP;
    loop.schedule(connectTimer, loop.nowNanos() + settings.connectTimeoutNanos());
    try {
      BrokerConnection c = begin(addresses.get((failures + addressesTried++) % addresses.size()));
      connection = c;
      c.open();
    } catch (Throwable e) { // errors, too: there may be no direct memory for the receive buffer
      ended(e);
    }
  }

  private BrokerConnection begin(InetSocketAddress target) throws IOException {
    Transport stream = settings.resolver().connect(target);
    return new BrokerConnection(environment, settings.security().secure(stream, address), this);
  }

  @Override
  public void onEstablished(BrokerConnection established) {
    if (established == successor) {
      loop.cancel(connectTimer);
      takeOver(); // at once, or with the last response, whose request timeout bounds the wait
      return;
    }
    failures = 0;
    lastError = null;
    loop.cancel(connectTimer);
    lastRequestNanos = loop.nowNanos();
    loop.schedule(idleTimer, lastRequestNanos + settings.maxIdleNanos());
    ready(false);
    use(established);
  }

  private void use(BrokerConnection established) {
    versions = established.versions();
    doubted = false;
    state = State.READY;
    if (!established.hasCurrentKeys()) { // the key files were replaced during the setup
      loop.schedule(renewTimer, loop.nowNanos());
    } else if (established.sessionNanos() > 0) {
      loop.schedule(renewTimer, loop.nowNanos() + (long) (established.sessionNanos() * SESSION_PART));
    }
    onStateChange.run();
  }

  /**
   * Schedules a third connection after two have lacked a version, because a broker may be upgraded. The pauses grow.
   */
  private void doubtVersions() {
    if (!doubted) {
      doubted = true;
      long pause = Math.min(REFUSED_MAX_NANOS, REFUSED_MIN_NANOS << Math.min(doubts++, 10));
      loop.schedule(renewTimer, loop.nowNanos() + pause);
    }
  }

  /** Replaces the connection if it has old keys. New connections use the new keys from now on. */
  void onKeysReplaced() {
    BrokerConnection c = connection;
    if (c != null && !c.hasCurrentKeys()) {
      renew(); // a successor that is being set up compares its keys when it is established
    }
  }

  /**
   * Sets up a second connection: the session of the present one ends soon, its keys were replaced, or its versions are
   * in doubt. It looks up the host again: the new connection once went to the addresses of hours ago.
   */
  void renew() {
    BrokerConnection old = connection;
    if (state != State.READY || leaving || old == null || successor != null || renewing == old) {
      return;
    }
    renewing = old;
    attemptNanos = loop.nowNanos();
    lookUp(found -> beginRenewing(old, found), e -> failRenewing(old, e));
  }

  private void failRenewing(BrokerConnection old, Throwable cause) {
    if (old == connection && state == State.READY && successor == null) {
      renewLater(cause);
    }
  }

  private void beginRenewing(BrokerConnection old, List<InetSocketAddress> found) {
    if (old != connection || state != State.READY || leaving || successor != null) {
      return;
    }
    renewing = null;
    addresses = found;
    loop.schedule(connectTimer, loop.nowNanos() + settings.connectTimeoutNanos());
    try {
      BrokerConnection next = begin(addresses.get(addressesTried++ % addresses.size()));
      successor = next;
      next.open();
    } catch (Throwable e) { // errors, too, as in connectNext()
      renewLater(e);
    }
  }

  /** Keeps the old connection and retries the replacement. */
  private void renewLater(Throwable cause) {
    successor = null;
    renewing = null;
    loop.cancel(connectTimer);
    KafkaException failure = ConnectionFailure.of(name, settings.security().isEncrypted(), cause,
        "renewing the connection");
    BrokerConnection kept = connection;
    ConnectionFailure.count(events, failure, kept != null && kept.sessionNanos() > 0);
    events.ended(name, 0, failure);
    loop.schedule(renewTimer, loop.nowNanos() + REFUSED_MIN_NANOS);
    onStateChange.run();
  }

  /** Changes over to the successor once the old connection has no request in flight. */
  private void takeOver() {
    BrokerConnection old = connection;
    BrokerConnection next = successor;
    if (old == null || next == null || !next.isEstablished() || inFlight.size() > 0
        || !old.isAllWritten()) {
      return;
    }
    successor = null;
    connection = next;
    old.close(new ClosedInGoodOrderException("the connection to broker " + name + " was replaced"));
    events.closed(name, "replaced by another, before its session ends, for its keys or for the versions it was told");
    ready(old.sessionNanos() > 0);
    use(next);
  }

  private void ready(boolean again) {
    long nanos = loop.nowNanos() - attemptNanos;
    events.ready(name, nanos);
    if (settings.security().isOn()) {
      events.metering().authenticated(again, nanos);
    }
  }

  /**
   * Sends a request. The call receives its response or its failure; without a connection it fails before this returns.
   */
  public void send(Call call) {
    call.begin(this);
    Connection c = connection();
    if (c == null || !c.isConnected()) {
      call.over();
      call.onFailure(new KafkaException(ErrorCode.NETWORK_EXCEPTION, "no connection to broker " + name));
      return;
    }
    short version;
    try {
      version = chooseVersion(call);
    } catch (KafkaException e) {
      call.over();
      if (e.code() == ErrorCode.UNSUPPORTED_VERSION) {
        call.onUnsupported(e);
      } else {
        call.onFailure(e);
      }
      return;
    }
    long queuedBefore = c.bytesQueued();
    try {
      call.queue(c, header.of(call.api(), version, correlationId), version);
    } catch (Throwable e) {
      // Direct memory may run out. Callers wait for a call that is in flight, so an exception must fail the call.
      KafkaException failure = notWritten(call, version, e);
      if (c.bytesQueued() != queuedBefore) {
        endConnection(c, failure);
      }
      cannotBeWritten(call, failure);
      return;
    }
    events.metering().request(name, call.api().id(), c.bytesQueued() - queuedBefore);
    if (call.hasResponse()) {
      register(call, version, c);
    } else {
      lastRequestNanos = loop.nowNanos();
      call.over();
    }
    correlationId++;
    try {
      c.flush();
    } catch (Throwable e) {
      endConnection(c, notWritten(call, version, e));
    }
  }

  /**
   * Fails the call in a later round. The connection is still ready, so a caller that repeats the call from its failure
   * would loop here for ever.
   */
  private void cannotBeWritten(Call call, KafkaException failure) {
    loop.execute(() -> {
      call.over();
      call.onFailure(failure);
    });
  }

  private KafkaException notWritten(Call call, short version, Throwable cause) {
    return new KafkaException(ErrorCode.NETWORK_EXCEPTION, "a request to broker " + name + ", API "
        + call.api().label() + " v" + version + ", cannot be written: " + cause, cause);
  }

  /**
   * Closes a connection on which a request was written in part: bytes of another one would corrupt it. A send runs no
   * listener, so an inline run of the loop defers the close.
   */
  private void endConnection(Connection c, KafkaException cause) {
    if (loop.isInlineRun()) {
      loop.execute(() -> c.close(cause));
    } else {
      c.close(cause);
    }
  }

  private void register(Call call, short version, Connection on) {
    InFlightRequests.Entry request = inFlight.add();
    request.version = version;
    request.correlationId = correlationId;
    request.queuedNanos = loop.nowNanos();
    lastRequestNanos = request.queuedNanos;
    request.deadlineNanos = request.queuedNanos + settings.requestTimeoutNanos();
    request.writtenMark = on.bytesQueued();
    request.call = call;
    if (!requestTimer.isScheduled()) {
      loop.schedule(requestTimer, request.deadlineNanos);
    }
  }

  private @Nullable Connection connection() {
    BrokerConnection c = connection;
    return c == null || !c.isEstablished() ? null : c.connection();
  }

  @Override
  public void onFrame(BrokerConnection source, ByteBuffer buffer, int from, int to, @Nullable PooledBuffer lease) {
    onResponse(source, buffer, from, to, lease, 0);
  }

  @Override
  public boolean takesOversizedFrame(BrokerConnection source) {
    Call call = source == connection && inFlight.size() > 0 ? inFlight.first().call : null;
    return call != null && call.takesOversizedResponse();
  }

  @Override
  public void onOversizedFrame(BrokerConnection source, ByteBuffer buffer, int from, int to, long frameBytes) {
    onResponse(source, buffer, from, to, null, frameBytes);
  }

  /** Takes a whole response, or the first bytes of an oversized one. */
  private void onResponse(BrokerConnection source, ByteBuffer buffer, int from, int to, @Nullable PooledBuffer lease,
      long oversized) {
    Connection c = source.connection();
    if (source != connection) {
      source.close(new IOException("broker " + name + " sent a response on a connection without requests"));
      return;
    }
    reader.wrap(buffer, from, to);
    int responded = reader.readInt();
    InFlightRequests.Entry request = inFlight.first();
    if (inFlight.size() == 0 || request.correlationId != responded) {
      c.close(new IOException("broker " + name + " answered request " + responded + ", which is not the oldest open"));
      return;
    }
    // The memory of an unwritten request would be used again while the socket still reads from it.
    if (c.bytesWritten() < request.writtenMark) {
      c.close(new IOException("broker " + name + " answered request " + responded + " before it was sent"));
      return;
    }
    short version = request.version;
    long queuedNanos = request.queuedNanos;
    Call call = inFlight.removeFirst();
    events.response(name, call.api().id(), to - from, queuedNanos, loop.nowNanos());
    try {
      if (call.api().responseHeaderVersion(version) > 0) {
        reader.skipTaggedFields();
      }
      if (oversized > 0) {
        call.onOversizedResponse(reader, version, oversized);
      } else {
        call.onResponse(reader, version, lease);
      }
    } catch (Throwable e) {
      KafkaException failure = new KafkaException(ErrorCode.NETWORK_EXCEPTION,
          "the response of broker " + name + " to API " + call.api().label() + " v" + version + " cannot be read", e);
      try {
        c.close(failure);
      } finally {
        call.onFailure(failure);
      }
    }
    onProgress();
  }

  @Override
  public void onOutputWritten(BrokerConnection source) {
    onProgress();
  }

  private void onProgress() {
    if (successor != null) {
      takeOver();
    }
    if (leaving) {
      endIfLeft();
    }
  }

  private void onRequestDeadline() {
    if (inFlight.size() == 0) {
      return;
    }
    InFlightRequests.Entry oldest = inFlight.first();
    long deadline = oldest.deadlineNanos;
    if (deadline - loop.nowNanos() > 0) {
      loop.schedule(requestTimer, deadline);
      return;
    }
    Connection c = connection();
    String why = c != null && c.waitsForMemory()
        ? "; its response waits for decant.fetch.memory.bytes, which responses that are not polled yet hold"
        : "";
    close(new KafkaTimeoutException(
        "broker " + name + " did not respond to API " + labelOf(oldest) + " within "
            + settings.requestTimeoutNanos() / 1_000_000 + " ms" + why,
        null));
  }

  private static String labelOf(InFlightRequests.Entry request) {
    Call call = request.call;
    return call == null ? "?" : call.api().label();
  }

  /** Closes a connection without requests for {@code connections.max.idle.ms}. The next request opens another one. */
  private void onIdleDeadline() {
    long due = lastRequestNanos + settings.maxIdleNanos();
    BrokerConnection c = connection;
    if (due - loop.nowNanos() > 0 || inFlight.size() > 0 || successor != null) {
      loop.schedule(idleTimer, Math.max(due, loop.nowNanos() + settings.maxIdleNanos() / 2));
    } else if (c != null) {
      state = State.IDLE;
      connection = null;
      throttledUntilNanos = loop.nowNanos();
      loop.cancel(renewTimer);
      c.close(new ClosedInGoodOrderException("the connection to broker " + name + " was idle"));
      events.closed(name, "no request for " + TimeUnit.NANOSECONDS.toMillis(settings.maxIdleNanos()) + " ms");
    }
  }

  /**
   * Holds up requests on this connection, as the broker asks (KIP-219). The link waits for {@code request.timeout.ms}
   * at most, since one wrong number must not end all traffic, and never longer than the connection lasts.
   *
   * @param millis the throttle time of the response; 0 for none
   */
  public void throttle(int millis) {
    events.metering().throttle(millis);
    if (millis > 0) {
      long nanos = Math.min(TimeUnit.MILLISECONDS.toNanos(millis), settings.requestTimeoutNanos());
      throttledUntilNanos = loop.nowNanos() + nanos;
      events.throttled(name, millis);
    }
  }

  /** Returns true while requests must wait for {@link #throttledUntilNanos}. */
  public boolean isThrottled() {
    return throttledUntilNanos - loop.nowNanos() > 0;
  }

  /**
   * Returns the monotonic time in nanoseconds until which requests wait; a time in the past if there is no throttle.
   */
  public long throttledUntilNanos() {
    return throttledUntilNanos;
  }

  private void onConnectDeadline() {
    BrokerConnection next = successor;
    BrokerConnection slow = next == null ? connection : next;
    KafkaTimeoutException cause = new KafkaTimeoutException("connecting to broker " + name + " took more than "
        + settings.connectTimeoutNanos() / 1_000_000 + " ms; stage " + stageOf(slow), lastError);
    if (next != null) {
      next.close(cause);
    } else {
      close(cause);
    }
  }

  private String stageOf(@Nullable BrokerConnection c) {
    if (state != State.SETTING_UP && c == null) {
      return state.toString();
    }
    return (c == null ? BrokerConnection.Stage.CONNECTING : c.stage()).toString();
  }

  void close(Throwable cause) {
    BrokerConnection c = connection;
    if (c != null) {
      c.close(cause);
    } else if (state != State.IDLE && state != State.CLOSED) {
      ended(cause);
    }
  }

  @Override
  public void onEnded(BrokerConnection c, Throwable cause) {
    if (c == successor) {
      renewLater(cause);
    } else if (c == connection) {
      ended(cause);
    } else if (state == State.IDLE || state == State.CLOSED) {
      onStateChange.run(); // an idle connection was closed: nothing has failed
    }
  }

  private void ended(Throwable cause) {
    BrokerConnection c = connection;
    if (cause instanceof EOFException && isQuiet()) {
      closedByBroker();
      return;
    }
    KafkaException failure = ConnectionFailure.of(name, settings.security().isEncrypted(), cause, stageOf(c));
    ConnectionFailure.count(events, failure, false);
    boolean isAddressRefused = state == State.SETTING_UP && (c == null
        || c.stage() == BrokerConnection.Stage.CONNECTING || failure instanceof WrongClusterException);
    // an attempt at another address would hide why
    isAddressRefused &= !(failure instanceof SslAuthenticationException);
    connection = null;
    throttledUntilNanos = loop.nowNanos();
    if (isAddressRefused && addressesTried < addresses.size()) {
      lastError = failure;
      events.ended(name, 0, failure);
      connectNext();
      return;
    }
    loop.cancel(requestTimer);
    loop.cancel(connectTimer);
    loop.cancel(idleTimer);
    loop.cancel(renewTimer);
    lastError = failure;
    if (state != State.CLOSED) {
      state = leaving ? State.CLOSED : State.IDLE;
      failures++;
      retryAtNanos = loop.nowNanos() + backoffNanos(failure);
      events.ended(name, inFlight.size(), failure);
    }
    dropSuccessor(failure);
    while (inFlight.size() > 0) {
      fail(inFlight.removeFirst(), failure);
    }
    onStateChange.run();
  }

  /** Fails one call. An exception is logged: each of the other calls waits for its own failure. */
  private void fail(Call call, KafkaException failure) {
    try {
      call.onFailure(failure);
    } catch (Throwable e) {
      EventLoop.logFailure("a request that failed could not be ended", e);
    }
  }

  private void dropSuccessor(Throwable cause) {
    BrokerConnection next = successor;
    if (next != null) {
      successor = null;
      next.close(cause);
    }
  }

  /** Returns true if nothing is in flight, and nothing was sent for {@link #QUIET_NANOS}. */
  private boolean isQuiet() {
    BrokerConnection c = connection;
    return state == State.READY && inFlight.size() == 0 && c != null && c.isAllWritten()
        && loop.nowNanos() - lastRequestNanos >= QUIET_NANOS;
  }

  /**
   * Takes the close of an idle connection as a normal end: brokers close them after their own connections.max.idle.ms.
   * Without this, the next request would wait for a backoff although nothing has failed.
   */
  private void closedByBroker() {
    connection = null;
    state = State.IDLE;
    throttledUntilNanos = loop.nowNanos();
    loop.cancel(requestTimer);
    loop.cancel(idleTimer);
    loop.cancel(renewTimer);
    loop.cancel(connectTimer);
    dropSuccessor(new ClosedInGoodOrderException("the broker has closed the connection that was to be replaced"));
    events.closed(name, "by the broker, while it was idle");
    onStateChange.run();
  }

  /**
   * Returns the pause before the next attempt. It is longer after a refused login: another attempt is of little use
   * before credentials, settings or brokers change.
   */
  private long backoffNanos(KafkaException failure) {
    long pause = settings.reconnectBackoffNanos(failures);
    return failure instanceof AuthenticationException
        ? Math.max(pause, Math.min(REFUSED_MAX_NANOS, REFUSED_MIN_NANOS << Math.min(failures - 1, 10)))
        : pause;
  }

  /** Ends the link for good once nothing is in flight: the cluster has left the address, or its user is closed. */
  void leave(String because) {
    leaving = true;
    leavingBecause = because;
    loop.execute(endIfLeft); // in a later round: the response that is being handled may come from this very link
  }

  private void endIfLeft() {
    BrokerConnection c = connection;
    boolean isInUse = state == State.READY && c != null && (inFlight.size() > 0 || !c.isAllWritten());
    if (!isInUse && state != State.CLOSED) {
      shutDown(new ClosedInGoodOrderException(leavingBecause));
    }
  }

  /** Ends the link for good. Requests in flight fail with the cause. */
  void shutDown(KafkaException cause) {
    if (state == State.READY && cause instanceof ClosedInGoodOrderException) {
      events.closed(name, String.valueOf(cause.getMessage()));
    }
    state = State.CLOSED;
    loop.cancel(retryTimer);
    BrokerConnection c = connection;
    if (c != null) {
      c.close(cause);
    } else {
      ended(cause);
    }
  }
}
