package dev.decant.kafka.producer;

import dev.decant.kafka.TransactionException;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.transaction.TransactionContext;
import dev.decant.time.Timeouts;
import java.time.Duration;
import java.util.Objects;

/** The settings of {@link Transactions}, under Kafka's names. Not thread-safe. */
public final class TransactionsBuilder {
  private final ClientInternals client;
  private final String transactionalId;
  private Duration timeout = Duration.ofMinutes(1);
  private Duration maxBlock = Duration.ofMinutes(1);

  /**
   * Begins with the defaults. For {@link dev.decant.kafka.client.KafkaClient#transactions}.
   *
   * @param client whose loop and connections are used
   * @param transactionalId Kafka's {@code transactional.id}: the same for each run of the same task, and never that of
   *     another task
   */
  @SuppressWarnings("exports")
  public TransactionsBuilder(ClientInternals client, String transactionalId) {
    if (transactionalId.isBlank()) {
      throw new IllegalArgumentException("transactional.id: the name is empty");
    }
    this.client = Objects.requireNonNull(client, "client");
    this.transactionalId = transactionalId;
  }

  /**
   * Kafka's {@code transaction.timeout.ms}; 1 minute by default. The cluster aborts a transaction that is open for
   * longer, and whoever opened it is fenced or has to abort.
   *
   * @param value at most the brokers' {@code transaction.max.timeout.ms}, which is 15 minutes by default
   * @return this
   */
  public TransactionsBuilder timeout(Duration value) {
    timeout = positive("transaction.timeout.ms", Objects.requireNonNull(value, "value"));
    return this;
  }

  /**
   * Kafka's {@code max.block.ms}; 1 minute by default.
   *
   * @param value how long {@link #open} waits
   * @return this
   */
  public TransactionsBuilder maxBlock(Duration value) {
    maxBlock = positive("max.block.ms", Objects.requireNonNull(value, "value"));
    return this;
  }

  private static Duration positive(String name, Duration value) {
    long millis = Timeouts.millis(value);
    if (millis <= 0 || millis > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(name + ": " + value + " is not within 1 and " + Integer.MAX_VALUE + " ms");
    }
    return value;
  }

  /**
   * Finds the coordinator, fences whoever used the transactional id before, and waits until its transaction, if there
   * was one, is over.
   *
   * @return to be closed after the producers that use it
   * @throws TransactionException when the coordinator refuses
   * @throws dev.decant.kafka.security.AuthenticationException when the brokers do not take this client
   * @throws dev.decant.kafka.KafkaTimeoutException when it does not answer within {@code maxBlock}
   * @throws InterruptedException if the thread was interrupted
   */
  public Transactions open() throws InterruptedException {
    return Transactions.open(new TransactionContext(client.requireOpen(), transactionalId, (int) timeout.toMillis()),
        maxBlock);
  }
}
