package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.broker.ProduceResponses;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.producer.AnyTopicProducer;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.ProducerBuilder;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that every accepted record has one outcome, whatever is closed at any time. A thread that closed the client
 * while another one closed its producer once did not wait for it. It ended the loop, and 19,999 of 20,000 records had
 * no outcome.
 */
class OutcomesOfRecordsTest extends AgainstScriptedBroker {
  private static final int TOLD = 100;
  private static final int FUTURES = 20;
  private static final int WAITERS = 2;
  private static final Duration SHORT = Duration.ofMillis(40);

  /** The state of the records at the close. */
  enum Stage {
    BEFORE_METADATA {
      @Override
      void prepare(ScriptedBroker broker) {
        broker.always(ApiKey.METADATA, Script.SILENCE);
      }
    },
    BATCH_OPEN {
      @Override
      void prepare(ScriptedBroker broker) {}
    },
    IN_FLIGHT {
      @Override
      void prepare(ScriptedBroker broker) {
        broker.always(ApiKey.PRODUCE, Script.SILENCE);
      }
    },
    RETRYING {
      @Override
      void prepare(ScriptedBroker broker) {
        broker.always(ApiKey.PRODUCE, ProduceResponses.refusal(ErrorCode.NOT_ENOUGH_REPLICAS));
      }
    },
    WITHOUT_IDENTITY {
      @Override
      void prepare(ScriptedBroker broker) {
        broker.always(ApiKey.INIT_PRODUCER_ID, Script.SILENCE);
      }
    };

    abstract void prepare(ScriptedBroker broker);

    boolean isSent() {
      return this == IN_FLIGHT || this == RETRYING;
    }
  }

  /** The threads that close, and what they close. */
  enum Closers {
    PRODUCER_IN_TIME, PRODUCER_AT_ONCE, CLIENT_INTERRUPTED, PRODUCER_THEN_CLIENT, LONG_AND_SHORT, LISTENER, CROWD
  }

  private final AtomicIntegerArray outcomes = new AtomicIntegerArray(TOLD + FUTURES + WAITERS);

  OutcomesOfRecordsTest() {
    super(1, LATER);
  }

  /** The calls of either producer that the tests need. */
  interface Sending {
    void send(int tag, SendListener listener);

    CompletableFuture<?> sendAsync();

    void sendAndWait() throws InterruptedException;

    void close(Duration timeout);
  }

  private static Stream<Arguments> cases() {
    return Arrays.stream(Stage.values())
        .flatMap(stage -> Arrays.stream(Closers.values()).map(closers -> Arguments.of(stage, closers)));
  }

