package dev.decant.kafka.internal;

import dev.decant.buffer.BufferPool;
import dev.decant.kafka.clientmetrics.PushSources;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.memory.SendMemory;
import dev.decant.kafka.telemetry.Telemetry;
import dev.decant.loop.EventLoop;
import java.util.function.Supplier;

/** What producers and consumers share of their client. Any thread. */
public interface ClientInternals {
  /**
   * The internals of a client.
   *
   * @param client any
   * @return what its producers and consumers share
   * @throws IllegalStateException when the client is closed
   */
  static ClientInternals of(InternalsHolder client) {
    return client.internals.requireOpen();
  }

  /**
   * Checks that the client is open.
   *
   * @return this
   * @throws IllegalStateException when it is closed
   */
  ClientInternals requireOpen();

  /**
   * The loop.
   *
   * @return shared by all users of the client
   */
  EventLoop loop();

  /**
   * The cluster.
   *
   * @return shared by all users of the client
   */
  Cluster cluster();

  /**
   * Memory for responses. It counts as direct memory of the client from the first call on.
   *
   * @return shared by all consumers of the client
   */
  BufferPool fetchMemory();

  /**
   * Memory for records to be sent. It counts as direct memory of the client from the first call on.
   *
   * @return shared by all producers of the client that have none of their own
   */
  SendMemory sendMemory();

  /**
   * The bound of {@link #sendMemory}, for those who do not use it.
   *
   * @return bytes
   */
  long sendMemoryBytes();

  /**
   * What the client has one of, made by the first who asks.
   *
   * @param <T> what it is
   * @param type of it
   * @param maker makes it
   * @return shared by all users of the client
   */
  <T> T shared(Class<T> type, Supplier<T> maker);

  /**
   * How long a request may take.
   *
   * @return milliseconds
   */
  int requestTimeoutMillis();

  /**
   * Events, counters and errors.
   *
   * @return shared by all users of the client
   */
  Telemetry telemetry();

  /**
   * Whose metrics are pushed.
   *
   * @return producers and consumers enter themselves there
   */
  PushSources pushSources();

  /**
   * Announces a pool of direct memory, and has the runtime checked with it.
   *
   * @param bytes its bound
   */
  void addDirectMemory(long bytes);

  /**
   * A pool that was announced is closed.
   *
   * @param bytes its bound
   */
  void removeDirectMemory(long bytes);

  /**
   * Makes the client close something with itself.
   *
   * @param user a producer or consumer, which may be closed by another thread at once
   * @throws IllegalStateException if the client is closed, and would not close it any more
   */
  void register(AutoCloseable user);

  /**
   * It has been closed already.
   *
   * @param user registered before
   */
  void unregister(AutoCloseable user);

  /**
   * Runs a task on the owner of the loop and waits for it, five seconds at most; called by the owner, it does not wait.
   *
   * @param task must not block
   */
  void runOnLoop(Runnable task);
}
