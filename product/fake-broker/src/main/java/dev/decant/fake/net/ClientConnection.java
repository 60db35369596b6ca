package dev.decant.fake.net;

import dev.decant.buffer.MalformedBytesException;
import dev.decant.buffer.PooledBuffer;
import dev.decant.fake.api.Api;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Broker;
import dev.decant.fake.cluster.Release;
import dev.decant.fake.journal.JournalEntry;
import dev.decant.fake.security.ClientSession;
import dev.decant.fake.security.ClientSession.Verdict;
import dev.decant.fake.security.ClientSessions;
import dev.decant.fake.security.LoginRefusedException;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.loop.Timer;
import dev.decant.net.Connection;
import dev.decant.net.LengthPrefixFraming;
import dev.decant.net.Transport;
import dev.decant.net.tls.TlsTransport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection to one broker. As with Kafka's brokers, a request is read only after the response to the one
 * before, and a connection with malformed bytes is closed. Owner of the loop only.
 */
final class ClientConnection implements Connection.Handler {
  /**
   * Size of the pieces in which output goes to the socket: the JDK copies each into direct memory and keeps that
   * memory.
   */
  private static final int SLICE_BYTES = 64 * 1024;
  /** Bytes of unread output beyond which no further request is read. */
  private static final int MOST_UNREAD_BYTES = 1 << 20;

  /** Time for a login; brokers allow {@code connections.max.idle.ms}, which is longer. */
  private static final int LOGIN_MILLIS = 60_000;
  /** Time for the client to read the last response before its connection is closed. */
  private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(5);
  /** Index of the error code in a response to ApiVersions: behind length and correlation id, in all versions. */
  private static final int VERSIONS_ERROR_AT = 2 * Integer.BYTES;

  private final ClusterServer server;
  private final Broker broker;
  private final int incarnation;
  private final long number;
  private final String clientHost;
  private final Transport transport;
  private final Connection connection;
  private final Timer loginTimer = new Timer(this::giveUpLogin);
  /** Null until the connection is established. */
  private @Nullable ClientSession session;
  private boolean isKnown;
  private @Nullable Exchange<?, ?> current;
  /** Number of frames so far: an equal number means the same unfinished frame. */
  private long frames;
  private @Nullable ApiKey currentApi;
  /** True while frames are delivered: one flush behind them writes all responses. */
  private boolean isDelivering;

  ClientConnection(ClusterServer server, Broker broker, long number, Transport transport, String clientHost) {
    this.server = server;
    this.broker = broker;
    this.incarnation = broker.incarnation();
    this.number = number;
    this.clientHost = clientHost;
    this.transport = transport;
    String bound = server.security().sessions().needLogins()
        ? "sasl.server.max.receive.size"
        : "socket.request.max.bytes";
    this.connection = new Connection(server.loop(), transport, LengthPrefixFraming.INSTANCE, this, server.memory(),
        server.cluster().settings().getInt(bound));
  }

  void open() {
    if (server.security().sessions().needLogins()) {
      server.cluster().schedule(loginTimer, LOGIN_MILLIS);
    }
    connection.open();
  }

  ClusterServer server() {
    return server;
  }

  Broker broker() {
    return broker;
  }

  long number() {
    return number;
  }

  @Override
  public void onConnected() {
    String host = clientHost.isEmpty() ? clientHost : clientHost.substring(1);
    session = server.security().sessions().begin(number, principalOfCertificate(), host);
    settleLogin();
  }

  /** Returns the principal of the client's certificate; anonymous without one. */
  private String principalOfCertificate() {
    if (transport instanceof TlsTransport tls) {
      try {
        return "User:" + tls.session().getPeerPrincipal().getName();
      } catch (SSLPeerUnverifiedException e) {
        // the client has no certificate, and the brokers do not require one
      }
    }
    return ClientSessions.ANONYMOUS;
  }

  private ClientSession requireSession() {
    return Objects.requireNonNull(session);
  }

  /** Removes the limits of unknown clients after the login. */
  private void settleLogin() {
    if (!isKnown && requireSession().isAuthenticated()) {
      isKnown = true;
      server.cluster().cancel(loginTimer);
      connection.authenticated(server.memory(), server.cluster().settings().getInt("socket.request.max.bytes"));
    }
  }

  private void giveUpLogin() {
    end("no login within " + LOGIN_MILLIS + " ms");
  }

  @Override
  public void onFrame(ByteBuffer buffer, int from, int to, @Nullable PooledBuffer lease) {
    frames++;
    byte[] frame = new byte[to - from];
    buffer.get(from, frame);
    isDelivering = true;
    try {
      begin(frame);
    } catch (MalformedBytesException e) {
      end("a request cannot be read: " + e.getMessage());
    }
  }

