package dev.decant.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.buffer.BufferPool;
import dev.decant.buffer.PooledBuffer;
import dev.decant.loop.EventLoop;
import dev.decant.time.Clock;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** A connection over a pipe with a recording handler, for tests that act as the peer. */
final class PipedConnection implements Connection.Handler, AutoCloseable {
  /** The test's action when a frame has arrived. */
  interface OnFrame {
    void run(byte[] payload, @Nullable PooledBuffer lease);
  }

  private static final long DEADLINE_SECONDS = 20;

  final EventLoop loop;
  final BufferPool pool;
  private final FrameMemory memory;
  final PipeTransport local;
  final PipeTransport remote;
  final Connection connection;

  // Written and read by the owner of the loop.
  final List<byte[]> frames = new ArrayList<>();
  final List<Throwable> ends = new ArrayList<>();
  int connects;
  /** True to take the beginning of oversized frames, with the lengths of those that were taken. */
  boolean takesOversized;
  long patienceNanos;
  final List<Long> oversized = new ArrayList<>();
  OnFrame onFrame = (payload, lease) -> {};
  Runnable onConnected = () -> {};
  Runnable onClosed = () -> {};

  PipedConnection(int pipeBytes, long poolBytes, int maxFrameBytes) {
    this(EventLoop.start("piped-loop", Clock.system()),
        new BufferPool(poolBytes, BufferPool.DEFAULT_CHUNK_BYTES, true), pipeBytes, maxFrameBytes);
  }

  private PipedConnection(EventLoop loop, BufferPool pool, int pipeBytes, int maxFrameBytes) {
    this(loop, pool, new FrameMemory(loop, pool), pipeBytes, maxFrameBytes);
  }

  private PipedConnection(EventLoop loop, BufferPool pool, FrameMemory memory, int pipeBytes, int maxFrameBytes) {
    this.loop = loop;
    this.pool = pool;
    this.memory = memory;
    local = new PipeTransport(pipeBytes);
    remote = local.peer();
    connection = new Connection(loop, local, LengthPrefixFraming.INSTANCE, this, memory, maxFrameBytes);
  }

  /** Makes a connection that has a receive buffer of the loop only while bytes are in it. */
  static PipedConnection lent(IntFunction<ByteBuffer> receiveBuffers, int pipeBytes, long poolBytes,
      int maxFrameBytes) {
    EventLoop loop = EventLoop.start("piped-loop", Clock.system());
    BufferPool pool = new BufferPool(poolBytes, BufferPool.DEFAULT_CHUNK_BYTES, true);
    return new PipedConnection(loop, pool, FrameMemory.lending(loop, pool, receiveBuffers), pipeBytes, maxFrameBytes);
  }

  /** Makes another connection of the same loop and memory, which ends with this one. */
  PipedConnection neighbour(int pipeBytes, int maxFrameBytes) {
    return new PipedConnection(loop, pool, memory, pipeBytes, maxFrameBytes);
  }

  PipedConnection open() throws InterruptedException {
    onLoop(connection::open);
    return this;
  }

  /** Runs a step on the owner of the loop, and waits for it. */
  void onLoop(Runnable step) throws InterruptedException {
    CompletableFuture<Void> outcome = new CompletableFuture<>();
    loop.execute(() -> {
      try {
        step.run();
        outcome.complete(null);
      } catch (RuntimeException | AssertionError e) {
        outcome.completeExceptionally(e);
      }
    });
    try {
      outcome.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError("a step on the loop failed", e);
    }
  }

  /** Drives the loop until a condition of its owner's state holds. */
  void driveUntil(BooleanSupplier done) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
    boolean held = loop.driveUntil(() -> loop.isOwner() && done.getAsBoolean(), deadline);
    assertThat(held).as("the condition holds in time; frames %d, ends %s", frames.size(), ends).isTrue();
  }

  /** Sends bytes as the peer, as fast as the pipe takes them. */
  void send(byte[] bytes) throws InterruptedException {
    int[] sent = {0};
    driveUntil(() -> {
      sent[0] += remote.put(bytes, sent[0]);
      return sent[0] == bytes.length || !ends.isEmpty();
    });
  }

  void awaitFrames(int count) throws InterruptedException {
    driveUntil(() -> frames.size() >= count);
  }

  /** Waits for the end and returns its cause. */
  Throwable awaitEnd() throws InterruptedException {
    driveUntil(() -> !ends.isEmpty());
    onLoop(() -> assertThat(ends).hasSize(1));
    return ends.getFirst();
  }

  static byte[] frame(byte... payload) {
    return ByteBuffer.allocate(4 + payload.length).putInt(payload.length).put(payload).array();
  }

  static byte[] prefix(int length) {
    return ByteBuffer.allocate(4).putInt(length).array();
  }

  /** Returns bytes that differ from index to index. */
  static byte[] pattern(int length, int seed) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (seed * 31 + i * 7 + (i >>> 8));
    }
    return bytes;
  }

  static byte[] concat(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  static ByteBuffer direct(byte... bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  @Override
  public void onConnected() {
    connects++;
    onConnected.run();
  }

  @Override
  public long memoryPatienceNanos() {
    return patienceNanos;
  }

  @Override
  public boolean takesOversizedFrame(long frameBytes) {
    return takesOversized;
  }

  @Override
  public void onOversizedFrame(ByteBuffer buffer, int from, int to, long frameBytes) {
    byte[] begin = new byte[to - from];
    buffer.get(from, begin);
    frames.add(begin);
    oversized.add(frameBytes);
  }

  @Override
  public void onFrame(ByteBuffer buffer, int from, int to, @Nullable PooledBuffer lease) {
    byte[] payload = new byte[to - from];
    buffer.get(from, payload);
    frames.add(payload);
    onFrame.run(payload, lease);
  }

  @Override
  public void onClosed(Throwable cause) {
    ends.add(cause);
    onClosed.run();
  }

  @Override
  public void close() {
    loop.close();
    pool.close();
  }
}
