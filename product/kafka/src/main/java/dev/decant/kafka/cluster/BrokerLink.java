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
 * The link to one broker: connects with backoff to one address of its host after the other, numbers requests and
 * matches responses. Requests that are in flight when the connection ends fail, and their senders decide. A connection
 * that nobody uses is closed. One whose session ends is replaced in time: another is set up beside it, no request is
 * begun until those in flight have their responses, and then the new one takes over.
 *
 * <p>Owner of the loop only.
 */
public final class BrokerLink implements BrokerConnection.User {
  /** The pauses after a broker has refused the client; they double in between. */
  private static final long REFUSED_MIN_NANOS = 1_000_000_000L;
  private static final long REFUSED_MAX_NANOS = 10_000_000_000L;
  /** A connection is replaced after this part of the time that the broker gives its session. */
  private static final double SESSION_PART = 0.85;
  /** A broker that closes a connection without a request for so long has found it idle. */
  private static final long QUIET_NANOS = 1_000_000_000L;

  /** Where the link stands. */
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
  /** The cluster has left the address: the link takes no request, connects no more and ends with the last response. */
  private volatile boolean leaving;
  private String leavingBecause = "";
  private @Nullable BrokerConnection connection;
  /** Set up beside the connection that it is to replace; null if none is. */
  private volatile @Nullable BrokerConnection successor;
  /** The connection for whose successor the host is being looked up; null or an earlier one if there is none. */
  private @Nullable BrokerConnection renewing;
  private ApiVersionTable versions = ApiVersionTable.EMPTY;
  /** By API, the table that was the first to lack it: another connection is asked before that is believed. */
  private final Map<ApiKey, ApiVersionTable> lacking = new EnumMap<>(ApiKey.class);
  /** Of the host, as resolved for this attempt, and how many of them were tried. */
  private List<InetSocketAddress> addresses = List.of();
  private int addressesTried;
  private int correlationId;
  private int failures;
  /** How often the versions of a connection were doubted. */
  private int doubts;
  private boolean doubted;
  private long attemptNanos;
  private long retryAtNanos;
  private long lastRequestNanos;
  private long throttledUntilNanos;
  private volatile @Nullable Throwable lastError;

  /**
   * Makes a link that is not connected.
   *
   * @param loop the loop
   * @param memory for large responses
   * @param events reports connections and responses
   * @param settings time-outs, client id and bounds
   * @param address of the broker
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

  /**
   * Host and port.
   *
   * @return for messages
   */
  public String name() {
    return name;
  }

  /**
   * Tells whether requests may be sent.
   *
   * @return true once a connection is set up, and not while another is about to take over or the link is left
   */
  public boolean isReady() {
    return state == State.READY && !leaving && !isHandingOver();
  }

  /**
   * Tells whether the link has ended for good: whoever keeps something for it can forget that.
   *
   * @return true once the cluster has left its address, or its user has closed it
   */
  public boolean isClosed() {
    return state == State.CLOSED;
  }

  private boolean isHandingOver() {
    BrokerConnection next = successor;
    return next != null && next.isEstablished();
  }

  /**
   * Requests without a response yet.
   *
   * @return how many
   */
  public int inFlight() {
    return inFlight.size();
  }

  /**
   * What ended the last connection or attempt.
   *
   * @return null if none has failed since the link was ready
   */
  public @Nullable Throwable lastError() {
    return lastError;
  }

  /**
   * What the broker speaks.
   *
   * @return versions negotiated on this connection
   */
  public ApiVersionTable versions() {
    return versions;
  }

  /**
   * The highest version of a call's API that both sides speak. What one connection was told may have been damaged on
   * its way: the first time that a version is missing another connection is asked, and its word is final.
   *
   * @throws KafkaException when there is none: retriable before a second connection has said the same
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
      loop.schedule(renewTimer, loop.nowNanos()); // not now: the caller is in the middle of something
    }
    throw new KafkaException(ErrorCode.NETWORK_EXCEPTION, unsupported.getMessage()
        + "; that may be damage on the way: another connection is asked", unsupported);
  }

  /** Any thread: the number of requests may be that of a moment ago. */
  ConnectionStatus status() {
    Throwable error = lastError;
    return new ConnectionStatus(name, isReady(), inFlight(), error == null ? null : error.getMessage());
  }

  /** Connects if the link is idle and the backoff is over; otherwise a timer tries again. */
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

  /** Looks the host up, and passes its addresses or the failure on to the owner of the loop. */
  private void lookUp(Consumer<List<InetSocketAddress>> then, Consumer<Throwable> otherwise) {
    if (settings.resolver().blocks(address.host())) { // the owner of the loop must not
      Thread.ofVirtual().name("decant-resolve-" + address.host()).start(() -> resolve(then, otherwise));
    } else {
      resolve(then, otherwise);
    }
  }

