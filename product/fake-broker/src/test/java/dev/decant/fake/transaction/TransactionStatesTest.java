package dev.decant.fake.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.protocol.ErrorCode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the rules of a transactional id: epochs, ids that are used up, retries, and invalid ends. */
class TransactionStatesTest {
  private static final TransactionPartition PARTITION = new TransactionPartition("orders", 0);

  private long nextId = 8;
  private final Transaction transaction = new Transaction("shop", 7, 0, t -> {});

  private Outcome initialize(ProducerIdentity expected) {
    return transaction.initialize(expected, 1_000, () -> nextId++, 0);
  }

  private void end(boolean isCommit, boolean bumps) {
    transaction.prepareEnd(isCommit, bumps, () -> nextId++, 0);
    transaction.complete(0);
  }

  private void useEpochsUp() {
    while (transaction.producer().epoch() < Transaction.LAST_EPOCH) {
      assertThat(initialize(ProducerIdentity.NONE).error()).isEqualTo(ErrorCode.NONE);
    }
  }

  @Test
  void eachBeginTakesTheNextEpoch() {
    assertThat(initialize(ProducerIdentity.NONE).producer()).isEqualTo(new ProducerIdentity(7, (short) 0));
    assertThat(initialize(ProducerIdentity.NONE).producer()).isEqualTo(new ProducerIdentity(7, (short) 1));
  }

  @Test
  void aRetriedBeginGetsTheSameEpochAgainAndAnOlderOneIsFenced() {
    initialize(ProducerIdentity.NONE);
    ProducerIdentity first = transaction.producer();
    ProducerIdentity second = initialize(first).producer();
    assertThat(initialize(first).producer()).isEqualTo(second);
    initialize(second);
    assertThat(initialize(first).error()).isEqualTo(ErrorCode.PRODUCER_FENCED);
  }

  @Test
  void aBeginAfterTheLastEpochGetsAnotherId() {
    useEpochsUp();
    ProducerIdentity last = transaction.producer();
    assertThat(initialize(last).producer()).isEqualTo(new ProducerIdentity(8, (short) 0));
    assertThat(transaction.knows(last)).isTrue();
    assertThat(initialize(last).producer()).isEqualTo(new ProducerIdentity(8, (short) 0));
  }

  @Test
  void anEndAfterTheLastEpochGivesAnotherIdAndCanBeRetried() {
    useEpochsUp();
    ProducerIdentity last = transaction.producer();
    transaction.add(List.of(PARTITION), 0);
    transaction.prepareEnd(true, true, () -> nextId++, 0);
    assertThat(transaction.producer()).isEqualTo(new ProducerIdentity(7, Short.MAX_VALUE));
    assertThat(transaction.problemOfEnd(last, true, true)).isEqualTo(ErrorCode.CONCURRENT_TRANSACTIONS);
    transaction.complete(0);
    assertThat(transaction.producer()).isEqualTo(new ProducerIdentity(8, (short) 0));
    assertThat(transaction.problemOfEnd(last, true, true)).isEqualTo(ErrorCode.NONE);
    assertThat(transaction.hasEnded(last, true)).isTrue();
  }

  @Test
  void aFencedProducerNeverTakesTheEpochBeyondTheLargest() {
    useEpochsUp();
    transaction.add(List.of(PARTITION), 0);
    transaction.fence();
    end(false, false);
    assertThat(transaction.producer()).isEqualTo(new ProducerIdentity(7, Short.MAX_VALUE));
    assertThat(initialize(ProducerIdentity.NONE).producer()).isEqualTo(new ProducerIdentity(8, (short) 0));
  }

  /** KIP-890's table of ends without an open transaction, with the present epoch and with that of a retry. */
  @ParameterizedTest
  @CsvSource({
      "empty,  false, current, NONE", "empty,  true, current, INVALID_TXN_STATE",
      "empty,  false, retry, PRODUCER_FENCED", "empty,  true, retry, PRODUCER_FENCED",
      "abort,  false, current, NONE", "abort,  true, current, INVALID_TXN_STATE",
      "abort,  false, retry, NONE", "abort,  true, retry, INVALID_TXN_STATE",
      "commit, false, current, NONE", "commit, true, current, INVALID_TXN_STATE",
      "commit, false, retry, INVALID_TXN_STATE", "commit, true, retry, NONE"})
  void endsOfVersion2WithoutATransaction(String state, boolean isCommit, String epoch, ErrorCode error) {
    initialize(ProducerIdentity.NONE);
    initialize(ProducerIdentity.NONE);
    if (!state.equals("empty")) {
      transaction.add(List.of(PARTITION), 0);
      end(state.equals("commit"), true);
    }
    ProducerIdentity now = transaction.producer();
    ProducerIdentity asking = epoch.equals("retry") ? new ProducerIdentity(7, (short) (now.epoch() - 1)) : now;
    assertThat(transaction.problemOfEnd(asking, isCommit, true)).isEqualTo(error);
    if (error == ErrorCode.NONE) {
      assertThat(transaction.hasEnded(asking, true)).isEqualTo(epoch.equals("retry"));
    }
  }

  @ParameterizedTest
  @CsvSource({"empty, false, INVALID_TXN_STATE", "empty, true, INVALID_TXN_STATE", "abort, false, NONE",
      "abort, true, INVALID_TXN_STATE", "commit, false, INVALID_TXN_STATE", "commit, true, NONE"})
  void endsOfVersion1WithoutATransaction(String state, boolean isCommit, ErrorCode error) {
    initialize(ProducerIdentity.NONE);
    if (!state.equals("empty")) {
      transaction.add(List.of(PARTITION), 0);
      end(state.equals("commit"), false);
    }
    assertThat(transaction.problemOfEnd(transaction.producer(), isCommit, false)).isEqualTo(error);
    assertThat(transaction.problemOfEnd(new ProducerIdentity(6, (short) 0), isCommit, false))
        .isEqualTo(ErrorCode.INVALID_PRODUCER_ID_MAPPING);
  }

  @Test
  void nothingIsAddedWhileMarkersAreOnTheirWay() {
    initialize(ProducerIdentity.NONE);
    transaction.add(List.of(PARTITION), 0);
    transaction.prepareEnd(true, false, () -> nextId++, 0);
    assertThat(transaction.problemOf(transaction.producer())).isEqualTo(ErrorCode.CONCURRENT_TRANSACTIONS);
  }
}
