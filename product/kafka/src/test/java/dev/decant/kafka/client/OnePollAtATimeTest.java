package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests a second poll while the first one runs: it would move the views under the first one's handler. */
class OnePollAtATimeTest extends AgainstScriptedBroker {
  private static final int RECORDS = 500;

  OnePollAtATimeTest() {
    super(1, LATER);
  }

  private void storeRecords() {
    broker.state().store(0, IntStream.range(0, RECORDS).mapToObj(Integer::toString).toArray(String[]::new));
  }

  private static List<String> allOfThem() {
    return IntStream.range(0, RECORDS).mapToObj(Integer::toString).toList();
  }

  @Test
  void aHandlerThatPollsIsRefusedAndNoRecordIsLost() throws InterruptedException {
    storeRecords();
    List<String> values = new ArrayList<>();
    int[] refused = new int[1];
    try (Consumer<String, String> consumer = consumer(100, 0)) {
      while (values.size() < RECORDS) {
        consumer.poll(LATER, record -> {
          assertThatIllegalStateException().isThrownBy(() -> consumer.poll(Duration.ZERO, inner -> values.add("inner")))
              .withMessageContaining("by this thread");
          assertThatIllegalStateException()
              .isThrownBy(() -> consumer.pollPartitions(Duration.ZERO, partition -> values.add("inner")));
          refused[0]++;
          values.add(String.valueOf(record.value()));
        });
      }
    }
    assertThat(values).isEqualTo(allOfThem());
    assertThat(refused[0]).isEqualTo(RECORDS);
  }

  @Test
  void aSecondThreadIsRefusedWhileTheFirstPolls() throws Exception {
    storeRecords();
    CountDownLatch handling = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    List<String> values = new ArrayList<>();
    try (Consumer<String, String> consumer = consumer(RECORDS, 0)) {
      FutureTask<Integer> first = new FutureTask<>(() -> consumer.poll(LATER, record -> {
        handling.countDown();
        awaitUninterrupted(goOn);
        values.add(String.valueOf(record.value()));
      }));
      Thread.ofPlatform().name("first-poller").start(first);
      handling.await();
      assertThatIllegalStateException().isThrownBy(() -> consumer.poll(Duration.ZERO, record -> values.add("second")))
          .withMessageContaining("by thread first-poller");
      goOn.countDown();
      assertThat(first.get(LATER.toSeconds(), TimeUnit.SECONDS)).isPositive();

      while (values.size() < RECORDS) { // another thread, after the first one: allowed
        consumer.poll(LATER, record -> values.add(String.valueOf(record.value())));
      }
    }
    assertThat(values).isEqualTo(allOfThem());
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aHandlerThatThrowsDoesNotKeepOthersOut() throws InterruptedException {
    broker.state().store(0, "a", "b");
    try (Consumer<String, String> consumer = consumer(1, 0)) {
      assertThatThrownBy(() -> consumer.poll(LATER, record -> {
        throw new UnsupportedOperationException("of the handler");
      })).hasMessage("of the handler");
      assertThat(read(consumer, 1)).hasSize(1);
    }
  }

  @Test
  @SuppressWarnings("NullAway") // callers without this check
  void argumentsAreCheckedAtOnceAndHarmNobody() throws InterruptedException {
    broker.state().store(0, "a");
    Duration huge = Duration.ofSeconds(Long.MAX_VALUE);
    try (Consumer<String, String> consumer = consumer(1, 0)) {
      assertThatThrownBy(() -> consumer.poll(LATER, null)).isInstanceOf(NullPointerException.class)
          .hasMessage("handler");
      assertThatThrownBy(() -> consumer.poll(null, record -> {})).isInstanceOf(NullPointerException.class)
          .hasMessage("timeout");
      assertThatThrownBy(() -> consumer.assign(null, 0)).isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> consumer.endOffsets(new TopicPartition(null, 0))).hasMessage("topic");
      assertThatThrownBy(() -> consumer.assign("a/b", 0)).isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("topic \"a/b\"");
      assertThatThrownBy(() -> producer().topic("a b")).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> producer().deliveryTimeout(huge)).isInstanceOf(IllegalArgumentException.class);

      assertThat(consumer.poll(huge, record -> {})).isEqualTo(1);
      consumer.wakeup();
      assertThat(consumer.poll(huge, record -> {})).isZero();
      assertThat(consumer.position(ScriptedBroker.TOPIC, 0, huge)).isEqualTo(1);
    }
  }
}
