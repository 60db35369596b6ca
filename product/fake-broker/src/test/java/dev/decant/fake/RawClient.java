package dev.decant.fake;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** A connection for single requests, in the version that the test chooses, and for their responses. */
final class RawClient implements AutoCloseable {
  private static final int WAIT_MILLIS = 20_000;
  private static final int LARGEST_REQUEST = 64 * 1024;

  private final Socket socket;
  private final DataInputStream in;
  private final DataOutputStream out;
  private final String clientId;
  private int correlationId;

  /** Writes the body of a request. */
  interface Body {
    void write(ProtocolWriter to, short version);
  }

  /** Reads the body of a response. */
  interface Reading<R> {
    R read(ProtocolReader from, short version);
  }

  RawClient(FakeCluster cluster, int broker, String clientId) throws IOException {
    this(cluster.broker(broker).port(), clientId);
  }

  RawClient(int port, String clientId) throws IOException {
    this.clientId = clientId;
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(WAIT_MILLIS);
    in = new DataInputStream(socket.getInputStream());
    out = new DataOutputStream(socket.getOutputStream());
  }

  <R> R ask(ApiKey api, int version, Body request, Reading<R> response) throws IOException {
    send(api, version, request);
    return receive(api, version, response);
  }

  void send(ApiKey api, int version, Body request) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(LARGEST_REQUEST);
    ProtocolWriter writer = new ProtocolWriter();
    writer.wrap(buffer, 0, buffer.capacity());
    writer.writeInt(0);
    writer.writeShort(api.id());
    writer.writeShort((short) version);
    writer.writeInt(++correlationId);
    byte[] name = clientId.getBytes(StandardCharsets.UTF_8);
    writer.writeShort((short) name.length);
    for (byte b : name) {
      writer.writeByte(b);
    }
    if (api.requestHeaderVersion((short) version) >= 2) {
      writer.writeUnsignedVarint(0);
    }
    request.write(writer, (short) version);
    writer.putInt(0, writer.position() - Integer.BYTES);
    out.write(buffer.array(), 0, writer.position());
    out.flush();
  }

  <R> R receive(ApiKey api, int version, Reading<R> response) throws IOException {
    byte[] frame = new byte[in.readInt()];
    in.readFully(frame);
    int header = api.responseHeaderVersion((short) version) >= 1 ? 5 : 4;
    return response.read(new ProtocolReader(ByteBuffer.wrap(frame), header, frame.length), (short) version);
  }

  /** Sends bytes behind their length, without a header. */
  void sendBare(byte[] message) throws IOException {
    out.writeInt(message.length);
    out.write(message);
    out.flush();
  }

  byte[] receiveBare() throws IOException {
    byte[] message = new byte[in.readInt()];
    in.readFully(message);
    return message;
  }

  /** Sends a length without any bytes behind it. */
  void sendLength(int length) throws IOException {
    out.writeInt(length);
    out.flush();
  }

  /** Waits until the broker has closed the connection; returns false if it sends something. */
  boolean isEnded() {
    try {
      return in.read() == -1;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true; // reset, since the broker has not read all bytes
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
