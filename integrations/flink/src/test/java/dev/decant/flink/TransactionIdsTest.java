package dev.decant.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.TransactionNamingStrategy;
import org.junit.jupiter.api.Test;

/** Which ids a subtask gives its transactions, and which transactions of earlier runs it aborts. */
class TransactionIdsTest {
  private static TransactionIds ids(boolean pooling, int subtask, int parallelism, long restored,
      SinkWriterState... states) {
    return new TransactionIds(new SinkSettings<>(DeliveryGuarantee.EXACTLY_ONCE, new Properties(), "p",
        pooling ? TransactionNamingStrategy.POOLING : TransactionNamingStrategy.INCREMENTING, Job.serializer("t")),
        subtask, parallelism, restored, Arrays.asList(states));
  }

  private static SinkWriterState state(int subtask, int all, boolean explicit, String... prepared) {
    return new SinkWriterState("p", subtask, all, explicit,
        Arrays.stream(prepared).map(id -> new SinkWriterState.Prepared(id, 5)).toList());
  }

  @Test
  void incrementingIdsFollowCheckpointsAndLeaveNoneOut() {
    TransactionIds ids = ids(false, 1, 2, 5);
    assertThat(ids.next(6)).isEqualTo("p-1-6");
    assertThat(ids.skipped(5, 6)).isEmpty();
    assertThat(ids.skipped(6, 9)).containsExactly("p-1-7", "p-1-8");
  }

  @Test
  void pooledIdsAreUsedAgainOnceTheirTransactionIsFinished() {
    TransactionIds ids = ids(true, 0, 1, 0);
    assertThat(ids.next(1)).isEqualTo("p-0-0");
    ids.prepared("p-0-0", 1);
    assertThat(ids.next(2)).isEqualTo("p-0-1");
    ids.prepared("p-0-1", 2);
    assertThat(ids.next(3)).isEqualTo("p-0-2");
    ids.finished("p-0-0");
    assertThat(ids.next(3)).isEqualTo("p-0-0");
    assertThat(ids.skipped(1, 9)).isEmpty();
  }

  /** Word of it is lost if the committer ended while the state was stored, and the id was never used again. */
  @Test
  void finishedTransactionFinishesThoseOfEarlierCheckpoints() {
    TransactionIds ids = ids(true, 0, 1, 0);
    ids.prepared("p-0-0", 1);
    ids.prepared("p-0-1", 2);
    ids.prepared("p-0-2", 3);
    ids.finished("p-0-1");
    ids.finished("p-0-1");
    ids.finished("unknown");
    assertThat(ids.next(4)).isEqualTo("p-0-0");
    assertThat(ids.snapshot()).singleElement().satisfies(
        state -> assertThat(state.prepared()).containsExactly(new SinkWriterState.Prepared("p-0-2", 3)));
  }

  @Test
  void transactionsThatBeganAfterTheRestoredCheckpointAreLeft() {
    TransactionIds ids = ids(false, 0, 2, 5, state(0, 2, false, "p-0-5"));
    assertThat(ids.isLeft("p-0-6")).isTrue();
    assertThat(ids.isLeft("p-2-17")).as("of a subtask that is no more").isTrue();
    assertThat(ids.isLeft("p-0-5")).as("prepared for the checkpoint").isFalse();
    assertThat(ids.isLeft("p-0-4")).isFalse();
    assertThat(ids.isLeft("p-1-6")).as("of the other subtask").isFalse();
    assertThat(ids.isLeft("other-0-6")).isFalse();
    assertThat(ids.isLeft("p-x-0-6")).as("of a sink whose prefix is longer").isFalse();
    assertThat(ids.isLeft("p-0-6-7")).isFalse();
    assertThat(ids.isLeft("p-0-99999999999999999999999")).isFalse();
    assertThat(ids.isLeft("p")).isFalse();
  }

  @Test
  void pooledTransactionsAreLeftUnlessTheStateNamesThem() {
    TransactionIds ids = ids(true, 0, 1, 5, state(0, 2, true, "p-0-0"), state(1, 2, true, "p-1-3"));
    assertThat(ids.isLeft("p-0-0")).isFalse();
    assertThat(ids.isLeft("p-1-3")).isFalse();
    assertThat(ids.isLeft("p-0-1")).isTrue();
    assertThat(ids.isLeft("p-1-0")).as("of the state that was taken over").isTrue();
    assertThat(ids.isLeft("p-3-0")).as("beyond all states, 3 modulo 2").isTrue();
    assertThat(ids.next(6)).isEqualTo("p-0-1");
    assertThat(ids.snapshot()).extracting(SinkWriterState::ownedSubtask).containsExactly(0, 1);
    assertThat(ids.snapshot()).allMatch(state -> state.explicit() && state.allSubtasks() == 2);
  }

  @Test
  void formerPrefixIsLookedForToo() {
    TransactionIds ids = ids(false, 0, 1, 5, new SinkWriterState("old", 0, 1, false, List.of()));
    assertThat(ids.isLeft("old-0-6")).isTrue();
    assertThat(ids.next(6)).isEqualTo("p-0-6");
  }

  @Test
  void statesThatDoNotFitTheStrategyAreRefused() {
    assertThatThrownBy(() -> ids(false, 0, 1, 5, state(0, 1, true))).isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("cannot go back to INCREMENTING");
    assertThatThrownBy(() -> ids(true, 0, 1, 5, state(-1, -1, false))).isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("take a savepoint with INCREMENTING first");
    assertThat(ids(true, 0, 1, 5, state(0, 1, false, "p-0-5")).next(6)).as("over to POOLING").isEqualTo("p-0-0");
  }
}
