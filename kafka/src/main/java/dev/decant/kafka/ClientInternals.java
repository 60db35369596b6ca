package dev.decant.kafka;

import dev.decant.buffer.BufferPool;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.memory.SendMemory;
import dev.decant.kafka.telemetry.Telemetry;
import dev.decant.kafka.telemetry.push.PushSources;
import dev.decant.loop.EventLoop;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** What producers and consumers share of their client. Made by the client; of no use to applications. */
@SuppressWarnings("exports") // names types of packages that are not exported, so that only the client can use it
public final class ClientInternals {
  /** The smallest piece of memory for records to be sent: 2 KiB, for a partition that has little to send. */
  public static final int SEND_CHUNK_BYTES = 2 * 1024;

  private final EventLoop loop;
  private final Cluster cluster;
  private final KafkaClient client;
  private final Telemetry telemetry;
  private final int requestTimeoutMillis;
  private final Map<Class<?>, Object> shared = new ConcurrentHashMap<>();

  ClientInternals(EventLoop loop, Cluster cluster, Telemetry telemetry, KafkaClient client,
      int requestTimeoutMillis) {
    this.requestTimeoutMillis = requestTimeoutMillis;
    this.telemetry = telemetry;
    this.loop = loop;
    this.cluster = cluster;
    this.client = client;
  }

  /**
   * The loop.
   *
   * @return shared by all users of the client
   */
  public EventLoop loop() {
    return loop;
  }

  /**
   * The cluster.
   *
   * @return shared by all users of the client
   */
  public Cluster cluster() {
    return cluster;
  }

  /**
   * Memory for responses.
   *
   * @return shared by all consumers of the client
   */
  public BufferPool fetchMemory() {
    return client.fetchMemory();
  }

  /**
   * Memory for records to be sent.
   *
   * @return shared by all producers of the client that have none of their own
   */
  public SendMemory sendMemory() {
    return client.sendMemory();
  }

  /**
   * What the client has one of, made by the first who asks. Any thread.
   *
   * @param <T> what it is
   * @param type of it
   * @param maker makes it
   * @return shared by all users of the client
   */
  public <T> T shared(Class<T> type, Supplier<T> maker) {
    return type.cast(shared.computeIfAbsent(type, _ -> maker.get()));
  }

  /**
   * How long a request may take.
   *
   * @return milliseconds
   */
  public int requestTimeoutMillis() {
    return requestTimeoutMillis;
  }

  /**
   * Events, counters and errors.
   *
   * @return shared by all users of the client
   */
  public Telemetry telemetry() {
    return telemetry;
  }

  /**
   * Whose metrics are pushed.
   *
   * @return producers and consumers enter themselves there
   */
  public PushSources pushSources() {
    return client.pushSources();
  }

  /**
   * How each open consumer stands. Any thread; does not wait.
   *
   * @return a snapshot
   */
  public List<ConsumerStatus> consumers() {
    return client.consumers();
  }

  /**
   * Announces a pool of direct memory, and has the runtime checked with it.
   *
   * @param bytes its bound
   */
  public void addDirectMemory(long bytes) {
    client.addDirectMemory(bytes);
  }

  /**
   * A pool that was announced is closed.
   *
   * @param bytes its bound
   */
  public void removeDirectMemory(long bytes) {
    client.removeDirectMemory(bytes);
  }

  /**
   * Makes the client close something with itself.
   *
   * @param user a producer or consumer
   */
  public void register(AutoCloseable user) {
    client.register(user);
  }

  /**
   * It has been closed already.
   *
   * @param user registered before
   */
  public void unregister(AutoCloseable user) {
    client.unregister(user);
  }

  /**
   * Runs a task on the owner of the loop and waits for it, five seconds at most; called by the owner, it does not wait.
   *
   * @param task must not block
   */
  public void runOnLoop(Runnable task) {
    client.runOnLoop(task);
  }
}
