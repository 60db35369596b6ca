package dev.decant.fake.differential;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.RequestHeader;
import dev.decant.kafka.protocol.ResponseHeader;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A connection to a broker for one request after the other; another one follows after the broker has closed it. */
final class RawClient implements AutoCloseable {
  private static final int WAIT_MILLIS = Integer.getInteger("decant.fake.wait", 30_000);
  private static final int MOST_BYTES = 4 << 20;
  /** Encodes one request after the other, of all clients: scenarios run on one thread. */
  private static final ByteBuffer FRAME = ByteBuffer.allocate(MOST_BYTES);

  /** Stands for a response that did not come in time. */
  static final Object SILENCE = "silent for " + WAIT_MILLIS + " ms";

  private final String host;
  private final int port;
  private final String clientId;
  private @Nullable Socket socket;
  private int correlationId;

  RawClient(String bootstrap, String clientId) {
    String[] part = bootstrap.split("[:,]", -1);
    host = part[0];
    port = Integer.parseInt(part[1]);
    this.clientId = clientId;
  }

  /** Sends a request. */
  void send(ApiKey api, short version, Object request) throws IOException {
    ProtocolWriter out = new ProtocolWriter(FRAME, Integer.BYTES, FRAME.limit());
    RequestHeader.write(out, api, version, ++correlationId, clientId);
    try {
      request.getClass().getMethod("write", ProtocolWriter.class, short.class).invoke(request, out, version);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("cannot encode " + request, e);
    }
    FRAME.putInt(0, out.position() - Integer.BYTES);
    Socket to = socket;
    if (to == null) {
      to = new Socket(host, port);
      to.setSoTimeout(WAIT_MILLIS);
      to.setTcpNoDelay(true);
      socket = to;
    }
    to.getOutputStream().write(FRAME.array(), 0, out.position());
  }

  /** The response to a request; null if the broker closes the connection instead. */
  @Nullable
  Object exchange(ApiKey api, short version, Object request) throws IOException {
    try {
      send(api, version, request);
    } catch (SocketException e) {
      close();
      return null;
    }
    return receive(api, version, request);
  }

  /** The response to a request that was sent; null if the broker closes the connection instead. */
  @Nullable
  Object receive(ApiKey api, short version, Object request) throws IOException {
    try {
      byte[] frame = frame();
      ProtocolReader in = new ProtocolReader(ByteBuffer.wrap(frame), 0, frame.length);
      int answered = ResponseHeader.read(in, api, version);
      if (answered != correlationId) {
        throw new IOException("a response to " + answered + " and not to " + correlationId);
      }
      Class<?> type = Class.forName(request.getClass().getName().replace("Request", "Response"));
      return type.getMethod("read", ProtocolReader.class, short.class).invoke(null, in, version);
    } catch (SocketTimeoutException e) {
      close();
      return SILENCE;
    } catch (EOFException | SocketException e) {
      close();
      return null;
    } catch (InvocationTargetException e) {
      throw new IOException("the response to " + request + " cannot be read", e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("cannot decode the response to " + request, e);
    }
  }

  /** Whether bytes of a response are here. */
  boolean isAnswered() throws IOException {
    return socket != null && socket.getInputStream().available() > 0;
  }

  private byte[] frame() throws IOException {
    Socket from = socket;
    if (from == null) {
      throw new EOFException();
    }
    DataInputStream in = new DataInputStream(from.getInputStream());
    byte[] frame = new byte[in.readInt()];
    in.readFully(frame);
    return frame;
  }

  @Override
  public void close() throws IOException {
    Socket open = socket;
    socket = null;
    if (open != null) {
      open.close();
    }
  }
}