  private ProducerBuilder<String, String> builder(Stage stage) {
    return client.producer(Serdes.string(), Serdes.string()).linger(stage == Stage.BATCH_OPEN ? LATER : Duration.ZERO)
        .retryBackoff(Duration.ofMillis(5), Duration.ofMillis(5));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void ofAProducer(Stage stage, Closers closers) throws Exception {
    stage.prepare(broker);
    Producer<String, String> producer = builder(stage).topic(ScriptedBroker.TOPIC).openAtOnce();
    check(stage, closers, new Sending() {
      @Override
      public void send(int tag, SendListener listener) {
        producer.send("k", "v", tag, listener);
      }

      @Override
      public CompletableFuture<?> sendAsync() {
        return producer.sendAsync("k", "v", null);
      }

      @Override
      public void sendAndWait() throws InterruptedException {
        producer.sendAndWait("k", "v");
      }

      @Override
      public void close(Duration timeout) {
        producer.close(timeout);
      }
    });
  }

  /** Returns fewer cases: the producer for any topic closes a producer for each topic. */
  private static Stream<Arguments> someCases() {
    return Stream.of(Stage.BEFORE_METADATA, Stage.BATCH_OPEN, Stage.IN_FLIGHT)
        .flatMap(stage -> Stream.of(Closers.PRODUCER_IN_TIME, Closers.LONG_AND_SHORT, Closers.LISTENER, Closers.CROWD)
            .map(closers -> Arguments.of(stage, closers)));
  }

  @ParameterizedTest
  @MethodSource("someCases")
  void ofAProducerForAnyTopic(Stage stage, Closers closers) throws Exception {
    stage.prepare(broker);
    AnyTopicProducer<String, String> producer = builder(stage).openForAnyTopic();
    check(stage, closers, new Sending() {
      @Override
      public void send(int tag, SendListener listener) {
        producer.trySend(ScriptedBroker.TOPIC, "k", "v", null, tag, listener);
      }

      @Override
      public CompletableFuture<?> sendAsync() {
        return producer.sendAsync(ScriptedBroker.TOPIC, "k", "v", null);
      }

      @Override
      public void sendAndWait() throws InterruptedException {
        producer.sendAndWait(ScriptedBroker.TOPIC, "k", "v");
      }

      @Override
      public void close(Duration timeout) {
        producer.close(timeout);
      }
    });
  }

  /** The threads once slept until their own timeouts, since no thread drove the loop any more. */
  @Test
  void threadsThatWaitForATopicStopWhenTheClientIsClosed() throws Exception {
    broker.always(ApiKey.METADATA, Script.SILENCE);
    List<FutureTask<Boolean>> waiting = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      waiting.add(started(i % 2 == 0, () -> {
        try (Producer<String, String> unexpected = producer(Duration.ofDays(1))) {
          unexpected.purge();
          throw new AssertionError("opened without metadata");
        } catch (KafkaException | IllegalStateException e) {
          // the topic was not found in time, or the client was closed
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }));
    }
    broker.await(ApiKey.METADATA, 1);
    client.close();
    for (FutureTask<Boolean> waiter : waiting) {
      assertThat(waiter.get(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // its end is counted
  private void check(Stage stage, Closers closers, Sending sending) throws Exception {
    SendListener listener = new SendListener() {
      @Override
      public void onAck(long tag, int partition, long offset, long timestamp) {
        outcomes.incrementAndGet((int) tag);
      }

      @Override
      public void onFailure(long tag, KafkaException error) {
        outcomes.incrementAndGet((int) tag);
      }
    };
    for (int tag = 0; tag < TOLD; tag++) {
      sending.send(tag, listener);
    }
    // otherwise a call that opens a topic's producer waits for the metadata
    boolean isKnown = stage != Stage.BEFORE_METADATA;
    for (int i = TOLD; i < TOLD + FUTURES; i++) {
      int tag = i;
      if (isKnown) {
        sending.sendAsync().whenComplete((ack, error) -> outcomes.incrementAndGet(tag));
      } else {
        sending.send(tag, listener);
      }
    }
    List<FutureTask<Boolean>> waiting = new ArrayList<>();
    for (int i = TOLD + FUTURES; i < TOLD + FUTURES + WAITERS; i++) {
      int tag = i;
      waiting.add(started(i % 2 == 0, () -> awaitAck(sending, tag)));
    }
    if (stage.isSent()) {
      broker.await(ApiKey.PRODUCE, 1);
    }
    close(closers, sending);
    for (FutureTask<Boolean> waiter : waiting) {
      waiter.get(LATER.toSeconds(), TimeUnit.SECONDS);
    }
    client.close();
    for (int tag = 0; tag < outcomes.length(); tag++) {
      assertThat(outcomes.get(tag)).as("outcomes of record %d", tag).isEqualTo(1);
    }
  }

  private void awaitAck(Sending sending, int tag) {
    try {
      sending.sendAndWait();
      outcomes.incrementAndGet(tag);
    } catch (KafkaException e) {
      outcomes.incrementAndGet(tag);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static FutureTask<Boolean> started(boolean isVirtual, Runnable work) {
    FutureTask<Boolean> task = new FutureTask<>(work, true);
    if (isVirtual) {
      Thread.ofVirtual().start(task);
    } else {
      Thread.ofPlatform().start(task);
    }
    return task;
  }

  private void close(Closers closers, Sending sending) throws Exception {
    switch (closers) {
      case PRODUCER_IN_TIME -> sending.close(SHORT);
      case PRODUCER_AT_ONCE -> sending.close(Duration.ZERO);
      case CLIENT_INTERRUPTED -> closeInterrupted();
      case PRODUCER_THEN_CLIENT -> together(() -> sending.close(SHORT), client::close);
      case LONG_AND_SHORT -> {
        FutureTask<Boolean> patient = started(false, () -> sending.close(LATER.multipliedBy(10)));
        awaitClosing(sending);
        together(client::close, () -> sending.close(Duration.ZERO));
        patient.get(LATER.toSeconds(), TimeUnit.SECONDS);
      }
      case LISTENER -> {
        ClientInternals.of(client).loop().execute(() -> sending.close(LATER));
        together(client::close, () -> sending.close(LATER));
      }
      case CROWD -> {
        Runnable[] all = new Runnable[16];
        Arrays.setAll(all, i -> i % 2 == 0 ? client::close : () -> sending.close(SHORT));
        together(all);
      }
    }
  }

  private static void awaitClosing(Sending sending) {
    long deadline = System.nanoTime() + LATER.toNanos();
    while (true) {
      try {
        sending.send(0, new SendListener() {
          @Override
          public void onAck(long tag, int partition, long offset, long timestamp) {}

          @Override
          public void onFailure(long tag, KafkaException error) {}
        });
      } catch (KafkaException e) {
        return;
      }
      assertThat(deadline - System.nanoTime()).as("time left").isPositive();
      Thread.onSpinWait();
    }
  }

  private void closeInterrupted() {
    Thread.currentThread().interrupt();
    client.close();
    assertThat(Thread.interrupted()).isTrue();
  }

  private static void together(Runnable... closers) throws Exception {
    try (var threads = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
      for (var ended : threads.invokeAll(Arrays.stream(closers).map(Executors::callable).toList())) {
        ended.get(LATER.toSeconds(), TimeUnit.SECONDS);
      }
    }
  }
}
