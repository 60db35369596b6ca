package dev.decant.micronaut;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.junit.FakeKafka;
import io.micronaut.configuration.kafka.KafkaMessage;
import io.micronaut.configuration.kafka.TransactionalProducerRegistry;
import io.micronaut.configuration.kafka.annotation.ErrorStrategy;
import io.micronaut.configuration.kafka.annotation.ErrorStrategyValue;
import io.micronaut.configuration.kafka.annotation.KafkaClient;
import io.micronaut.configuration.kafka.annotation.KafkaListener;
import io.micronaut.configuration.kafka.annotation.OffsetReset;
import io.micronaut.configuration.kafka.annotation.OffsetStrategy;
import io.micronaut.configuration.kafka.annotation.Topic;
import io.micronaut.context.ApplicationContext;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Value;
import io.micronaut.core.type.Argument;
import io.micronaut.messaging.annotation.SendTo;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Transactions of clients, and of listeners that forward. */
@Tag("full")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
@FakeKafka(lifetime = FakeKafka.Lifetime.CLASS)
class TransactionsTest {
  private static FakeCluster kafka;

  @BeforeAll
  static void createSharedTopic(FakeCluster given) {
    kafka = given;
    kafka.createTopic("micronaut-forwarded", 1);
  }

  @KafkaClient(id = "transactional", transactionalId = "micronaut-sender-${run}")
  @Requires(property = "test", value = "transactions")
  interface Sender {
    @Topic("micronaut-transactions-${run}")
    void send(String value);
  }

  /** Micronaut replaces placeholders of {@code @SendTo} once for a JVM, so both runs share the topic. */
  @KafkaListener(value = "micronaut-forwarding-${run}", producerClientId = "forwarding",
      producerTransactionalId = "micronaut-forwarder-${run}", offsetReset = OffsetReset.EARLIEST,
      offsetStrategy = OffsetStrategy.SEND_TO_TRANSACTION, isolation = IsolationLevel.READ_COMMITTED,
      errorStrategy = @ErrorStrategy(value = ErrorStrategyValue.RETRY_ON_ERROR, retryCount = 3, retryDelay = "20ms"))
  @Requires(property = "test", value = "transactions")
  static class Forwarder {
    private final String run;
    private final AtomicInteger failures = new AtomicInteger();

    Forwarder(@Value("${run}") String run) {
      this.run = run;
    }

    @Topic("micronaut-transactions-${run}")
    @SendTo("micronaut-forwarded")
    KafkaMessage<byte[], String> receive(String value) {
      if (value.equals("b") && failures.getAndIncrement() < 2) {
        throw new IllegalStateException("not yet");
      }
      return KafkaMessage.Builder.<byte[], String>withBody(run + value).build();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aListenerForwardsInTransactionsWithItsOffsets(boolean decant) {
    String run = Applications.run(decant);
    kafka.createTopic("micronaut-transactions-" + run, 1);
    try (ApplicationContext context = Applications.start(kafka.bootstrap(), "transactions", decant)) {
      Sender sender = context.getBean(Sender.class);
      List.of("a", "b", "c").forEach(sender::send);

      // Micronaut asks for a serializer of any object, which writes JSON
      assertThat(Applications.values(kafka.bootstrap(), "micronaut-forwarded", '"' + run, 3))
          .containsExactly('"' + run + "a\"", '"' + run + "b\"", '"' + run + "c\"");
      // each transaction of the sender has a marker after its record
      Applications.awaitCommitted(kafka.bootstrap(), "micronaut-forwarding-" + run, "micronaut-transactions-" + run, 5);
      Applications.checkClients(context, decant);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anAbortedTransactionOfTheRegistrysProducerIsNotSeen(boolean decant) {
    String topic = "micronaut-aborted-" + Applications.run(decant);
    kafka.createTopic(topic, 1);
    try (ApplicationContext context = Applications.start(kafka.bootstrap(), "aborted", decant)) {
      Producer<String, String> producer = context.getBean(TransactionalProducerRegistry.class)
          .getTransactionalProducer("aborting", topic, Argument.STRING, Argument.STRING);
      producer.beginTransaction();
      var first = producer.send(new ProducerRecord<>(topic, "no"));
      producer.abortTransaction();
      producer.beginTransaction();
      var second = producer.send(new ProducerRecord<>(topic, "yes"));
      producer.commitTransaction();
      assertThat(first).isDone();
      assertThat(second).isDone();

      assertThat(Applications.values(kafka.bootstrap(), topic, "", 1)).containsExactly("yes");
    }
  }
}
