package dev.decant.completion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class CompletionTest {
  private static final long SOON = TimeUnit.SECONDS.toNanos(20);

  private final Completion completion = new Completion();

  @Test
  void exactlyOneOutcomeWins() {
    long ticket = completion.begin();

    assertThat(completion.isDone(ticket)).isFalse();
    assertThat(completion.complete(ticket, 7)).isTrue();
    assertThat(completion.complete(ticket, 8)).isFalse();
    assertThat(completion.fail(ticket, new IllegalStateException("late"))).isFalse();
    assertThat(completion.isDone(ticket)).isTrue();
    assertThat(completion.value()).isEqualTo(7);
    assertThat(completion.failure()).isNull();
  }

  @Test
  void lateOutcomeOfAnEarlierUseChangesNothing() {
    long first = completion.begin();
    completion.complete(first, 1);
    long second = completion.begin();

    assertThat(completion.complete(first, 9)).isFalse();
    assertThat(completion.isDone(second)).isFalse();
    assertThat(completion.isDone(first)).isFalse();
  }

  @Test
  void failureIsKept() throws InterruptedException {
    long ticket = completion.begin();
    RuntimeException cause = new IllegalStateException("broken");
    completion.fail(ticket, cause);

    assertThat(completion.await(ticket, System.nanoTime() + SOON)).isTrue();
    assertThat(completion.failure()).isSameAs(cause);
  }

  @Test
  void waitEndsAtTheDeadline() throws InterruptedException {
    long ticket = completion.begin();

    assertThat(completion.await(ticket, System.nanoTime() + 1_000_000)).isFalse();
    assertThat(completion.complete(ticket, 1)).isTrue();
  }

  @Test
  void platformThreadIsWokenUpAndSurvivesSpuriousWakeUps() throws Exception {
    wakesUp(task -> Thread.ofPlatform().start(task));
  }

  @Test
  void virtualThreadIsWokenUpAndSurvivesSpuriousWakeUps() throws Exception {
    wakesUp(task -> Thread.ofVirtual().start(task));
  }

  private void wakesUp(Executor threads) throws Exception {
    long ticket = completion.begin();
    CompletableFuture<Thread> started = new CompletableFuture<>();
    CompletableFuture<Boolean> outcome = new CompletableFuture<>();
    threads.execute(() -> {
      started.complete(Thread.currentThread());
      try {
        outcome.complete(completion.await(ticket, System.nanoTime() + SOON));
      } catch (InterruptedException e) {
        outcome.completeExceptionally(e);
      }
    });
    LockSupport.unpark(started.get(20, TimeUnit.SECONDS));
    assertThat(completion.isDone(ticket)).isFalse();
    completion.complete(ticket, 3);
    assertThat(outcome.get(20, TimeUnit.SECONDS)).isTrue();
    assertThat(completion.value()).isEqualTo(3);
  }

  @Test
  void interruptLeavesTheUseGoingOn() throws InterruptedException {
    long ticket = completion.begin();
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> completion.await(ticket, System.nanoTime() + SOON))
        .isInstanceOf(InterruptedException.class);
    assertThat(completion.complete(ticket, 5)).isTrue();
    assertThat(completion.await(ticket, System.nanoTime() + SOON)).isTrue();
  }
}
