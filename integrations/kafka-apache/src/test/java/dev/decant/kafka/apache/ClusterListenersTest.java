package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.internal.ClientInternals;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.ClusterResource;
import org.apache.kafka.common.ClusterResourceListener;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Plug-ins of a producer get the cluster's id. */
@ExtendWith(PlainCluster.class)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ClusterListenersTest {
  /** The first response of a broker may come before the opening thread continues. */
  @Test
  void whatIsKnownAlreadyIsToldAtOnce() throws Exception {
    ProducerOptions options = ProducerOptions.read(Map.of("bootstrap.servers", PlainCluster.bootstrap()),
        new StringSerializer(), new StringSerializer());
    CompletableFuture<ClusterResource> told = new CompletableFuture<>();
    ClusterResourceListener listener = told::complete;
    ProducerMetrics figures = new ProducerMetrics(options);
    try (SecuredClient secured = options.openClient()) {
      ClientInternals client = ClientInternals.of(secured.client());
      client.cluster().awaitTopic(PlainCluster.createTopic(1), System.nanoTime() + 50_000_000_000L);

      figures.passClusterId(client, List.of(List.of(listener)));

      assertThat(told.get(20, TimeUnit.SECONDS).clusterId()).isEqualTo(secured.client().clusterId().orElseThrow());
    } finally {
      figures.close(new AtomicReference<>());
    }
  }
}
