package dev.decant.micronaut;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.junit.FakeKafka;
import io.micronaut.configuration.kafka.annotation.ErrorStrategy;
import io.micronaut.configuration.kafka.annotation.ErrorStrategyValue;
import io.micronaut.configuration.kafka.annotation.KafkaClient;
import io.micronaut.configuration.kafka.annotation.KafkaListener;
import io.micronaut.configuration.kafka.annotation.OffsetStrategy;
import io.micronaut.configuration.kafka.annotation.Topic;
import io.micronaut.configuration.kafka.exceptions.KafkaListenerException;
import io.micronaut.configuration.kafka.exceptions.KafkaListenerExceptionHandler;
import io.micronaut.context.ApplicationContext;
import io.micronaut.context.annotation.Requires;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Listeners that fail: Micronaut seeks and pauses then. */
@Tag("full")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
@FakeKafka(lifetime = FakeKafka.Lifetime.CLASS)
class ErrorsTest {
  private static FakeCluster kafka;

  @BeforeAll
  static void use(FakeCluster given) {
    kafka = given;
  }

  @KafkaClient
  @Requires(property = "test")
  interface Sender {
    void send(@Topic String topic, String value);
  }

  /** What a listener is called with, and what it fails with. */
  abstract static class Failing implements KafkaListenerExceptionHandler {
    final BlockingQueue<String> attempts = new LinkedBlockingQueue<>();
    final BlockingQueue<KafkaListenerException> failures = new LinkedBlockingQueue<>();

    /** Fails for each value that begins with "bad". */
    void attempt(String value) {
      attempts.add(value);
      if (value.startsWith("bad")) {
        throw new IllegalStateException(value);
      }
    }

    @Override
    public void handle(KafkaListenerException exception) {
      failures.add(exception);
    }
  }

  private static <T extends Failing> void run(String test, boolean decant, Class<T> type, List<String> values,
      List<String> attempts, int failures) throws Exception {
    String topic = "micronaut-" + test + "-" + Applications.run(decant);
    kafka.createTopic(topic, 1);
    try (ApplicationContext context = Applications.start(kafka.bootstrap(), test, decant)) {
      Sender sender = context.getBean(Sender.class);
      values.forEach(value -> sender.send(topic, value));

      T listener = context.getBean(type);
      assertThat(Applications.take(listener.attempts, attempts.size())).containsExactlyElementsOf(attempts);
      assertThat(Applications.take(listener.failures, failures))
          .allMatch(failure -> listener.equals(failure.getKafkaListener()));
      Applications.awaitCommitted(kafka.bootstrap(), topic, topic, values.size());
      assertThat(listener.attempts).isEmpty();
      assertThat(listener.failures).isEmpty();
      Applications.checkClients(context, decant);
    }
  }

  @KafkaListener(value = "micronaut-retrying-${run}", offsetStrategy = OffsetStrategy.SYNC,
      errorStrategy = @ErrorStrategy(value = ErrorStrategyValue.RETRY_ON_ERROR, retryCount = 2, retryDelay = "20ms"))
  @Requires(property = "test", value = "retrying")
  static class Retrying extends Failing {
    @Topic("micronaut-retrying-${run}")
    void receive(String value) {
      attempt(value);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFailedRecordIsTriedAgainBeforeTheNext(boolean decant) throws Exception {
    run("retrying", decant, Retrying.class, List.of("a", "bad", "b"), List.of("a", "bad", "bad", "bad", "b"), 1);
  }

  @KafkaListener(value = "micronaut-backing-off-${run}", offsetStrategy = OffsetStrategy.SYNC,
      errorStrategy = @ErrorStrategy(value = ErrorStrategyValue.RETRY_EXPONENTIALLY_ON_ERROR, retryCount = 3,
          retryDelay = "10ms", handleAllExceptions = true))
  @Requires(property = "test", value = "backing-off")
  static class BackingOff extends Failing {
    @Topic("micronaut-backing-off-${run}")
    void receive(String value) {
      attempt(value);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void eachFailureOfABackedOffRecordIsToldIfAskedFor(boolean decant) throws Exception {
    run("backing-off", decant, BackingOff.class, List.of("bad-1", "a", "bad-2"),
        List.of("bad-1", "bad-1", "bad-1", "bad-1", "a", "bad-2", "bad-2", "bad-2", "bad-2"), 8);
  }

  @KafkaListener(value = "micronaut-resuming-${run}", offsetStrategy = OffsetStrategy.SYNC_PER_RECORD,
      errorStrategy = @ErrorStrategy(ErrorStrategyValue.RESUME_AT_NEXT_RECORD))
  @Requires(property = "test", value = "resuming")
  static class Resuming extends Failing {
    @Topic("micronaut-resuming-${run}")
    void receive(String value) {
      attempt(value);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aListenerGoesOnAfterAFailedRecord(boolean decant) throws Exception {
    run("resuming", decant, Resuming.class, List.of("bad-1", "a", "bad-2", "b"), List.of("bad-1", "a", "bad-2", "b"),
        2);
  }

  @KafkaListener(value = "micronaut-numbers-${run}", offsetStrategy = OffsetStrategy.SYNC,
      errorStrategy = @ErrorStrategy(ErrorStrategyValue.RESUME_AT_NEXT_RECORD))
  @Requires(property = "test", value = "numbers")
  static class Numbers implements KafkaListenerExceptionHandler {
    final BlockingQueue<Integer> received = new LinkedBlockingQueue<>();
    final BlockingQueue<KafkaListenerException> failures = new LinkedBlockingQueue<>();

    @Topic("micronaut-numbers-${run}")
    void receive(Integer number) {
      received.add(number);
    }

    @Override
    public void handle(KafkaListenerException exception) {
      failures.add(exception);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aRecordThatCannotBeReadIsToldAndPassed(boolean decant) throws Exception {
    String topic = "micronaut-numbers-" + Applications.run(decant);
    kafka.createTopic(topic, 1);
    try (ApplicationContext context = Applications.start(kafka.bootstrap(), "numbers", decant)) {
      Sender sender = context.getBean(Sender.class);
      sender.send(topic, "\0\0\0\1");
      sender.send(topic, "no number");
      sender.send(topic, "\0\0\0\2");

      Numbers numbers = context.getBean(Numbers.class);
      assertThat(Applications.take(numbers.received, 2)).containsExactly(1, 2);
      KafkaListenerException failure = Applications.take(numbers.failures, 1).getFirst();
      assertThat(failure).hasCauseInstanceOf(RecordDeserializationException.class);
      assertThat(failure.getCause()).isInstanceOfSatisfying(RecordDeserializationException.class,
          cause -> assertThat(cause.offset()).isEqualTo(1));
    }
  }
}
