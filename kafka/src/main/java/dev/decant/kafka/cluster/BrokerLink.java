package dev.decant.kafka.cluster;

import dev.decant.buffer.BufferTooSmallException;
import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.ClientStatus;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.telemetry.ClosedInGoodOrderException;
import dev.decant.kafka.telemetry.ConnectionEvents;
import dev.decant.net.Connection;
import dev.decant.loop.EventLoop;
import dev.decant.net.FrameMemory;
import dev.decant.net.LengthPrefixFraming;
import dev.decant.loop.Timer;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The link to one broker: connects with backoff to one address of its host after the other, negotiates versions on
 * every new connection (KIP-511), numbers requests and matches answers. Requests that are in flight when the
 * connection ends fail, and their senders decide. A connection that nobody uses is closed.
 *
 * <p>Owner of the loop only.
 */
public final class BrokerLink implements Connection.Handler {
  /** A broker that closes a connection without a request for so long has found it idle. */
  private static final long QUIET_NANOS = 1_000_000_000L;

  /** Where the link stands. */
  enum State {
    IDLE, RESOLVING, CONNECTING, NEGOTIATING, READY, CLOSED
  }

  /** A TLS server takes our first request for a broken handshake: it closes, or sends an alert, which is no frame. */
  private static final String TLS_HINT = "; a port that expects TLS answers like this, and so does one that is none of"
      + " a Kafka broker: check that the address is that of a listener for PLAINTEXT";

  private final EventLoop loop;
  private final FrameMemory memory;
  private final ConnectionEvents events;
  private final LinkSettings settings;
  private final BrokerAddress address;
  private final String name;
  private final Runnable onStateChange;

  private final InFlightRequests inFlight = new InFlightRequests();
  private final ProtocolReader reader = new ProtocolReader();
  private final ProtocolWriter writer = new ProtocolWriter();
  private final Timer requestTimer = new Timer(this::onRequestDeadline);
  private final Timer connectTimer = new Timer(this::onConnectDeadline);
  private final Timer idleTimer = new Timer(this::onIdleDeadline);
  private final Timer retryTimer;
  private final byte[] clientId;

