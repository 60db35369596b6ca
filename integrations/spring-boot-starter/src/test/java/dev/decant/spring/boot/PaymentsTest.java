package dev.decant.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.junit.FakeKafka;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultAfterRollbackProcessor;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.util.backoff.FixedBackOff;

/** Transactions of an application of Boot: of listeners, and of methods. */
@Tag("full")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
@FakeKafka(topics = {"payments", "bookings", "dead"}, lifetime = FakeKafka.Lifetime.CLASS)
class PaymentsTest {
  private static final int SECONDS = 60;

  private static ConfigurableApplicationContext context;

  /** What consumers of committed records have seen. */
  record Booked(BlockingQueue<String> values, BlockingQueue<String> dead) {}

  @SpringBootConfiguration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @EnableTransactionManagement
  static class Payments {
    @Bean
    Booked booked() {
      return new Booked(new LinkedBlockingQueue<>(), new LinkedBlockingQueue<>());
    }

    @Bean
    Bank bank(KafkaTemplate<String, String> template) {
      return new Bank(template);
    }

    @Bean
    Listeners listeners(KafkaTemplate<String, String> template, Booked booked) {
      return new Listeners(template, booked);
    }

    @Bean
    DefaultAfterRollbackProcessor<Object, Object> afterRollback(KafkaTemplate<Object, Object> template) {
      return new DefaultAfterRollbackProcessor<>(new DeadLetterPublishingRecoverer(template,
          (record, failure) -> new org.apache.kafka.common.TopicPartition("dead", 0)), new FixedBackOff(0, 1), template,
          true);
    }
  }

  static class Bank {
    private final KafkaTemplate<String, String> template;

    Bank(KafkaTemplate<String, String> template) {
      this.template = template;
    }

    @Transactional
    public void pay(String value, boolean fails) {
      CompletableFuture<?> first = template.send("bookings", value + "-1");
      CompletableFuture<?> second = template.send("bookings", value + "-2");
      assertThat(first).isNotSameAs(second);
      if (fails) {
        throw new IllegalStateException("no money");
      }
    }
  }

  static final class Listeners {
    private final KafkaTemplate<String, String> template;
    private final Booked booked;
    private boolean failed;

    Listeners(KafkaTemplate<String, String> template, Booked booked) {
      this.template = template;
      this.booked = booked;
    }

    /** The record and the offset are one transaction: an attempt that fails leaves neither. */
    @KafkaListener(id = "payments", topics = "payments")
    void onPayment(String value) {
      CompletableFuture<?> unused = template.send("bookings", "of " + value);
      if (value.equals("twice") && !failed) {
        failed = true;
        throw new IllegalStateException("once");
      }
      if (value.equals("never")) {
        throw new IllegalStateException("always");
      }
    }

    @KafkaListener(id = "bookings", topics = "bookings")
    void onBooking(String value) {
      booked.values().add(value);
    }

    @KafkaListener(id = "dead", topics = "dead")
    void onDead(String value) {
      booked.dead().add(value);
    }
  }

  @BeforeAll
  static void start(FakeCluster kafka) {
    context = ApplicationTest.run(kafka.bootstrap(), Payments.class, Map.of(
        "spring.kafka.producer.transaction-id-prefix", "pay-", "spring.kafka.consumer.isolation-level",
        "read_committed"));
  }

  @AfterAll
  static void stop() {
    if (context != null) {
      context.close();
    }
  }

  private static String take(BlockingQueue<String> queue) throws InterruptedException {
    return Objects.requireNonNull(queue.poll(SECONDS, TimeUnit.SECONDS), "nothing has come in time");
  }

  /** One test: all bookings are in one partition, so their order says what is missing. */
  @Test
  void whatIsCommittedComesAndNothingElse() throws Exception {
    Booked booked = context.getBean(Booked.class);
    Bank bank = context.getBean(Bank.class);
    bank.pay("first", false);
    assertThatThrownBy(() -> bank.pay("second", true)).hasMessage("no money");
    bank.pay("third", false);
    List<String> values = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      values.add(take(booked.values()));
    }
    assertThat(values).containsExactly("first-1", "first-2", "third-1", "third-2");

    KafkaTemplate<String, String> template = Shop.template(context);
    for (String payment : List.of("once", "twice", "never", "last")) {
      template.executeInTransaction(operations -> operations.send("payments", payment));
    }
    assertThat(List.of(take(booked.values()), take(booked.values()), take(booked.values()))).containsExactly("of once",
        "of twice", "of last");
    assertThat(take(booked.dead())).isEqualTo("never");
    assertThat(booked.values()).isEmpty();
  }
}
