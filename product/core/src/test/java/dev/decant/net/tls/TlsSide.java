package dev.decant.net.tls;

import dev.decant.buffer.PooledBuffer;
import dev.decant.loop.EventLoop;
import dev.decant.net.Connection;
import dev.decant.net.FrameMemory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A connection over TLS that keeps the bytes it receives. Its loop has a thread; the test runs on another one. */
final class TlsSide implements Connection.Handler {
  private static final long PATIENCE_SECONDS = 20;

  final TlsTransport transport;
  final Connection connection;
  final CompletableFuture<Boolean> connected = new CompletableFuture<>();
  final CompletableFuture<Throwable> end = new CompletableFuture<>();
  private final EventLoop loop;
  /** The received bytes; guarded by itself. */
  private final ByteArrayOutputStream received = new ByteArrayOutputStream();
  private boolean echoes;
  private volatile boolean endsOrderly;

  TlsSide(EventLoop loop, TlsTransport transport, FrameMemory memory) {
    this.loop = loop;
    this.transport = transport;
    connection = new Connection(loop, transport, AllBytes.INSTANCE, this, memory, 64 * 1024);
  }

  TlsSide echoing() {
    echoes = true;
    return this;
  }

  /** Responds to the peer's close_notify with its own instead of closing. */
  TlsSide endingOrderly() {
    endsOrderly = true;
    return this;
  }

  TlsSide open() {
    loop.execute(connection::open);
    return this;
  }

  void send(byte[] bytes) {
    loop.execute(() -> {
      connection.queue(ByteBuffer.allocateDirect(bytes.length).put(bytes).flip());
      connection.flush();
    });
  }

  void send(String text) {
    send(text.getBytes(StandardCharsets.US_ASCII));
  }

  void closeAfterOutput() {
    loop.execute(
        () -> connection.closeAfterOutput(new IOException("over"), TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)));
  }

  void close() {
    loop.execute(() -> connection.close(new IOException("over")));
  }

  static <T> T soon(CompletableFuture<T> outcome) throws InterruptedException {
    try {
      return outcome.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError("not in time, or failed", e);
    }
  }

  TlsSide awaitConnected() throws InterruptedException {
    soon(connected);
    return this;
  }

  Throwable awaitEnd() throws InterruptedException {
    return soon(end);
  }

  /** Waits for a number of bytes and returns all that have arrived. */
  byte[] awaitBytes(int count) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    synchronized (received) {
      while (received.size() < count && !end.isDone()) {
        long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (millis <= 0) {
          throw new AssertionError(received.size() + " bytes of " + count);
        }
        received.wait(millis);
      }
      return received.toByteArray();
    }
  }

  String awaitText(int count) throws InterruptedException {
    return new String(awaitBytes(count), StandardCharsets.US_ASCII);
  }

  @Override
  public void onConnected() {
    connected.complete(true);
  }

  @Override
  public void onFrame(ByteBuffer buffer, int from, int to, @Nullable PooledBuffer lease) {
    byte[] bytes = new byte[to - from];
    buffer.get(from, bytes);
    if (echoes) {
      connection.queue(ByteBuffer.allocateDirect(bytes.length).put(bytes).flip());
      connection.flush();
    }
    synchronized (received) {
      received.writeBytes(bytes);
      received.notifyAll();
    }
  }

  @Override
  public boolean onEndOfInput() {
    if (endsOrderly) {
      connection.closeAfterOutput(new IOException("the peer is done"), TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS));
    }
    return endsOrderly;
  }

  @Override
  public void onClosed(Throwable cause) {
    connected.completeExceptionally(cause);
    end.complete(cause);
    synchronized (received) {
      received.notifyAll();
    }
  }
}
