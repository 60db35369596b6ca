package dev.decant.fake.net;

import dev.decant.buffer.MalformedBytesException;
import dev.decant.buffer.PooledBuffer;
import dev.decant.fake.api.Api;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Broker;
import dev.decant.fake.cluster.Release;
import dev.decant.fake.journal.JournalEntry;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.net.Connection;
import dev.decant.net.LengthPrefixFraming;
import dev.decant.net.SocketTransport;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection to one broker. As with Kafka's brokers, no request is read before the one in front of it is
 * answered, and a connection whose bytes cannot be read is closed. Owner of the loop only.
 */
final class ClientConnection implements Connection.Handler {
  /** The pieces in which output goes to the socket, which copies each into direct memory that it keeps. */
  private static final int SLICE_BYTES = 64 * 1024;
  /** With so much output that the client does not take, no further request is read. */
  private static final int MOST_UNREAD_BYTES = 1 << 20;

  private final ClusterServer server;
  private final Broker broker;
  private final int incarnation;
  private final long number;
  private final String clientHost;
  private final Connection connection;
  private @Nullable Exchange<?, ?> current;
  /** How many frames have come: an unfinished one is the same as before if the number is. */
  private long frames;
  /** Frames are being delivered: one flush behind them writes all responses. */
  private boolean isDelivering;

  ClientConnection(ClusterServer server, Broker broker, long number, SocketTransport transport, String clientHost) {
    this.server = server;
    this.broker = broker;
    this.incarnation = broker.incarnation();
    this.number = number;
    this.clientHost = clientHost;
    this.connection = new Connection(server.loop(), transport, LengthPrefixFraming.INSTANCE, this, server.memory(),
        server.cluster().settings().getInt("socket.request.max.bytes"));
  }

  void open() {
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
    // the client speaks first
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
    ProtocolReader in = new ProtocolReader(ByteBuffer.wrap(frame), 0, frame.length);
    ApiKey key = ApiKey.of(in.readShort());
    short version = in.readShort();
    Api<?, ?> api = key == null ? null : server.apis().of(key);
    boolean isOffered = key != null && isOffered(key, version);
    if (api == null || key == null || (!isOffered && key != ApiKey.API_VERSIONS)) {
      end("a request for an API or a version that is not offered: " + key + " " + version);
      return;
    }
    int correlationId = in.readInt();
    String clientId = in.readNullableString();
    if (isOffered && key.requestHeaderVersion(version) >= 2) {
      in.skipTaggedFields();
    }
    JournalEntry entry = new JournalEntry(server.journal().nextNumber(), broker.id(), number, key, version,
        correlationId, clientId, server.cluster().nowMillis(), frame, in.position());
    RequestContext context = new RequestContext(broker, incarnation, number, clientHost, clientId, key, version);
    Exchange<?, ?> exchange = Exchange.of(this, api, context, entry, isOffered);
    server.journal().add(entry);
    current = exchange;
    exchange.start();
    holdWhileBusy();
  }

  boolean isOffered(ApiKey key, short version) {
    Release.Range range = server.apis().versions(key);
    return range != null && range.contains(version);
  }

  /** The request in front is answered, with a response or without one; the next one may be read. */
  void finish(byte @Nullable [] frame) {
    if (frame != null) {
      send(frame, 0, frame.length);
    }
    current = null;
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

  /** The number of the frame that has come in part and that holds memory; -1 if there is none that is to be read. */
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
    server.closed(this, cause);
  }
}
