package dev.decant.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.junit.FakeKafka;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.annotation.EnableKafkaStreams;
import org.springframework.kafka.annotation.KafkaListener;

/** Kafka Streams in an application of Boot. */
@Tag("full")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
@FakeKafka(topics = {"said", "shouted"})
class StreamsTest {
  private static final int SECONDS = 60;

  /** What the topology has written. */
  static final class Shouted {
    final BlockingQueue<String> values = new LinkedBlockingQueue<>();

    @KafkaListener(topics = "shouted")
    void onShouted(String value) {
      values.add(value);
    }
  }

  @SpringBootConfiguration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @EnableKafkaStreams
  static class Shouting {
    @Bean
    KStream<String, String> topology(StreamsBuilder builder) {
      KStream<String, String> said = builder.stream("said");
      said.mapValues(value -> value.toUpperCase(Locale.ROOT)).to("shouted");
      return said;
    }

    @Bean
    Shouted shouted() {
      return new Shouted();
    }
  }

  @Test
  void theTopologyRunsOnDecantsClients(FakeCluster kafka, @TempDir Path directory) throws Exception {
    Map<String, Object> properties = Map.of("spring.kafka.streams.application-id", "shouting",
        "spring.kafka.streams.state-dir", directory.toString(),
        "spring.kafka.streams.properties.default.key.serde", Serdes.StringSerde.class.getName(),
        "spring.kafka.streams.properties.default.value.serde", Serdes.StringSerde.class.getName());
    try (ConfigurableApplicationContext context = ApplicationTest.run(kafka.bootstrap(), Shouting.class, properties)) {
      Shop.template(context).send("said", "hello").get(SECONDS, TimeUnit.SECONDS);
      assertThat(context.getBean(Shouted.class).values.poll(SECONDS, TimeUnit.SECONDS)).isEqualTo("HELLO");
      assertThat(context.getBean(OpenClients.class).open())
          .filteredOn(open -> open.id().startsWith("shouting")).extracting(OpenClients.Open::kind)
          .contains("producer", "consumer");
      assertThat(HealthTest.health(context, "decantHealthIndicator")).contains("UP");
    }
  }
}
