package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.TransactionState;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.protocol.ApiKey;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that every record of a transaction, and every call that waits for one, has one outcome, whatever is closed at
 * any time.
 */
@Tag("full")
class OutcomesOfTransactionsTest extends AgainstScriptedTransactions {
  private static final int RECORDS = 50;
  private static final Duration SHORT = Duration.ofMillis(40);

  /** The state of the transaction at the close. */
  enum Stage {
    SENDING, COMMIT_FLUSHES, COMMITTING, ABORTING, OFFSETS
  }

  /** The threads that close, and what they close. */
  enum Closers {
    TRANSACTIONS_IN_TIME, TRANSACTIONS_AT_ONCE, PRODUCER_FIRST, CLIENT_INTERRUPTED, ALL_TOGETHER, CROWD
  }

  private final AtomicIntegerArray outcomes = new AtomicIntegerArray(RECORDS + 1);

  /** Sets a short request timeout: a client that closes waits that long for a request without a response. */
  OutcomesOfTransactionsTest() {
    super(Duration.ofSeconds(5));
  }

  private static Stream<Arguments> cases() {
    return Arrays.stream(Stage.values())
        .flatMap(stage -> Arrays.stream(Closers.values()).map(closers -> Arguments.of(stage, closers)));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void eachIsReportedOnce(Stage stage, Closers closers) throws Exception {
    Transactions transactions = open(2);
    Producer<String, String> producer = producer(transactions);
    ApiKey silent = switch (stage) {
      case SENDING, COMMIT_FLUSHES -> ApiKey.PRODUCE;
      case COMMITTING, ABORTING -> ApiKey.END_TXN;
      case OFFSETS -> ApiKey.TXN_OFFSET_COMMIT;
    };
    broker.always(silent, Script.SILENCE);
    transactions.begin();
    for (int tag = 0; tag < RECORDS; tag++) {
      producer.send("a", "v", tag, counting());
    }
    broker.await(ApiKey.PRODUCE, 1); // the coordinator does not know a transaction in which nothing was sent
    FutureTask<Boolean> call = new FutureTask<>(() -> {
      try {
        call(stage, transactions);
      } catch (KafkaException | IllegalStateException e) {
        // also an outcome
      } finally {
        outcomes.incrementAndGet(RECORDS);
      }
      return true;
    });
    Thread.ofPlatform().start(call);
    broker.await(silent, 1);
    close(closers, transactions, producer);
    assertThat(call.get(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
    client.close();
    assertThat(transactions.state()).isEqualTo(TransactionState.CLOSED);
    for (int i = 0; i < outcomes.length(); i++) {
      assertThat(outcomes.get(i)).as("outcomes of %d", i).isEqualTo(1);
    }
  }

  private SendListener counting() {
    return new SendListener() {
      @Override
      public void onAck(long tag, int partition, long offset, long timestamp) {
        outcomes.incrementAndGet((int) tag);
      }

      @Override
      public void onFailure(long tag, KafkaException error) {
        outcomes.incrementAndGet((int) tag);
      }
    };
  }

  private static void call(Stage stage, Transactions transactions) throws InterruptedException {
    switch (stage) {
      case SENDING -> {
      }
      case COMMIT_FLUSHES, COMMITTING -> transactions.commit(LATER);
      case ABORTING -> transactions.abort(LATER);
      case OFFSETS -> transactions.sendOffsets(
          Map.of(new TopicPartition(ScriptedBroker.TOPIC, 0), new OffsetAndMetadata(1)),
          new GroupMetadata("billing", 1, "m", null), LATER);
    }
  }

  private void close(Closers closers, Transactions transactions, Producer<String, String> producer) throws Exception {
    switch (closers) {
      case TRANSACTIONS_IN_TIME -> transactions.close(SHORT);
      case TRANSACTIONS_AT_ONCE -> transactions.close(Duration.ZERO);
      case PRODUCER_FIRST -> {
        producer.close(SHORT);
        transactions.close(SHORT);
      }
      case CLIENT_INTERRUPTED -> {
        Thread.currentThread().interrupt();
        client.close();
        assertThat(Thread.interrupted()).isTrue();
      }
      case ALL_TOGETHER -> together(() -> transactions.close(SHORT), () -> producer.close(SHORT), client::close);
      case CROWD -> {
        Runnable[] all = new Runnable[12];
        Arrays.setAll(all, i -> switch (i % 3) {
          case 0 -> client::close;
          case 1 -> () -> transactions.close(SHORT);
          default -> () -> producer.close(SHORT);
        });
        together(all);
      }
    }
  }

  private static void together(Runnable... closers) throws Exception {
    try (var threads = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
      for (var ended : threads.invokeAll(Arrays.stream(closers).map(Executors::callable).toList())) {
        ended.get(LATER.toSeconds(), TimeUnit.SECONDS);
      }
    }
  }
}
