package dev.decant.micronaut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.testkit.junit.KafkaClusterExtension;
import io.micronaut.configuration.kafka.annotation.KafkaClient;
import io.micronaut.configuration.kafka.annotation.KafkaKey;
import io.micronaut.configuration.kafka.annotation.KafkaListener;
import io.micronaut.configuration.kafka.annotation.Topic;
import io.micronaut.context.ApplicationContext;
import io.micronaut.context.annotation.Property;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Value;
import io.micronaut.core.annotation.Introspected;
import io.micronaut.messaging.annotation.SendTo;
import io.micronaut.messaging.exceptions.MessagingClientException;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Clients that Micronaut makes from interfaces, and injected producers. */
@Tag("full")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ClientsTest {
  @RegisterExtension
  static final KafkaClusterExtension KAFKA = KafkaClusterExtension.shared();

  @Introspected
  record Item(String name, int count) {}

  @BeforeAll
  static void createSharedTopic() {
    KAFKA.createTopic("micronaut-doubled", 1);
  }

  @KafkaClient(id = "shop", acks = KafkaClient.Acknowledge.ALL)
  @Requires(property = "test", value = "clients")
  interface Shop {
    @Topic("micronaut-clients-${run}")
    RecordMetadata blocking(@KafkaKey String key, String value);

    @Topic("micronaut-clients-${run}")
    CompletableFuture<RecordMetadata> future(@KafkaKey String key, String value);

    @Topic("micronaut-clients-${run}")
    Publisher<RecordMetadata> one(@KafkaKey String key, String value);

    @Topic("micronaut-clients-${run}")
    Publisher<RecordMetadata> many(@KafkaKey String key, Publisher<String> values);

    @Topic("micronaut-clients-${run}")
    Item json(@KafkaKey String key, Item item);
  }

  @KafkaClient(id = "batching", batch = true)
  @Requires(property = "test", value = "clients")
  interface Batching {
    @Topic("micronaut-clients-${run}")
    List<RecordMetadata> all(List<String> values);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void eachKindOfReturnTypeSends(boolean decant) throws Exception {
    String topic = "micronaut-clients-" + Applications.run(decant);
    KAFKA.createTopic(topic, 1);
    try (ApplicationContext context = Applications.start(KAFKA.bootstrap(), "clients", decant)) {
      Shop shop = context.getBean(Shop.class);

      assertThat(shop.blocking("key", "blocking").offset()).isEqualTo(0);
      assertThat(shop.future("key", "future").get(Applications.SECONDS, TimeUnit.SECONDS).offset()).isEqualTo(1);
      assertThat(Mono.from(shop.one("key", "one")).block()).extracting(RecordMetadata::offset).isEqualTo(2L);
      assertThat(Flux.from(shop.many("key", Flux.just("many-1", "many-2"))).collectList().block())
          .extracting(RecordMetadata::offset).containsExactlyInAnyOrder(3L, 4L);
      assertThat(shop.json("key", new Item("pen", 3))).isEqualTo(new Item("pen", 3));
      assertThat(context.getBean(Batching.class).all(List.of("batch-1", "batch-2")))
          .extracting(RecordMetadata::offset).containsExactly(6L, 7L);

      assertThat(Applications.values(KAFKA.bootstrap(), topic, "", 8)).startsWith("blocking", "future", "one")
          .contains("many-1", "many-2").endsWith("{\"name\":\"pen\",\"count\":3}", "batch-1", "batch-2");
      Applications.checkClients(context, decant);
    }
  }

  @KafkaClient(id = "failing", properties = {@Property(name = "max.request.size", value = "1000"),
      @Property(name = "max.block.ms", value = "30000")})
  @Requires(property = "test", value = "failing")
  interface Failing {
    @Topic("micronaut-failing-${run}")
    void blocking(String value);

    @Topic("micronaut-failing-${run}")
    Publisher<String> one(String value);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aRecordThatCannotBeSentFailsTheCall(boolean decant) {
    KAFKA.createTopic("micronaut-failing-" + Applications.run(decant), 1);
    try (ApplicationContext context = Applications.start(KAFKA.bootstrap(), "failing", decant)) {
      Failing failing = context.getBean(Failing.class);
      String large = "x".repeat(2000);

      assertThatThrownBy(() -> failing.blocking(large)).isInstanceOf(MessagingClientException.class)
          .hasRootCauseInstanceOf(org.apache.kafka.common.errors.RecordTooLargeException.class);
      Mono<String> sent = Mono.from(failing.one(large));
      assertThatThrownBy(sent::block).isInstanceOf(MessagingClientException.class);
      failing.blocking("small");
    }
  }

  @Singleton
  @Requires(property = "test", value = "injected")
  static class Injected {
    final Producer<String, Integer> numbers;

    Injected(@KafkaClient("numbers") Producer<String, Integer> numbers) {
      this.numbers = numbers;
    }
  }

  /** Micronaut replaces placeholders of {@code @SendTo} once for a JVM, so both runs share the topic. */
  @KafkaListener("micronaut-doubling-${run}")
  @Requires(property = "test", value = "injected")
  static class Doubling {
    private final String run;

    Doubling(@Value("${run}") String run) {
      this.run = run;
    }

    @Topic("micronaut-injected-${run}")
    @SendTo("micronaut-doubled")
    String twice(Integer number) {
      return run + 2 * number;
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anInjectedProducerSendsAndAListenerForwards(boolean decant) throws Exception {
    String run = Applications.run(decant);
    KAFKA.createTopic("micronaut-injected-" + run, 1);
    try (ApplicationContext context = Applications.start(KAFKA.bootstrap(), "injected", decant)) {
      Producer<String, Integer> numbers = context.getBean(Injected.class).numbers;
      for (int i = 0; i < 5; i++) {
        numbers.send(new ProducerRecord<>("micronaut-injected-" + run, "key", i)).get(Applications.SECONDS,
            TimeUnit.SECONDS);
      }

      assertThat(Applications.values(KAFKA.bootstrap(), "micronaut-doubled", run, 5))
          .containsExactly(run + 0, run + 2, run + 4, run + 6, run + 8);
      Applications.checkClients(context, decant);
    }
  }
}
