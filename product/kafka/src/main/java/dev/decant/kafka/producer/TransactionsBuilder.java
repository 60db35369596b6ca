package dev.decant.kafka.producer;

import dev.decant.kafka.PreparedTransaction;
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
  private boolean twoPhaseCommit;

  /**
   * Begins with the defaults. For {@link dev.decant.kafka.client.KafkaClient#transactions}.
   *
   * @param client the client that the transactions belong to
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
   * longer, and its producer is fenced or has to abort.
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

  /**
   * Kafka's {@code transaction.two.phase.commit.enable} (KIP-939); false by default. Brokers then leave a transaction
   * open until it is committed or aborted, and {@code transaction.timeout.ms} does not count. It needs brokers with
   * {@code transaction.two.phase.commit.enable=true} and, in all releases up to Kafka 4.4,
   * {@code unstable.api.versions.enable=true}.
   *
   * @param value whether brokers are asked for it; {@link #open} throws {@link TransactionException} if they do not
   *     support it, with the code {@code UNSUPPORTED_VERSION} or {@code TRANSACTIONAL_ID_AUTHORIZATION_FAILED}
   * @return this
   */
  public TransactionsBuilder twoPhaseCommit(boolean value) {
    twoPhaseCommit = value;
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
   * Finds the coordinator, fences the previous user of the transactional id, and waits until its transaction, if there
   * was one, is over.
   *
   * @return to be closed after the producers that use it
   * @throws TransactionException when the coordinator refuses
   * @throws dev.decant.kafka.security.AuthenticationException when the brokers do not take this client
   * @throws dev.decant.kafka.KafkaTimeoutException when it does not answer within {@code maxBlock}
   * @throws InterruptedException if the thread was interrupted
   */
  public Transactions open() throws InterruptedException {
    return Transactions.open(context(false), maxBlock);
  }

  /**
   * Opens as {@link #open} does, but leaves a transaction of the predecessor as it is (KIP-939's
   * {@code keepPreparedTxn}). {@link Transactions#prepared} then names it, and it is to be committed or aborted. It
   * needs brokers that implement this; none up to Kafka 4.4 does. {@link #resume} needs no broker's support.
   *
   * @return in the state {@code PREPARED} if there was a transaction, {@code READY} otherwise
   * @throws TransactionException when the coordinator refuses, with the code {@code UNSUPPORTED_VERSION} if it does not
   *     implement this
   * @throws dev.decant.kafka.security.AuthenticationException when the brokers do not take this client
   * @throws dev.decant.kafka.KafkaTimeoutException when it does not answer within {@code maxBlock}
   * @throws InterruptedException if the thread was interrupted
   */
  public Transactions openPrepared() throws InterruptedException {
    return Transactions.open(context(true), maxBlock);
  }

  /**
   * Takes over a transaction that was prepared by {@link Transactions#prepare}, in this process or another, before a
   * restart or not. It can be committed or aborted, and nothing else. Nothing is sent before that, and nobody is
   * fenced: do not {@link #open} the id first, since that aborts the transaction.
   *
   * <p>To commit what is committed already, or to abort what is aborted already, has no effect and throws nothing. Once
   * the id was opened again, the coordinator cannot tell any more, and the end is refused.
   *
   * @param left what {@link Transactions#prepare} has returned under the same transactional id
   * @return in the state {@code PREPARED}; to be closed after {@link Transactions#commit} or {@link Transactions#abort}
   */
  public Transactions resume(PreparedTransaction left) {
    if (!left.transactionalId().equals(transactionalId)) {
      throw new IllegalArgumentException("transactional.id " + transactionalId
          + ": the prepared transaction belongs to " + left.transactionalId());
    }
    return Transactions.resume(context(false), left);
  }

  private TransactionContext context(boolean keepsPrepared) {
    return new TransactionContext(client.requireOpen(), transactionalId, (int) timeout.toMillis(), twoPhaseCommit,
        keepsPrepared);
  }
}
