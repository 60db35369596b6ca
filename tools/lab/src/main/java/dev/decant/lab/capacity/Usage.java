package dev.decant.lab.capacity;

import dev.decant.kafka.ConnectionStatus;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.protocol.ApiKey;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;

/** The cost of one step of a {@link CapacityMain}, as figures by name. One thread at a time. */
final class Usage {
  private static final double MEBI = 1 << 20;

  private final Map<String, Double> figures = new LinkedHashMap<>();
  private final Responses responses;
  private long begunNanos = System.nanoTime();
  private long begunCpuNanos = cpuNanos();
  private long begunBytes = allocatedBytes();
  private long begunResponses;

  Usage(Responses responses) {
    this.responses = responses;
  }

  /** Starts a phase. */
  void begin() {
    begunNanos = System.nanoTime();
    begunCpuNanos = cpuNanos();
    begunBytes = allocatedBytes();
    begunResponses = responses.count();
  }

  /** Ends a phase, and adds its time, processor time, allocation and responses. */
  void end(String phase) {
    put(phase + ".ms", (System.nanoTime() - begunNanos) / 1e6);
    put(phase + ".cpu_ms", (cpuNanos() - begunCpuNanos) / 1e6);
    put(phase + ".alloc_mb", (allocatedBytes() - begunBytes) / MEBI);
    put(phase + ".responses", (double) (responses.count() - begunResponses));
    begin();
  }

  /** Adds what the clients keep: heap after a collection, memory outside of the heap, connections, metadata so far. */
  void kept(KafkaClient... clients) {
    System.gc();
    put("heap_mb", ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / MEBI);
    put("direct_mb", ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct")).mapToLong(BufferPoolMXBean::getMemoryUsed).sum() / MEBI);
    int connections = 0;
    for (KafkaClient client : clients) {
      connections += (int) client.status().connections().stream().filter(ConnectionStatus::ready).count();
    }
    put("connections", connections);
    put("metadata.responses", (double) responses.count(ApiKey.METADATA));
    put("metadata.mb", responses.bytes(ApiKey.METADATA) / MEBI);
    begin();
  }

  void put(String name, double value) {
    figures.put(name, value);
  }

  /** Returns one line with each figure's name and value. */
  String line() {
    StringBuilder line = new StringBuilder();
    figures.forEach((name, value) -> line.append(name).append('=').append(Math.round(value * 1000) / 1000.0)
        .append(' '));
    return line.toString();
  }

  private static long cpuNanos() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  private static long allocatedBytes() {
    return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean()).getTotalThreadAllocatedBytes();
  }
}
