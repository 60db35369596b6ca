package dev.decant.spring.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.junit.FakeKafka;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.kafka.transaction.KafkaTransactionManager;

/** Transactions of templates, and of containers whose offsets are part of them. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
@FakeKafka(lifetime = FakeKafka.Lifetime.CLASS)
class TransactionsTest {
  private static final int PAYMENTS = 20;

  private static FakeCluster kafka;

  @BeforeAll
  static void createTopics(FakeCluster given) {
    kafka = given;
    List.of("spring-ledger", "spring-payments", "spring-receipts").forEach(topic -> kafka.createTopic(topic, 1));
  }

  private static DecantProducerFactory<String, String> factory(String bootstrap, String prefix) {
    Map<String, Object> configs = KafkaBeans.producerConfigs(bootstrap);
    configs.put("transactional.id", prefix);
    return new DecantProducerFactory<>(configs);
  }

  @Test
  void aTemplateCommitsWhatReturnsAndAbortsWhatThrows() throws Exception {
    DecantProducerFactory<String, String> factory = factory(kafka.bootstrap(), "spring-ledger-");
    try {
      KafkaTemplate<String, String> template = new KafkaTemplate<>(factory);
      List<CompletableFuture<?>> sent = new ArrayList<>();

      sent.add(template.executeInTransaction(operations -> operations.send("spring-ledger", "first")));
      assertThatThrownBy(() -> template.executeInTransaction(operations -> {
        sent.add(operations.send("spring-ledger", "undone"));
        operations.flush();
        throw new IllegalStateException("no");
      })).isInstanceOf(IllegalStateException.class).hasMessage("no");
      sent.add(template.executeInTransaction(operations -> operations.send("spring-ledger", "second")));

      assertThat(sent).hasSize(3).allMatch(CompletableFuture::isDone);
      assertThat(Oracle.valuesUntil(kafka.bootstrap(), "spring-ledger", "second")).containsExactly("first", "second");
    } finally {
      factory.destroy();
    }
  }

  static final class Payments {
    final Map<String, Integer> attempts = new ConcurrentHashMap<>();
    final List<CompletableFuture<?>> sent = new CopyOnWriteArrayList<>();
    private final KafkaTemplate<String, String> receipts;

    Payments(KafkaTemplate<String, String> receipts) {
      this.receipts = receipts;
    }

    /** Every fifth payment is seen twice, since the first attempt fails after it has sent. */
    @KafkaListener(topics = "spring-payments", groupId = "spring-payments", containerFactory = "transactional")
    void receive(String payment) {
      int attempt = attempts.merge(payment, 1, Integer::sum);
      sent.add(receipts.send("spring-receipts", "receipt-" + payment));
      if (attempt == 1 && Integer.parseInt(payment) % 5 == 3) {
        receipts.flush();
        throw new IllegalStateException("the first attempt of " + payment);
      }
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class InTransactions {
    @Bean(destroyMethod = "destroy")
    ProducerFactory<String, String> transactionalProducers(KafkaBeans.Brokers brokers) {
      return factory(brokers.bootstrap(), "spring-receipts-");
    }

    @Bean
    ConcurrentKafkaListenerContainerFactory<String, String> transactional(
        ConsumerFactory<String, String> consumers, ProducerFactory<String, String> transactionalProducers) {
      var containers = new ConcurrentKafkaListenerContainerFactory<String, String>();
      containers.setConsumerFactory(consumers);
      containers.getContainerProperties().setKafkaAwareTransactionManager(
          new KafkaTransactionManager<>(transactionalProducers));
      return containers;
    }

    @Bean
    Payments payments(ProducerFactory<String, String> transactionalProducers) {
      return new Payments(new KafkaTemplate<>(transactionalProducers));
    }
  }

  @Test
  void aContainerCommitsReceiptsAndOffsetsInOneTransaction() {
    try (AnnotationConfigApplicationContext context = KafkaBeans.start(kafka.bootstrap(), InTransactions.class)) {
      KafkaTemplate<String, String> template = context.getBean(KafkaBeans.Sender.class).template();
      List<CompletableFuture<?>> sent = new ArrayList<>();
      for (int i = 0; i < PAYMENTS; i++) {
        sent.add(template.send("spring-payments", Integer.toString(i)));
      }
      template.flush();
      assertThat(sent).allMatch(CompletableFuture::isDone).noneMatch(CompletableFuture::isCompletedExceptionally);

      assertThat(Oracle.valuesUntil(kafka.bootstrap(), "spring-receipts", "receipt-" + (PAYMENTS - 1)))
          .containsExactlyElementsOf(IntStream.range(0, PAYMENTS).mapToObj(i -> "receipt-" + i).toList());
      TopicPartition payments = new TopicPartition("spring-payments", 0);
      assertThat(Oracle.committed(kafka.bootstrap(), "spring-payments", payments)).containsEntry(payments,
          (long) PAYMENTS);
      assertThat(context.getBean(Payments.class).attempts).containsEntry("3", 2).containsEntry("8", 2)
          .containsEntry("4", 1);
    }
  }
}
