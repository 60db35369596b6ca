package dev.decant.kafka.broker;

import dev.decant.buffer.BufferTooSmallException;
import dev.decant.kafka.protocol.ProtocolWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;

/** A request, and the means to respond to it, well or badly. Used on the thread of its connection. */
public final class Exchange {
  private static final int SMALL_ANSWER = 16 << 10;
  private static final int LARGEST_ANSWER = 8 << 20;

  private final ScriptedBroker broker;
  private final Socket socket;
  private final Request request;

  Exchange(ScriptedBroker broker, Socket socket, Request request) {
    this.broker = broker;
    this.socket = socket;
    this.request = request;
  }

  public Request request() {
    return request;
  }

  /** Responds as a broker should, if this request has a response. */
  public void answer() throws IOException {
    Body body = broker.state().answer(request);
    if (body != null) {
      answer(body);
    }
  }

  /** Delays the response, no longer than the broker runs. */
  void delay(Duration by) throws InterruptedException {
    broker.state().awaitStop(by);
  }

  /** Sends a body as the response. */
  public void answer(Body body) throws IOException {
    raw(frame(body));
  }

  /** Returns the whole response as it goes on the wire, with its length, for a disturbance. */
  public byte[] frame(Body body) {
    return frame(body, request.version(), request.api().responseHeaderVersion(request.version()));
  }

  /** Returns the whole response in the format of another version than that of the request. */
  public byte[] frame(Body body, short version, int headerVersion) {
    for (int size = SMALL_ANSWER;; size *= 8) {
      try {
        return frame(body, version, headerVersion, ByteBuffer.allocate(size));
      } catch (BufferTooSmallException e) {
        if (size >= LARGEST_ANSWER) {
          throw e;
        }
      }
    }
  }

  private byte[] frame(Body body, short version, int headerVersion, ByteBuffer memory) {
    ProtocolWriter out = new ProtocolWriter(memory, 4, memory.capacity());
    out.writeInt(request.correlationId());
    if (headerVersion >= 1) {
      out.writeUnsignedVarint(0);
    }
    body.write(out, version);
    memory.putInt(0, out.position() - 4);
    byte[] frame = new byte[out.position()];
    memory.get(0, frame);
    return frame;
  }

  /** Returns the standard response as it goes on the wire, with its length. */
  public byte[] standardFrame() {
    Body body = broker.state().answer(request);
    if (body == null) {
      throw new IllegalStateException("a request of " + request.api() + " without an answer");
    }
    return frame(body);
  }

  /** Sends bytes as they are. */
  public void raw(byte[] bytes) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write(bytes);
    out.flush();
  }

  /** Ends the connection. */
  public void cut() throws IOException {
    socket.close();
  }
}
