package dev.decant.spring.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.junit.FakeKafka;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.LongSerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.support.KafkaHeaders;
import org.springframework.kafka.support.serializer.DelegatingByTypeSerializer;
import org.springframework.kafka.support.serializer.ErrorHandlingDeserializer;
import org.springframework.util.backoff.FixedBackOff;

/** What happens to records that a listener, or a deserializer, cannot take. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
@FakeKafka(lifetime = FakeKafka.Lifetime.CLASS)
class ErrorHandlerTest {
  private static final int PARTITIONS = 2;
  private static final int RETRIES = 2;

  private static FakeCluster kafka;

  @BeforeAll
  static void createTopics(FakeCluster given) {
    kafka = given;
    List.of("spring-numbers", "spring-numbers-dlt").forEach(topic -> kafka.createTopic(topic, PARTITIONS));
  }

  static final class Numbers {
    final Map<Long, Integer> attempts = new ConcurrentHashMap<>();

    @KafkaListener(topics = "spring-numbers", groupId = "spring-numbers", containerFactory = "numbers")
    void receive(long number) {
      attempts.merge(number, 1, Integer::sum);
      if (number % 10 == 7) {
        throw new IllegalArgumentException("no sevens");
      }
    }
  }

  /** What sends dead letters, and in this test all others too. */
  record Letters(KafkaTemplate<String, Object> template) {}

  @Configuration(proxyBeanMethods = false)
  static class DeadLetters {
    @Bean
    Letters letters(DecantProducerFactory<String, Object> letterProducers) {
      return new Letters(new KafkaTemplate<>(letterProducers));
    }

    @Bean(destroyMethod = "destroy")
    DecantProducerFactory<String, Object> letterProducers(KafkaBeans.Brokers brokers) {
      return new DecantProducerFactory<>(Map.of("bootstrap.servers", brokers.bootstrap()), new StringSerializer(),
          new DelegatingByTypeSerializer(Map.of(byte[].class, new ByteArraySerializer(), Long.class,
              new LongSerializer())));
    }

    @Bean
    ConcurrentKafkaListenerContainerFactory<String, Long> numbers(KafkaBeans.Brokers brokers, Letters letters) {
      var containers = new ConcurrentKafkaListenerContainerFactory<String, Long>();
      containers.setConsumerFactory(new DecantConsumerFactory<>(KafkaBeans.consumerConfigs(brokers.bootstrap()),
          new StringDeserializer(), new ErrorHandlingDeserializer<>(new LongDeserializer())));
      containers.setCommonErrorHandler(new DefaultErrorHandler(
          new DeadLetterPublishingRecoverer(letters.template()), new FixedBackOff(0, RETRIES)));
      return containers;
    }
  }

  private static String header(ConsumerRecord<?, ?> record, String name) {
    return new String(record.headers().lastHeader(name).value(), UTF_8);
  }

  @Test
  void recordsThatFailAreTriedAgainAndThenBecomeDeadLetters() {
    try (AnnotationConfigApplicationContext context = KafkaBeans.start(kafka.bootstrap(), DeadLetters.class,
        Numbers.class)) {
      KafkaTemplate<String, Object> template = context.getBean(Letters.class).template();
      List<CompletableFuture<?>> sent = new ArrayList<>();
      for (long i = 0; i < 20; i++) {
        sent.add(template.send("spring-numbers", (int) i % PARTITIONS, "key-" + i,
            i == 12 ? new byte[] {1, 2, 3} : (Object) i));
      }
      template.flush();
      assertThat(sent).allMatch(CompletableFuture::isDone).noneMatch(CompletableFuture::isCompletedExceptionally);

      List<ConsumerRecord<String, byte[]>> dead = Oracle.records(kafka.bootstrap(), "spring-numbers-dlt", PARTITIONS,
          3);

      assertThat(dead).extracting(ConsumerRecord::key).containsExactlyInAnyOrder("key-7", "key-12", "key-17");
      for (ConsumerRecord<String, byte[]> letter : dead) {
        long number = Long.parseLong(letter.key().substring("key-".length()));
        assertThat(letter.partition()).isEqualTo((int) number % PARTITIONS);
        assertThat(header(letter, KafkaHeaders.DLT_ORIGINAL_TOPIC)).isEqualTo("spring-numbers");
        assertThat(ByteBuffer.wrap(letter.headers().lastHeader(KafkaHeaders.DLT_ORIGINAL_OFFSET).value()).getLong())
            .isEqualTo(number / PARTITIONS);
        if (number == 12) {
          assertThat(letter.value()).containsExactly(1, 2, 3);
        } else {
          assertThat(ByteBuffer.wrap(letter.value()).getLong()).isEqualTo(number);
          assertThat(header(letter, KafkaHeaders.DLT_EXCEPTION_CAUSE_FQCN)).isEqualTo(
              IllegalArgumentException.class.getName());
        }
      }
      Map<Long, Integer> attempts = context.getBean(Numbers.class).attempts;
      assertThat(attempts).containsEntry(7L, 1 + RETRIES).containsEntry(17L, 1 + RETRIES).doesNotContainKey(12L);
    }
  }
}
