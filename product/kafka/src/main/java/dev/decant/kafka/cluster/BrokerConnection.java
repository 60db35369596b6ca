package dev.decant.kafka.cluster;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.security.SaslMechanism;
import dev.decant.kafka.security.SaslPeer;
import dev.decant.kafka.telemetry.ConnectionEvents;
import dev.decant.loop.EventLoop;
import dev.decant.net.Connection;
import dev.decant.net.FrameMemory;
import dev.decant.net.LengthPrefixFraming;
import dev.decant.net.Transport;
import dev.decant.net.tls.TlsTransport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a broker, from its beginning to its end. It sets itself up with one request at a time, then passes
 * frames on to its user.
 *
 * <pre>
 *   CONNECTING (TCP, and TLS in the transport) -> NEGOTIATING (KIP-511) -> AUTHENTICATING (KIP-152)
 *     -> IDENTIFYING (its cluster, unless the broker has compared that while negotiating, KIP-1242) -> ESTABLISHED
 * </pre>
 *
 * <p>Owner of the loop only.
 */
final class BrokerConnection implements Connection.Handler {
  /** The present stage of the setup. */
  enum Stage {
    CONNECTING, NEGOTIATING, AUTHENTICATING, IDENTIFYING, ESTABLISHED
  }

  /** The link that has opened the connection. All methods run on the owner of the loop. */
  interface User {
    /** The connection takes requests from now on. */
    void onEstablished(BrokerConnection connection);

    /** Takes a frame as {@link Connection.Handler#onFrame} does. Called only after {@link #onEstablished}. */
    void onFrame(BrokerConnection connection, ByteBuffer buffer, int from, int to, @Nullable PooledBuffer lease);

    /** Decides as {@link Connection.Handler#takesOversizedFrame} does. Called only after {@link #onEstablished}. */
    boolean takesOversizedFrame(BrokerConnection connection);

    /** Takes a frame as {@link Connection.Handler#onOversizedFrame} does. */
    void onOversizedFrame(BrokerConnection connection, ByteBuffer buffer, int from, int to, long frameBytes);

    /** All output that had to wait for the socket is written. */
    void onOutputWritten(BrokerConnection connection);

    /** The connection has ended, established or not; called once. */
    void onEnded(BrokerConnection connection, Throwable cause);
  }

  /**
   * The share of the request timeout, as a divisor, that a response may wait for memory. A response that waited for the
   * memory of unpolled records once held up all fetches from its broker until the request expired, again and again.
   */
  private static final int MEMORY_PATIENCE_PART = 4;

  private final EventLoop loop;
  private final LinkSettings settings;
  private final BrokerAddress address;
  private final ConnectionEvents events;
  private final RequestHeader header;
  private final User user;
  private final Connection connection;
  private final Transport transport;
  private final ProtocolReader reader = new ProtocolReader();

  private Stage stage = Stage.CONNECTING;
  private ApiVersionTable versions = ApiVersionTable.EMPTY;
  private boolean isIdentified;
  private long sessionNanos;
  private @Nullable SaslAuthentication authentication;
  /** The session of the TLS handshake; null before its end, after the end of the connection, and without TLS. */
  private @Nullable SSLSession session;

  // The request of the setup that is in flight.
  private @Nullable Consumer<ProtocolReader> onResponse;
  private ApiKey api = ApiKey.API_VERSIONS;
  private short version;
  private int correlationId;
  private long queuedNanos;

  /**
   * Makes a connection that is not open yet.
   *
   * @param link the parts that all connections of a link share
   * @param transport not registered yet
   */
  BrokerConnection(Environment link, Transport transport, User user) {
    this.loop = link.loop();
    this.settings = link.settings();
    this.address = link.address();
    this.events = link.events();
    this.header = link.header();
    this.user = user;
    this.transport = transport;
    this.connection = new Connection(loop, transport, LengthPrefixFraming.INSTANCE, this, link.memory(),
        settings.maxFrameBytes());
  }

  /**
   * The parts that all connections of a link share.
   *
   * @param memory for responses that do not fit into the receive buffer
   */
  record Environment(EventLoop loop, FrameMemory memory, ConnectionEvents events, LinkSettings settings,
      BrokerAddress address, RequestHeader header) {}

  void open() {
    connection.open();
  }

  Stage stage() {
    return stage;
  }

  boolean isEstablished() {
    return stage == Stage.ESTABLISHED;
  }

  Connection connection() {
    return connection;
  }

  boolean isAllWritten() {
    return connection.bytesWritten() == connection.bytesQueued();
  }

  ApiVersionTable versions() {
    return versions;
  }

  /** Returns the nanoseconds after which the broker demands another authentication (KIP-368); 0 for never. */
  long sessionNanos() {
    return sessionNanos;
  }

