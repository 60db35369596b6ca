package dev.decant.kafka.client;

import dev.decant.kafka.cluster.HostResolver;
import dev.decant.loop.EventLoop;
import java.time.Duration;

/** Opens clients in a world of a test's own. */
public final class SimulatedClient {
  private SimulatedClient() {}

  /** A client on a loop that the test drives, and a network that it has made. */
  public static KafkaClient open(EventLoop loop, HostResolver network) {
    return KafkaClient.builder("simulated:9092").loop(loop).resolver(network).runtimeCheck(false)
        .requestTimeout(Duration.ofSeconds(30)).build();
  }
}
