package dev.decant.kafka;

import dev.decant.buffer.BufferPool;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.memory.SendMemory;
import dev.decant.kafka.telemetry.Telemetry;
import dev.decant.kafka.telemetry.push.PushSources;
import dev.decant.loop.EventLoop;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** The parts of one client, as its producers and consumers see them. */
final class ClientParts implements ClientInternals {
  private final EventLoop loop;
  private final Cluster cluster;
  private final KafkaClient client;
  private final Telemetry telemetry;
  private final int requestTimeoutMillis;
  private final Map<Class<?>, Object> shared = new ConcurrentHashMap<>();

  ClientParts(EventLoop loop, Cluster cluster, Telemetry telemetry, KafkaClient client,
      int requestTimeoutMillis) {
    this.requestTimeoutMillis = requestTimeoutMillis;
    this.telemetry = telemetry;
    this.loop = loop;
    this.cluster = cluster;
    this.client = client;
  }

  @Override
  public EventLoop loop() {
    return loop;
  }

  @Override
  public Cluster cluster() {
    return cluster;
  }

  @Override
  public BufferPool fetchMemory() {
    return client.fetchMemory();
  }

  @Override
  public SendMemory sendMemory() {
    return client.sendMemory();
  }

  @Override
  public <T> T shared(Class<T> type, Supplier<T> maker) {
    return type.cast(shared.computeIfAbsent(type, key -> maker.get()));
  }

  @Override
  public int requestTimeoutMillis() {
    return requestTimeoutMillis;
  }

  @Override
  public Telemetry telemetry() {
    return telemetry;
  }

  @Override
  public PushSources pushSources() {
    return client.pushSources();
  }

  @Override
  public List<ConsumerStatus> consumers() {
    return client.consumers();
  }

  @Override
  public void addDirectMemory(long bytes) {
    client.addDirectMemory(bytes);
  }

  @Override
  public void removeDirectMemory(long bytes) {
    client.removeDirectMemory(bytes);
  }

  @Override
  public void register(AutoCloseable user) {
    client.register(user);
  }

  @Override
  public void unregister(AutoCloseable user) {
    client.unregister(user);
  }

  @Override
  public void runOnLoop(Runnable task) {
    client.runOnLoop(task);
  }
}