  /** Returns true if a new connection would use the same TLS keys. */
  boolean hasCurrentKeys() {
    return !(transport instanceof TlsTransport tls) || tls.hasCurrentKeys();
  }

  void close(Throwable cause) {
    connection.close(cause);
  }

  @Override
  public void onConnected() {
    stage = Stage.NEGOTIATING;
    if (transport instanceof TlsTransport tls) {
      SSLSession agreed = tls.session();
      session = agreed;
      events.metering().encrypted(agreed.getCipherSuite(), agreed.getProtocol());
    }
    new Negotiation(this, settings.identity(), address).start();
  }

  /**
   * Takes the versions of the broker.
   *
   * @param hasCompared true if the broker has compared the ids of cluster and node itself
   */
  void negotiated(ApiVersionTable table, boolean hasCompared) {
    versions = table;
    isIdentified = hasCompared;
    SaslMechanism mechanism = settings.security().sasl();
    if (mechanism == null) {
      identify();
      return;
    }
    stage = Stage.AUTHENTICATING;
    SaslAuthentication started = new SaslAuthentication(this, loop, mechanism,
        new SaslPeer(address.host(), address.port(), settings.security().isEncrypted()));
    authentication = started;
    started.start();
  }

  void authenticated(long sessionLifetimeNanos) {
    sessionNanos = sessionLifetimeNanos;
    identify();
  }

  private void identify() {
    if (isIdentified || !settings.identity().isChecked()) {
      identified();
    } else {
      stage = Stage.IDENTIFYING;
      new IdentityCheck(this, settings.identity(), address.toString()).start();
    }
  }

  /** Completes the setup: the broker belongs to the client's cluster, so requests may be sent. */
  void identified() {
    stage = Stage.ESTABLISHED;
    user.onEstablished(this);
  }

  /**
   * Sends a request of the setup. Any failure ends the connection.
   *
   * @param then takes the response
   */
  void request(ApiKey newApi, short newVersion, RequestBody body, Consumer<ProtocolReader> then) {
    long queuedBefore = connection.bytesQueued();
    try {
      connection
          .queue(new RequestMemory().encode(header.of(newApi, newVersion, correlationId), body, newVersion));
    } catch (Throwable e) { // direct memory may run out
      close(new KafkaException(ErrorCode.NETWORK_EXCEPTION, "a request to broker " + address + ", API "
          + newApi.label() + " v" + newVersion + ", cannot be written: " + e, e));
      return;
    }
    events.metering().request(address.toString(), newApi.id(), connection.bytesQueued() - queuedBefore);
    api = newApi;
    version = newVersion;
    queuedNanos = loop.nowNanos();
    onResponse = then;
    connection.flush();
  }

  @Override
  public void onFrame(ByteBuffer buffer, int from, int to, @Nullable PooledBuffer lease) {
    if (stage == Stage.ESTABLISHED) {
      user.onFrame(this, buffer, from, to, lease);
      return;
    }
    Consumer<ProtocolReader> then = onResponse;
    reader.wrap(buffer, from, to);
    int responded = reader.readInt();
    if (then == null || responded != correlationId) {
      close(new IOException("broker " + address + " sent a response to request " + responded + ", which is not open"));
      return;
    }
    onResponse = null;
    correlationId++;
    events.response(address.toString(), api.id(), to - from, queuedNanos, loop.nowNanos());
    try {
      if (api.responseHeaderVersion(version) > 0) {
        reader.skipTaggedFields();
      }
      then.accept(reader);
    } catch (KafkaException e) {
      close(e);
    } catch (Throwable e) {
      close(new KafkaException(ErrorCode.NETWORK_EXCEPTION, "the response of broker " + address + " to API "
          + api.label() + " cannot be read", e));
    }
  }

  @Override
  public long memoryPatienceNanos() {
    return settings.requestTimeoutNanos() / MEMORY_PATIENCE_PART;
  }

  @Override
  public boolean takesOversizedFrame(long frameBytes) {
    return stage == Stage.ESTABLISHED && user.takesOversizedFrame(this);
  }

  @Override
  public void onOversizedFrame(ByteBuffer buffer, int from, int to, long frameBytes) {
    user.onOversizedFrame(this, buffer, from, to, frameBytes);
  }

  @Override
  public void onOutputWritten() {
    user.onOutputWritten(this);
  }

  @Override
  public void onClosed(Throwable cause) {
    SaslAuthentication begun = authentication;
    if (begun != null) {
      begun.stop();
    }
    SSLSession agreed = session;
    if (agreed != null) {
      session = null;
      events.metering().encryptedEnded(agreed.getCipherSuite(), agreed.getProtocol());
    }
    user.onEnded(this, cause);
  }
}
