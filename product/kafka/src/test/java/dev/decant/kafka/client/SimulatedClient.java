package dev.decant.kafka.client;

import dev.decant.kafka.cluster.HostResolver;
import dev.decant.loop.EventLoop;
import java.time.Duration;

/** Opens clients with a loop and a network of the test. */
public final class SimulatedClient {
  private SimulatedClient() {}

  /** Opens a client on a loop that the test drives, with a network that it has made. */
  public static KafkaClient open(EventLoop loop, HostResolver network) {
    return KafkaClient.builder("simulated:9092").loop(loop).resolver(network).runtimeCheck(false)
        .requestTimeout(Duration.ofSeconds(30)).build();
  }
}
