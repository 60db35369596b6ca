package dev.decant.lab.driver.bare;

import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.RequestHeader;
import dev.decant.kafka.security.Ssl;
import dev.decant.lab.driver.ClientConfig;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.tls.TlsContext;
import dev.decant.tls.TlsKeyException;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a broker with nothing around it: a blocking channel, encrypted if the client config says so. The
 * socket writes whole requests and reads whole responses, which arrive in the order of the requests. One thread at a
 * time; {@link #close} may be called by another thread and ends a read or write. After the connection is open, only the
 * TLS engine allocates.
 *
 * <pre>
 *   0        4
 *   | length | API key int16, version int16 | correlation id int32 | client id | tags | body ...     what is written
 *   | length | correlation id int32 | tags | body ...                                                what is read
 * </pre>
 */
final class BareSocket implements AutoCloseable {
  /** Most requests in flight: written, and their responses not yet read. */
  static final int MAX_IN_FLIGHT = 2;

  private static final int LENGTH_BYTES = Integer.BYTES;

  private final ByteChannel channel;
  private final int mostResponseBytes;
  /** The response that was read last, followed, up to the position, by the first bytes of the next one. */
  private final ByteBuffer response;
  private final ProtocolReader reader = new ProtocolReader();
  /** Index after the response that was read last. */
  private int end;
  /** Number of requests so far, which is the correlation id of the last one. */
  private int written;
  private int answered;

  /**
   * Connects to a broker without TLS.
   *
   * @param mostResponseBytes most bytes of a response behind its length; a longer one is an error
   */
  BareSocket(InetSocketAddress broker, int mostResponseBytes) throws IOException {
    this(broker, null, mostResponseBytes);
  }

  /**
   * Connects to a broker.
   *
   * @param tls encrypts the connection; null for a plain one
   * @param mostResponseBytes most bytes of a response behind its length; a longer one is an error
   */
  BareSocket(InetSocketAddress broker, @Nullable TlsContext tls, int mostResponseBytes) throws IOException {
    this.mostResponseBytes = mostResponseBytes;
    response = ByteBuffer.allocateDirect(LENGTH_BYTES + mostResponseBytes);
    SocketChannel socket = SocketChannel.open(broker);
    try {
      socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel = tls == null
          ? socket
          : new BareTls(socket, tls.clientEngine(broker.getHostString(), broker.getPort()));
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /**
   * Connects to the broker that leads the first partitions of the topic, as the first bootstrap address reports it.
   *
   * @param partitions number of partitions that one broker must lead
   * @param mostResponseBytes most bytes of a response behind its length; a longer one is an error
   * @throws UncheckedIOException when the partitions have no common leader, or it cannot be reached
   */
  static BareSocket toLeader(WorkSpec spec, int partitions, int mostResponseBytes) {
    TlsContext tls = tls(spec);
    try {
      InetSocketAddress leader;
      try (BareSocket asked = new BareSocket(anyBroker(spec), tls, BareMessages.mostMetadataBytes(spec.partitions()))) {
        leader = BareMessages.leader(asked.exchange(BareMessages.metadata(spec.topic())), partitions);
      }
      return new BareSocket(leader, tls, mostResponseBytes);
    } catch (IOException e) {
      throw new UncheckedIOException("no connection to the leader of the partitions: " + e.getMessage(), e);
    }
  }

  /** Returns the first bootstrap address. */
  static InetSocketAddress anyBroker(WorkSpec spec) {
    String first = spec.bootstrap().split(",", 2)[0].strip();
    int colon = first.lastIndexOf(':');
    return new InetSocketAddress(first.substring(0, colon), Integer.parseInt(first.substring(colon + 1)));
  }

  /**
   * Loads what encrypts the connections of a work.
   *
   * @return null for plain connections
   * @throws IllegalArgumentException if the client config asks for SASL, or keys and certificates cannot be read
   */
  static @Nullable TlsContext tls(WorkSpec spec) {
    ClientConfig config = ClientConfig.read(spec.access().clientConfig());
    switch (config.securityProtocol()) {
      case "PLAINTEXT" -> {
        return null;
      }
      case "SSL" -> {
        try {
          return TlsContext.load(Ssl.fromProperties(config.settings()));
        } catch (TlsKeyException e) {
          throw new IllegalArgumentException(config + ": " + e.getMessage(), e);
        }
      }
      default -> throw new IllegalArgumentException(config + ": security.protocol=" + config.securityProtocol()
          + ": a loop without a client has no credentials; leave it out of the clients");
    }
  }

  /**
   * Writes a request and reads its response. Waits as long as the broker takes.
   *
   * @param request of a flexible version, from 0 to its limit; this method sets its correlation id
   * @return stands at the response's body; valid until the next call
   * @throws IOException when the connection is closed, or the response is not that of the request
   */
  ProtocolReader exchange(ByteBuffer request) throws IOException {
    write(request);
    return read();
  }

  /**
   * Writes a request. Waits as long as the broker takes to let it in.
   *
   * @param request of a flexible version, from 0 to its limit; this method sets its correlation id. The caller may
   *     change the request once the method has returned
   * @throws IllegalStateException when {@link #MAX_IN_FLIGHT} requests are in flight
   * @throws IOException when the connection is closed
   */
  void write(ByteBuffer request) throws IOException {
    if (inFlight() == MAX_IN_FLIGHT) {
      throw new IllegalStateException("there are " + MAX_IN_FLIGHT + " requests on the way");
    }
    request.putInt(LENGTH_BYTES + RequestHeader.CORRELATION_ID_OFFSET, ++written).rewind();
    while (request.hasRemaining()) {
      channel.write(request); // one write, except for requests larger than the kernel's buffer
    }
  }

  /** Returns the number of requests whose responses are not read. */
  int inFlight() {
    return written - answered;
  }

  /**
   * Reads the response to the oldest request in flight. Waits as long as the broker takes.
   *
   * @return stands at the response's body; valid until the next call of this method
   * @throws IOException when the connection is closed, or the response is not that of the request
   */
  ProtocolReader read() throws IOException {
    readResponse();
    reader.wrap(response, LENGTH_BYTES, end);
    int correlationId = reader.readInt();
    if (correlationId != ++answered) {
      throw new IOException("the broker answered the request " + correlationId + " instead of " + answered);
    }
    reader.skipTaggedFields();
    return reader;
  }

  /** Reads a response, mostly by one read, which may bring a part of the next response or all of it. */
  private void readResponse() throws IOException {
    response.flip().position(end).compact();
    readUntil(LENGTH_BYTES);
    int length = response.getInt(0);
    if (length < 0 || length > mostResponseBytes) {
      throw new IOException("the broker announced a response of " + length + " bytes");
    }
    end = LENGTH_BYTES + length;
    readUntil(end);
    if (inFlight() == 1 && response.position() > end) {
      throw new IOException("the broker sent " + (response.position() - end) + " bytes that nobody asked for");
    }
  }

  private void readUntil(int index) throws IOException {
    while (response.position() < index) {
      if (channel.read(response) < 0) {
        throw new EOFException("the broker has closed the connection");
      }
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