  /** Written by the owner of the loop; read by any thread for its status, as is {@link #lastError}. */
  private volatile State state = State.IDLE;
  private @Nullable Connection connection;
  private ApiVersionTable versions = ApiVersionTable.EMPTY;
  /** Of the host, as resolved for this attempt, and how many of them were tried. */
  private List<InetSocketAddress> addresses = List.of();
  private int addressesTried;
  private int correlationId;
  private int failures;
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
   * @param events is told of connections and answers
   * @param settings time-outs, client id and bounds
   * @param address of the broker
   * @param onStateChange run when the link becomes ready or ends
   */
  public BrokerLink(EventLoop loop, FrameMemory memory, ConnectionEvents events, LinkSettings settings,
      BrokerAddress address, Runnable onStateChange) {
    this.events = events;
    this.loop = loop;
    this.memory = memory;
    this.settings = settings;
    this.address = address;
    this.name = address.toString();
    this.onStateChange = onStateChange;
    this.clientId = settings.clientIdBytes();
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
   * @return true after negotiation
   */
  public boolean isReady() {
    return state == State.READY;
  }

  /**
   * Requests without an answer yet.
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

  /** Any thread: the number of requests may be that of a moment ago. */
  ClientStatus.ConnectionStatus status() {
    Throwable error = lastError;
    return new ClientStatus.ConnectionStatus(name, isReady(), inFlight(), error == null ? null : error.getMessage());
  }

  /** Connects if the link is idle and the backoff is over; otherwise a timer tries again. */
  public void ensureConnected() {
    if (state != State.IDLE) {
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
    if (settings.resolver().blocks()) { // the owner of the loop must not
      Thread.ofVirtual().name("decant-resolve-" + address.host()).start(this::resolve);
    } else {
      resolve();
    }
  }

  private void resolve() {
    try {
      List<InetSocketAddress> found = Arrays.stream(settings.resolver().resolve(address.host()))
          .map(host -> new InetSocketAddress(host, address.port())).toList();
      if (found.isEmpty()) {
        throw new UnknownHostException(address.host());
      }
      loop.execute(() -> beginConnecting(found));
    } catch (Throwable e) { // no such host, no such port, or anything: the attempt is over
      loop.execute(() -> failAttempt(e));
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
      onClosed(cause);
    }
  }

  private void connectNext() {
    state = State.CONNECTING;
    loop.schedule(connectTimer, loop.nowNanos() + settings.connectTimeoutNanos());
    InetSocketAddress target = addresses.get((failures + addressesTried++) % addresses.size());
    try {
      Connection c = new Connection(loop, settings.resolver().connect(target), LengthPrefixFraming.INSTANCE, this,
          memory, settings.maxFrameBytes());
      connection = c;
      c.open();
    } catch (Throwable e) { // also an error: there may be no direct memory for the receive buffer
      onClosed(e);
    }
  }

  @Override
  public void onConnected() {
    state = State.NEGOTIATING;
    new Negotiation(this).start();
  }

  void negotiated(ApiVersionTable table) {
    versions = table;
    state = State.READY;
    failures = 0;
    lastError = null;
    loop.cancel(connectTimer);
    lastRequestNanos = loop.nowNanos();
    loop.schedule(idleTimer, lastRequestNanos + settings.maxIdleNanos());
    events.ready(name, loop.nowNanos() - attemptNanos);
    onStateChange.run();
  }

  /**
   * Encodes and sends a request, in memory of its own that is garbage when it was written: for requests that are rare.
   *
   * @param apiKey the API
   * @param version a version both sides speak
   * @param flexible whether that version is flexible
   * @param body writes the body
   * @param handler takes the answer, or hears that the request cannot be written
   */
  public void send(short apiKey, short version, boolean flexible, RequestBody body, ResponseHandler handler) {
    sendFrom(null, apiKey, version, flexible, body, handler);
  }

  /**
   * Encodes and sends a request.
   *
   * @param memory where to; not to be used again before {@code handler} was called
   * @param apiKey the API
   * @param version a version both sides speak
   * @param flexible whether that version is flexible
   * @param body writes the body
   * @param handler takes the answer, or hears that the request cannot be written
   */
  public void send(RequestMemory memory, short apiKey, short version, boolean flexible, RequestBody body,
      ResponseHandler handler) {
    sendFrom(memory, apiKey, version, flexible, body, handler);
  }

  private void sendFrom(@Nullable RequestMemory memory, short apiKey, short version, boolean flexible,
      RequestBody body, ResponseHandler handler) {
    Connection c = connection;
    if (c == null || !c.isConnected()) {
      handler.onFailure(new KafkaException(ErrorCode.NETWORK_EXCEPTION, "no connection to broker " + name));
      return;
    }
    try {
      c.queue(encode(memory == null ? new RequestMemory() : memory, apiKey, version, flexible, body));
    } catch (Throwable e) { // direct memory may run out, and whoever has said that a request is in flight waits for it
      cannotBeWritten(apiKey, version, handler, e);
      return;
    }
    register(apiKey, version, flexible, handler);
    c.flush();
  }

  /** The handler is told later: the link is ready all the same, and who sends again at once would do so in vain. */
  private void cannotBeWritten(short apiKey, short version, ResponseHandler handler, Throwable cause) {
    KafkaException failure = new KafkaException(ErrorCode.NETWORK_EXCEPTION, "a request to broker " + name + ", API "
        + ApiVersionTable.nameOf(apiKey) + " v" + version + ", cannot be written: " + cause, cause);
    loop.execute(() -> handler.onFailure(failure));
    if (state == State.NEGOTIATING) {
      close(failure); // the next attempt negotiates again
    }
  }

  private ByteBuffer encode(RequestMemory memory, short apiKey, short version, boolean flexible, RequestBody body) {
    while (true) {
      ByteBuffer frame = memory.empty();
      try {
        writer.wrap(frame, Integer.BYTES, frame.capacity());
        writeHeader(writer, apiKey, version, flexible);
        body.write(writer, version);
        frame.putInt(0, writer.position() - Integer.BYTES);
        return frame.limit(writer.position());
      } catch (BufferTooSmallException e) {
        if (!memory.grow()) {
          throw new KafkaException(ErrorCode.NONE, "a request of more than " + RequestMemory.maxBytes() + " bytes", e);
        }
      }
    }
  }

  /**
   * Writes the header of the next request (v2 if flexible, else v1; the client id is an int16 string in both).
   *
   * @param out takes the header
   * @param apiKey the API
   * @param version the version
   * @param flexible whether that version is flexible
   */
  public void writeHeader(ProtocolWriter out, short apiKey, short version, boolean flexible) {
    out.writeShort(apiKey);
    out.writeShort(version);
    out.writeInt(correlationId);
    out.writeShort(clientId.length);
    out.writeBytes(clientId, 0, clientId.length);
    if (flexible) {
      out.writeByte(0);
    }
  }

  /**
   * Takes note of a request whose header was written by {@link #writeHeader} and that the caller has queued on the
   * connection, but not flushed.
   *
   * @param apiKey the API
   * @param version the version
   * @param flexible whether that version is flexible
   * @param handler takes the answer
   */
  public void register(short apiKey, short version, boolean flexible, ResponseHandler handler) {
    Connection c = connection;
    InFlightRequests.Entry request = inFlight.add();
    request.apiKey = apiKey;
    request.version = version;
    request.flexibleAnswer = flexible && apiKey != Negotiation.API_VERSIONS;
    request.correlationId = correlationId++;
    request.queuedNanos = loop.nowNanos();
    lastRequestNanos = request.queuedNanos;
    request.deadlineNanos = request.queuedNanos + settings.requestTimeoutNanos();
    request.writtenMark = c == null ? 0 : c.bytesQueued();
    request.handler = handler;
    if (!requestTimer.isScheduled()) {
      loop.schedule(requestTimer, request.deadlineNanos);
    }
  }

  /** Skips the number of a request that the broker does not answer (Produce with acks=0). */
  public void registerUnanswered() {
    lastRequestNanos = loop.nowNanos();
    correlationId++;
  }

  /**
   * The connection, to queue slices of a request.
   *
   * @return null unless connected
   */
  public @Nullable Connection connection() {
    return connection;
  }

  @Override
  public void onFrame(ByteBuffer buffer, int from, int to, @Nullable PooledBuffer lease) {
    Connection c = connection;
    if (c == null) {
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
    short apiKey = request.apiKey;
    short version = request.version;
    boolean flexible = request.flexibleAnswer;
    events.response(name, apiKey, to - from, request.queuedNanos, loop.nowNanos());
    ResponseHandler handler = inFlight.removeFirst();
    try {
      if (flexible) {
        reader.skipTaggedFields();
      }
      handler.onResponse(reader, version, lease);
    } catch (Throwable e) {
      KafkaException failure = new KafkaException(ErrorCode.NETWORK_EXCEPTION,
          "the answer of broker " + name + " to API " + ApiVersionTable.nameOf(apiKey) + " v" + version
              + " cannot be read",
          e);
      try {
        c.close(failure);
      } finally {
        handler.onFailure(failure);
      }
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
    close(new KafkaTimeoutException(
        "broker " + name + " did not answer API " + ApiVersionTable.nameOf(oldest.apiKey) + " within "
            + settings.requestTimeoutNanos() / 1_000_000 + " ms",
        null));
  }

  /** Closes a connection that nobody has used for long; the next user opens another one. */
  private void onIdleDeadline() {
    long due = lastRequestNanos + settings.maxIdleNanos();
    Connection c = connection;
    if (due - loop.nowNanos() > 0 || inFlight.size() > 0) {
      loop.schedule(idleTimer, Math.max(due, loop.nowNanos() + settings.maxIdleNanos() / 2));
    } else if (c != null) {
      state = State.IDLE;
      connection = null;
      throttledUntilNanos = loop.nowNanos();
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
    close(new KafkaTimeoutException("connecting to broker " + name + " took more than "
        + settings.connectTimeoutNanos() / 1_000_000 + " ms; stage " + state, lastError));
  }

  void close(Throwable cause) {
    Connection c = connection;
    if (c != null) {
      c.close(cause);
    } else if (state != State.IDLE && state != State.CLOSED) {
      onClosed(cause);
    }
  }

  @Override
  public void onClosed(Throwable cause) {
    if (state == State.IDLE) {
      onStateChange.run(); // it was idle: nothing has failed
      return;
    }
    if (cause instanceof EOFException && isQuiet()) {
      closedByBroker();
      return;
    }
    KafkaException failure = cause instanceof KafkaException k
        ? k
        : new KafkaException(ErrorCode.NETWORK_EXCEPTION, "the connection to broker " + name + " ended, stage " + state
            + ": " + cause + (state == State.NEGOTIATING ? TLS_HINT : ""), cause);
    connection = null;
    throttledUntilNanos = loop.nowNanos();
    if (state == State.CONNECTING && addressesTried < addresses.size()) {
      lastError = failure;
      events.ended(name, 0, failure);
      connectNext();
      return;
    }
    loop.cancel(requestTimer);
    loop.cancel(connectTimer);
    loop.cancel(idleTimer);
    lastError = failure;
    if (state != State.CLOSED) {
      state = State.IDLE;
      failures++;
      retryAtNanos = loop.nowNanos() + settings.reconnectBackoffNanos(failures);
      events.ended(name, inFlight.size(), failure);
    }
    while (inFlight.size() > 0) {
      fail(inFlight.removeFirst(), failure);
    }
    onStateChange.run();
  }

  /** A handler that throws keeps the others from nothing: each of them waits for its own request. */
  private void fail(ResponseHandler handler, KafkaException failure) {
    try {
      handler.onFailure(failure);
    } catch (Throwable e) {
      EventLoop.logFailure("a request that failed could not be ended", e);
    }
  }

  /** Whether nothing is under way, and nothing was sent for a while. */
  private boolean isQuiet() {
    Connection c = connection;
    return state == State.READY && inFlight.size() == 0 && c != null && c.bytesWritten() == c.bytesQueued()
        && loop.nowNanos() - lastRequestNanos >= QUIET_NANOS;
  }

  /** As brokers do after connections.max.idle.ms of theirs: nothing has failed, and the next user connects at once. */
  private void closedByBroker() {
    connection = null;
    state = State.IDLE;
    throttledUntilNanos = loop.nowNanos();
    loop.cancel(requestTimer);
    loop.cancel(idleTimer);
    events.closed(name, "by the broker, while it was idle");
    onStateChange.run();
  }

  /** Ends the link for good; what is in flight fails with the cause. */
  void shutDown(KafkaException cause) {
    if (isReady() && cause instanceof ClosedInGoodOrderException) {
      events.closed(name, String.valueOf(cause.getMessage()));
    }
    state = State.CLOSED;
    loop.cancel(retryTimer);
    Connection c = connection;
    if (c != null) {
      c.close(cause);
    } else {
      onClosed(cause);
    }
  }
}
