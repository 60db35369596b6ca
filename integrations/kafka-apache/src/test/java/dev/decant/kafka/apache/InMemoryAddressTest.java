package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.net.MemoryNetwork;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Apache's interfaces accept an address within the process: its host is not looked up. */
@Timeout(60)
class InMemoryAddressTest {
  private static final String HOST = "apache-interfaces.in-memory.invalid";

  @Test
  void aConsumerAndAProducerConnectWithinTheProcess() throws Exception {
    for (int port = 1; port <= 2; port++) {
      CompletableFuture<Boolean> connected = new CompletableFuture<>();
      Map<String, Object> settings = Map.of("bootstrap.servers", List.of(HOST + ":" + port), "max.block.ms", 100,
          "group.id", "billing");
      try (MemoryNetwork.Listener listener = MemoryNetwork.listen(HOST, port, () -> connected.complete(true))) {
        if (port == 1) {
          try (var consumer = new DecantConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of("orders"));
            var unused = consumer.poll(Duration.ofMillis(1));
            assertThat(connected.get(20, TimeUnit.SECONDS)).isTrue();
          }
        } else {
          try (var producer = new DecantProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            var unused = producer.send(new ProducerRecord<>("orders", "v"));
            assertThat(connected.get(20, TimeUnit.SECONDS)).isTrue();
          }
        }
        assertThat(listener.accept()).isNotNull();
      }
    }
  }
}