  private void resolve(Consumer<List<InetSocketAddress>> then, Consumer<Throwable> otherwise) {
    try {
      List<InetSocketAddress> found = settings.resolver().addresses(address);
      loop.execute(() -> then.accept(found));
    } catch (Throwable e) { // no such host, no such port, or anything: the attempt is over
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
    } catch (Throwable e) { // also an error: there may be no direct memory for the receive buffer
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
      takeOver(); // now, or with the last response, which the request time-out bounds
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
    if (!established.hasCurrentKeys()) { // they were replaced while it was set up
      loop.schedule(renewTimer, loop.nowNanos());
    } else if (established.sessionNanos() > 0) {
      loop.schedule(renewTimer, loop.nowNanos() + (long) (established.sessionNanos() * SESSION_PART));
    }
    onStateChange.run();
  }

  /** Two connections have said it. Others are asked at ever longer intervals, since a broker may be upgraded. */
  private void doubtVersions() {
    if (!doubted) {
      doubted = true;
      long pause = Math.min(REFUSED_MAX_NANOS, REFUSED_MIN_NANOS << Math.min(doubts++, 10));
      loop.schedule(renewTimer, loop.nowNanos() + pause);
    }
  }

  /** New connections have other keys from now on: one that has the old ones is replaced. */
  void onKeysReplaced() {
    BrokerConnection c = connection;
    if (c != null && !c.hasCurrentKeys()) {
      renew(); // unless another is set up already, which is looked at when it is
    }
  }

  /** The session of the connection ends soon, its keys were replaced, or its versions are doubted: sets another up. */
  void renew() {
    BrokerConnection old = connection;
    if (state != State.READY || leaving || old == null || successor != null || renewing == old) {
      return;
    }
    renewing = old;
    attemptNanos = loop.nowNanos();
    lookUp(found -> beginRenewing(old, found), e -> failRenewing(old, e)); // the host may have moved in the meantime
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
    } catch (Throwable e) { // as above
      renewLater(e);
    }
  }

  /** The connection is used as long as the broker bears it, and renewing it is tried again. */
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

  /** Takes the successor into use once nothing is in flight. */
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
   * Sends a request. The call gets its response or its failure, the latter at once if there is no connection.
   *
   * @param call not in flight
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
    } catch (Throwable e) { // direct memory may run out, and a caller waits for what it takes to be in flight
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
   * Fails the call in a later round: the connection is ready all the same, and a caller that sends again at once would
   * do so in vain.
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

  /** Nothing may follow a part of a request on its connection. No listener runs within a send. */
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

  /** A whole response, or the first bytes of an oversized one. */
  private void onResponse(BrokerConnection source, ByteBuffer buffer, int from, int to, @Nullable PooledBuffer lease,
      long oversized) {
    Connection c = source.connection();
    if (source != connection) {
      source.close(new IOException("broker " + name + " sent a response on a connection without requests"));
      return;
    }
    reader.wrap(buffer, from, to);
    int answered = reader.readInt();
    InFlightRequests.Entry request = inFlight.first();
    if (inFlight.size() == 0 || request.correlationId != answered) {
      c.close(new IOException("broker " + name + " answered request " + answered + ", which is not the oldest open"));
      return;
    }
    if (c.bytesWritten() < request.writtenMark) { // else its memory would be used again while it is being written
      c.close(new IOException("broker " + name + " answered request " + answered + " before it was sent"));
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

  /** Closes a connection that nobody has used for long; the next user opens another one. */
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
   * The broker wants no request on this connection for a while (KIP-219). It gets its wish for {@code
   * request.timeout.ms} at most, since a wrong number must not end all traffic, and until the connection ends.
   *
   * @param millis how long; 0 for not at all
   */
  public void throttle(int millis) {
    events.metering().throttle(millis);
    if (millis > 0) {
      long nanos = Math.min(TimeUnit.MILLISECONDS.toNanos(millis), settings.requestTimeoutNanos());
      throttledUntilNanos = loop.nowNanos() + nanos;
      events.throttled(name, millis);
    }
  }

  /**
   * Tells whether the broker wants no request now.
   *
   * @return true until {@link #throttledUntilNanos}
   */
  public boolean isThrottled() {
    return throttledUntilNanos - loop.nowNanos() > 0;
  }

  /**
   * Until when the broker wants no request.
   *
   * @return monotonic nanoseconds; a time in the past for no such wish
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
      onStateChange.run(); // it was idle: nothing has failed
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
    isAddressRefused &= !(failure instanceof SslAuthenticationException); // another address would hide why
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

  /** A call that throws keeps the others from nothing: each of them waits for its own request. */
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

  /** Whether nothing is under way, and nothing was sent for a while. */
  private boolean isQuiet() {
    BrokerConnection c = connection;
    return state == State.READY && inFlight.size() == 0 && c != null && c.isAllWritten()
        && loop.nowNanos() - lastRequestNanos >= QUIET_NANOS;
  }

  /** As brokers do after connections.max.idle.ms of theirs: nothing has failed, and the next user connects at once. */
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

  /** Another attempt is of little use before credentials, settings or brokers have changed. */
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
    loop.execute(endIfLeft); // not now: a response of this very link may be what tells of it
  }

  private void endIfLeft() {
    BrokerConnection c = connection;
    boolean isInUse = state == State.READY && c != null && (inFlight.size() > 0 || !c.isAllWritten());
    if (!isInUse && state != State.CLOSED) {
      shutDown(new ClosedInGoodOrderException(leavingBecause));
    }
  }

  /** Ends the link for good; what is in flight fails with the cause. */
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
