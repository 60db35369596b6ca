package dev.decant.net;

import dev.decant.buffer.BufferPool;
import dev.decant.buffer.PooledBuffer;
import dev.decant.loop.EventLoop;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The initiating side of the line protocol: sends lines, and keeps received ones. Owner of the loop only. */
final class LineClient implements Connection.Handler {
  final List<String> received = new ArrayList<>();
  final Connection connection;
  @Nullable
  Throwable end;

  LineClient(EventLoop loop, Transport transport, BufferPool pool) {
    connection = new Connection(loop, transport, new LineFraming(), this, new FrameMemory(loop, pool), 64 * 1024);
  }

  /** Sends a line; before the connection is established, the line waits. */
  void send(String line) {
    byte[] bytes = (line + "\n").getBytes(StandardCharsets.US_ASCII);
    connection.queue(ByteBuffer.allocateDirect(bytes.length).put(bytes).flip());
    connection.flush();
  }

  @Override
  public void onConnected() {}

  @Override
  public void onFrame(ByteBuffer buffer, int from, int to, @Nullable PooledBuffer lease) {
    byte[] line = new byte[to - from - 1];
    buffer.get(from, line);
    received.add(new String(line, StandardCharsets.US_ASCII));
  }

  @Override
  public void onClosed(Throwable cause) {
    end = cause;
  }
}
