package dev.decant.kafka.internal;

import dev.decant.buffer.BufferPool;
import dev.decant.kafka.clientmetrics.PushSources;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.memory.SendMemory;
import dev.decant.kafka.telemetry.Telemetry;
import dev.decant.loop.EventLoop;
import java.util.function.Supplier;

/** The parts of a client that its producers and consumers share. Any thread. */
public interface ClientInternals {
  /**
   * Returns the internals of a client.
   *
   * @throws IllegalStateException if the client is closed
   */
  static ClientInternals of(InternalsHolder client) {
    return client.internals.requireOpen();
  }

  /**
   * Returns this if the client is open.
   *
   * @throws IllegalStateException if it is closed
   */
  ClientInternals requireOpen();

  /** Returns the loop of the client. */
  EventLoop loop();

  /** Returns the cluster of the client. */
  Cluster cluster();

  /**
   * Returns the memory for responses, which all consumers share. It counts as direct memory of the client from the
   * first call on.
   */
  BufferPool fetchMemory();

  /**
   * Returns the memory for records, shared by all producers that have none of their own. It counts as direct memory of
   * the client from the first call on.
   */
  SendMemory sendMemory();

  /** Returns the bound of {@link #sendMemory} in bytes, for callers that do not use that memory. */
  long sendMemoryBytes();

  /**
   * Returns an object of which the client has one; the first caller makes it.
   *
   * @param <T> its type
   * @param type of the object
   * @param maker makes it
   */
  <T> T shared(Class<T> type, Supplier<T> maker);

  /** Returns the milliseconds that a request may take ({@code request.timeout.ms}). */
  int requestTimeoutMillis();

  /** Returns the events, counters and errors of the client. */
  Telemetry telemetry();

  /** Returns the producers and consumers whose metrics are pushed; they enter themselves there (KIP-714). */
  PushSources pushSources();

  /**
   * Announces a pool of direct memory, and runs the runtime check with it.
   *
   * @param bytes the bound of the pool
   */
  void addDirectMemory(long bytes);

  /**
   * Withdraws a pool that was announced and is closed.
   *
   * @param bytes the bound of the pool
   */
  void removeDirectMemory(long bytes);

  /**
   * Registers a producer or consumer, which the client closes with itself.
   *
   * @param user may be closed by another thread at once
   * @throws IllegalStateException if the client is closed, and would not close it any more
   */
  void register(AutoCloseable user);

  /** Removes a producer or consumer that was closed. */
  void unregister(AutoCloseable user);

  /**
   * Runs a task on the owner of the loop, and waits for it for five seconds at most. Called by the owner, it does not
   * wait.
   *
   * @param task must not block
   */
  void runOnLoop(Runnable task);
}