  private void begin(byte[] frame) {
    if (requireSession().takesBareMessages()) {
      takeBareMessage(frame);
      return;
    }
    ProtocolReader in = new ProtocolReader(ByteBuffer.wrap(frame), 0, frame.length);
    ApiKey key = ApiKey.of(in.readShort());
    short version = in.readShort();
    Api<?, ?> api = key == null ? null : server.apis().of(key);
    boolean isOffered = key != null && isOffered(key, version);
    if (api == null || key == null || (!isOffered && key != ApiKey.API_VERSIONS)) {
      end("a request for an API or a version that is not offered: " + key + " " + version);
      return;
    }
    Verdict verdict = requireSession().admit(key);
    if (verdict == Verdict.CLOSE) {
      end("a request for " + key + " without a login, or after the end of its session");
      return;
    }
    int correlationId = in.readInt();
    String clientId = in.readNullableString();
    if (isOffered && key.requestHeaderVersion(version) >= 2) {
      in.skipTaggedFields();
    }
    JournalEntry entry = new JournalEntry(server.journal().nextNumber(), broker.id(), number, key, version,
        correlationId, clientId, server.cluster().nowMillis(),
        SecretFrames.withoutSecret(key, version, frame, in.position()), in.position());
    RequestContext context = new RequestContext(broker, incarnation, number, clientHost, clientId, key, version,
        requireSession());
    Exchange<?, ?> exchange = Exchange.of(this, api, context, entry, frame, isOffered);
    server.journal().add(entry);
    current = exchange;
    currentApi = key;
    if (verdict == Verdict.REFUSE) {
      requireSession().endWithResponse("a request for " + key + " in the middle of a login");
      exchange.refuseAtOnce(ErrorCode.ILLEGAL_SASL_STATE);
    } else {
      exchange.start();
    }
    holdWhileBusy();
  }

  /** Handles a message of a SASL mechanism without a request header, as after SaslHandshake of version 0. */
  private void takeBareMessage(byte[] message) {
    try {
      byte[] response = requireSession().bareMessage(message);
      ByteBuffer frame = ByteBuffer.allocate(Integer.BYTES + response.length);
      frame.putInt(response.length).put(response);
      send(frame.array(), 0, frame.capacity());
      settleLogin();
    } catch (LoginRefusedException e) {
      end("the login is refused");
    }
  }

  boolean isOffered(ApiKey key, short version) {
    Release.Range range = server.apis().versions(key);
    return range != null && range.contains(version);
  }

  /** Ends the present request, with a response or without one; the next request may be read. */
  void finish(byte @Nullable [] frame) {
    if (frame != null) {
      send(frame, 0, frame.length);
      if (currentApi == ApiKey.API_VERSIONS && ByteBuffer.wrap(frame).getShort(VERSIONS_ERROR_AT) == 0) {
        requireSession().versionsAreKnown();
      }
    }
    current = null;
    String endReason = requireSession().endReason();
    if (endReason != null) {
      connection.closeAfterOutput(new IOException(endReason), CLOSE_NANOS);
      return;
    }
    settleLogin();
    holdWhileBusy();
  }

  /** Sends a part of a response. */
  void send(byte[] frame, int from, int to) {
    for (int at = from; at < to; at += SLICE_BYTES) {
      connection.queue(ByteBuffer.wrap(frame, at, Math.min(SLICE_BYTES, to - at)));
    }
    if (!isDelivering) {
      connection.flush();
    }
  }

  private void holdWhileBusy() {
    boolean isSlow = connection.bytesQueued() - connection.bytesWritten() > MOST_UNREAD_BYTES;
    connection.holdReading(current != null || isSlow);
  }

  @Override
  public long memoryPatienceNanos() {
    server.memoryIsShort();
    return 0;
  }

  /** Returns the number of an incomplete frame that holds memory; -1 if there is none to be read. */
  long halfFrame() {
    return connection.holdsMemory() && current == null ? frames : -1;
  }

  boolean waitsForMemory() {
    return connection.waitsForMemory();
  }

  @Override
  public void onFramesDelivered() {
    isDelivering = false;
    connection.flush();
    holdWhileBusy();
  }

  @Override
  public void onOutputWritten() {
    holdWhileBusy();
  }

  /** Closes the connection. */
  void end(String reason) {
    connection.close(new IOException(reason));
  }

  @Override
  public void onClosed(Throwable cause) {
    server.cluster().cancel(loginTimer);
    server.security().sessions().end(number);
    server.closed(this, cause);
  }
}
